# SPDX-License-Identifier: GPL-3.0-or-later
"""Every source file says its licence in its first line, or in the second after a #! line."""

from tree import Fault

_SOURCES = {".h", ".cpp", ".c", ".def", ".py", ".js", ".cmake", ".sh"}
_LINE = "SPDX-License-Identifier: GPL-3.0-or-later"


def find_faults(file):
    script = file.text.startswith("#!")
    if not script and file.suffix not in _SOURCES and file.name != "CMakeLists.txt":
        return []
    line = 1 if script else 0
    head = file.lines[line] if len(file.lines) > line else ""
    # In the comment of its language, and nothing else beside it.
    if head.removeprefix("//").removeprefix("#").strip() == _LINE:
        return []
    return [Fault(line + 1, f"the line '{_LINE}' is missing here")]
