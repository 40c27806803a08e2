# SPDX-License-Identifier: GPL-3.0-or-later
"""Which brackets of C++ text belong together, and what each { is: a block of statements, or a value made on the fly.

No parser: it looks at the words before a bracket, which is enough for code laid out by clang-format. The text comes
with its comments and literals blanked (tree.blank_literals).
"""

import re
from dataclasses import dataclass, field

FILE, BLOCK, VALUE, LAMBDA, OTHER = "file", "block", "value", "lambda", "other"

_PAIRS = {")": "(", "]": "[", "}": "{"}
_WORD = re.compile(r"[A-Za-z_]\w*$")
# Words that end what stands before a block.
_BEFORE_BLOCK = {"else", "do", "try", "const", "noexcept", "mutable", "override", "final"}
_TYPE_OR_SPACE = re.compile(r"\b(namespace|class|struct|union|enum|concept|extern)\b")
_TRAILING_RETURN = re.compile(r"\)[\w\s]*->[^;(){}]*$")
# Words after which an expression starts, so that a [ there opens a lambda.
_BEFORE_VALUE = {"return", "co_return", "co_await", "co_yield", "else", "case"}


@dataclass
class Bracket:
    kind: str
    begin: int
    end: int
    parent: "Bracket | None"
    edges: list = field(default_factory=list)  # Of a block: offsets where one of its statements ends.

    @property
    def block(self):
        """The block whose statement this bracket is part of."""
        around = self.parent
        while around.kind not in (FILE, BLOCK):
            around = around.parent
        return around


class Brackets:
    """All brackets of a text. `all` is in order of their openings."""

    def __init__(self, code):
        self.all = []
        self._code = code
        self._file = Bracket(FILE, -1, len(code), None)
        self._innermost = []  # (offset, bracket that is innermost from there on)
        self._pair()

    def innermost(self, offset):
        found = self._file
        for begin, bracket in self._innermost:
            if begin > offset:
                break
            found = bracket
        return found

    def _pair(self):
        stack = [self._file]
        for token in re.finditer(r"[()\[\]{};]", self._code):
            char, offset = token.group(), token.start()
            if char == ";":
                stack[-1].edges.append(offset)
            elif char in "([{":
                bracket = Bracket(self._kind(char, offset, stack[-1]), offset, len(self._code), stack[-1])
                if bracket.kind == BLOCK:
                    stack[-1].edges.append(offset)
                stack.append(bracket)
                self.all.append(bracket)
                self._innermost.append((offset + 1, bracket))
            elif len(stack) > 1 and self._code[stack[-1].begin] == _PAIRS[char]:
                closed = stack.pop()
                closed.end = offset
                if closed.kind == BLOCK:
                    stack[-1].edges.append(offset)
                self._innermost.append((offset, stack[-1]))

    def _kind(self, char, offset, parent):
        if char == "[":
            return LAMBDA if self._opens_lambda(offset, parent) else OTHER
        if char == "{":
            return BLOCK if self._opens_block(offset, parent) else VALUE
        return OTHER

    def _opens_lambda(self, offset, parent):
        """A [ behind a value is a subscript, behind auto a structured binding; [[ is an attribute."""
        before = self._code[max(0, offset - 80) : offset].rstrip()
        if self._code.startswith("[[", offset) or (parent.begin == offset - 1 and self._code[offset - 1] == "["):
            return False
        if re.search(r"\bauto\s*&{0,2}$", before):
            return False
        if word := _WORD.search(before):
            return word.group() in _BEFORE_VALUE
        return not before.endswith((")", "]", '"', "}"))

    def _opens_block(self, offset, parent):
        begin = max([parent.begin, *parent.edges[-1:]]) + 1
        before = self._code[begin:offset].rstrip()
        if not before:
            return parent.kind in (FILE, BLOCK)  # Else a list that is an argument, or within a list.
        if before.endswith((")", ":")):
            return True
        if before.endswith("]"):
            return self.all[-1].kind == LAMBDA
        if before.endswith("}"):
            return parent.kind in (FILE, BLOCK)  # A constructor's body behind its last member{value}.
        if (word := _WORD.search(before)) and word.group() in _BEFORE_BLOCK:
            return True
        return bool(_TYPE_OR_SPACE.search(before) and "=" not in before) or bool(_TRAILING_RETURN.search(before))
