# SPDX-License-Identifier: GPL-3.0-or-later
"""The working copy as the checkers see it: its text files, and C++ with comments and literals blanked out."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Built, fetched or written by a server; and the samples, which break rules on purpose.
_NOT_OURS = {".git", "build", "data", ".cache", "node_modules", "__pycache__"}
_SAMPLES = "tests/check/samples"

CPP = {".h", ".cpp", ".c"}


@dataclass(frozen=True)
class File:
    path: str  # From the root, with slashes.
    text: str

    @property
    def name(self):
        return self.path.rpartition("/")[2]

    @property
    def suffix(self):
        return Path(self.name).suffix

    @property
    def folder(self):
        """The top-level folder, or "" for a file of the root."""
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def lines(self):
        return self.text.splitlines()


@dataclass(frozen=True, order=True)
class Fault:
    line: int
    message: str


def files(root=ROOT):
    """Every text file of the working copy, in order of its path."""
    found = []
    pending = [root]
    while pending:
        for entry in pending.pop().iterdir():
            path = entry.relative_to(root).as_posix()
            if entry.name in _NOT_OURS or path == _SAMPLES or entry.is_symlink():
                continue
            if entry.is_dir():
                pending.append(entry)
            elif (text := _text(entry)) is not None:
                found.append(File(path, text))
    return sorted(found, key=lambda file: file.path)


def _text(path):
    raw = path.read_bytes()
    if b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


_LITERAL = re.compile(
    r"""//[^\n]*                                             # line comment
      | /\*.*?\*/                                            # block comment
      | R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"       # raw string
      | "(?:\\.|[^"\\\n])*"                                  # string
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'                  # character, not the ' between digits
    """,
    re.VERBOSE | re.DOTALL,
)


def blank_literals(code):
    """The code with every comment and literal made of spaces, so that offsets and lines stay where they were.

    A literal keeps its quotes: it is still a word of the expression it stands in.
    """

    def blank(match):
        text = match.group()
        spaces = re.sub(r"[^\n]", " ", text)
        return spaces if text[0] == "/" else '"' + spaces[1:-1] + '"'

    return _LITERAL.sub(blank, code)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
