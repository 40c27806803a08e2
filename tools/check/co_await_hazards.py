# SPDX-License-Identifier: GPL-3.0-or-later
"""No capturing lambda and no brace-made temporary in an expression that awaits.

GCC 12 destroys such a temporary twice, and no warning tells: the program crashes later, somewhere else. The remedy is
always the same: give it a name in a statement of its own, then await.
"""

import re

from brackets import BLOCK, FILE, LAMBDA, VALUE, Brackets
from tree import CPP, Fault, blank_literals, line_of

# `Type name{...}` declares name; nothing is temporary there. `return Type{...}` and its like do not.
_DECLARES = re.compile(r"(?P<before>[\w>*&\]])\s+&{0,2}\*{0,2}[A-Za-z_]\w*\s*$|[>*&][A-Za-z_]\w*\s*$")
_NO_TYPE = re.compile(r"\b(return|co_return|co_await|co_yield|new|throw|case|else)\s+[\w:]+\s*$")

# What comes before the condition of an if or a loop.
_HEADER = re.compile(r"\s*(else\s+)?(if|for|while|switch)\s*(constexpr\s*)?\(")


def find_faults(file):
    if file.suffix not in CPP or "co_await" not in file.text:
        return []
    code = blank_literals(file.text)
    brackets = Brackets(code)
    faults = set()
    for awaiting in re.finditer(r"\bco_await\b", code):
        for offset, message in _hazards(code, brackets, awaiting.start()):
            faults.add(Fault(line_of(code, offset), message))
    return sorted(faults)


def _hazards(code, brackets, awaiting):
    """(offset, message) for what the expression around a co_await makes on the fly; blocks inside speak for themselves."""
    inside = brackets.innermost(awaiting)
    block = inside if inside.kind in (FILE, BLOCK) else inside.block
    begin, end = _expression(code, brackets, block, awaiting)
    for bracket in brackets.all:
        if not begin < bracket.begin < end or bracket.block is not block:
            continue
        if bracket.kind == LAMBDA and code[bracket.begin + 1 : bracket.end].strip():
            yield bracket.begin, "a capturing lambda in an expression that awaits: name it first"
        if bracket.kind == VALUE and not _declares(code[begin + 1 : bracket.begin]):
            yield bracket.begin, "a brace-made temporary in an expression that awaits: name it first"


def _expression(code, brackets, block, awaiting):
    """From where to where the full expression goes: a statement, or the header or the body of an if or a loop."""
    begin = max([edge for edge in block.edges if edge < awaiting], default=block.begin)
    end = min([edge for edge in block.edges if edge > awaiting], default=block.end)
    while header := _HEADER.match(code, begin + 1, end):
        condition = next(bracket for bracket in brackets.all if bracket.begin == header.end() - 1)
        if awaiting < condition.end:
            return condition.begin, condition.end
        begin = condition.end
    return begin, end


def _declares(before):
    return bool(_DECLARES.search(before)) and not _NO_TYPE.search(before)
