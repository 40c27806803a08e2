# SPDX-License-Identifier: GPL-3.0-or-later
"""Includes go one way: tools -> commands -> shards -> query -> wire. Tests may include anything.

They are written from the root of the tree, so that a reader sees the direction too. wire/bson and wire/error stand
below everything, the network included: they must not know Asio or what else travels.
"""

import re

from tree import CPP, Fault, line_of

_HOUSE = ["wire", "query", "shards", "commands", "tools"]  # Each may include itself and what stands before it.
_GROUND = ("wire/bson/", "wire/error/")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)


def find_faults(file):
    if file.suffix not in CPP or file.folder not in _HOUSE:
        return []
    faults = []
    for include in _INCLUDE.finditer(file.text):
        message = _fault(file, quoted=include[1] == '"', target=include[2])
        if message:
            faults.append(Fault(line_of(file.text, include.start(1)), message))
    return faults


def _fault(file, quoted, target):
    ground = file.path.startswith(_GROUND)
    if not quoted:
        return "wire/bson and wire/error stay free of Asio" if ground and target.startswith("boost/asio") else None
    folder = target.partition("/")[0]
    if folder == "tests":
        return "what ships must not include tests"
    if folder not in _HOUSE:
        return f'"{target}" is not written from the root of the tree; libraries are included with <>'
    if _HOUSE.index(folder) > _HOUSE.index(file.folder):
        return f"{file.folder}/ must not include {folder}/: includes go {' -> '.join(reversed(_HOUSE))}"
    if ground and not target.startswith(_GROUND):
        return f'wire/bson and wire/error stand below "{target}"'
    return None
