# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that do not belong into the tree: unfinished business, paths of one machine, hosts that names stand for."""

import re

from tree import Fault

# Written so that this file does not hold what it looks for.
_RULES = [
    (r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b", "finish it, or say in an issue what is left"),
    (r"(?i)\b(st" r"ubs?|st" r"ubbed|place" r"holders?)\b", "code is whole, or it answers that it is not supported"),
    (r"((?<![\w.~/}])|(?<=-[IL]))(/work|/root|/home|/Users|/mnt|/tmp/wt?)/[\w.]", "a path of one machine"),
    (r"(?i)\b(py" r"pi\.org|python" r"hosted\.org|npm" r"js\.(com|org)|deb\." r"debian\.org|crates" r"\.io)\b",
     "packages are fetched by name; their hosts are the client's business"),
]  # fmt: skip
_RULES = [(re.compile(pattern), message) for pattern, message in _RULES]

_ANYTHING = {"LICENSE"}


def find_faults(file):
    if file.name in _ANYTHING or file.name.endswith(".golden"):
        return []
    faults = []
    for number, line in enumerate(file.lines, start=1):
        for pattern, message in _RULES:
            if match := pattern.search(line):
                faults.append(Fault(number, f"'{match.group()}': {message}"))
    return faults
