# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are snake_case, and named after the concept they hold; headers are guarded by #pragma once."""

import re

from tree import Fault

_NAMED_BY_OTHERS = re.compile(
    r"^([A-Z]+\.md|LICENSE|CMakeLists\.txt|CMakePresets\.json|\..*|package(-lock)?\.json|__init__\.py)$"
)
_SNAKE = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+)*$")
_SCRIPT = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")  # A command is typed, so a hyphen is fine.
_MODULE = re.compile(r"^[A-Z][A-Za-z0-9]*\.cmake$")  # include(WiredTiger) finds WiredTiger.cmake.
_NO_CONCEPT = {"utils", "util", "common", "misc", "helpers", "helper", "stuff"}


def find_faults(file):
    # Fuzzers name what they find by its hash.
    if "/corpus/" in file.path:
        return []
    faults = []
    folders, name = file.path.split("/")[:-1], file.name
    if not any(pattern.match(name) for pattern in (_NAMED_BY_OTHERS, _SNAKE, _SCRIPT, _MODULE)):
        faults.append(Fault(1, "file names are snake_case"))
    vague = _NO_CONCEPT.intersection(folders) or _NO_CONCEPT.intersection({name.partition(".")[0]})
    if vague:
        faults.append(Fault(1, f"'{vague.pop()}' names no concept"))
    if file.suffix == ".h" and not re.search(r"^#pragma once$", file.text, re.MULTILINE):
        faults.append(Fault(1, "a header without #pragma once"))
    return faults
