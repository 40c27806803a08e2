# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's tour as a script: what a new user types has to work as it stands there."""

import json
from pathlib import Path

_BEGIN, _END = "## Five minutes with mongosh", "\n## "
_CODE = "    "


def statements(readme):
    """[(text, whether it is to be refused)] of the tour's code, in order; one may reach over several lines."""
    tour = readme.split(_BEGIN, 1)[1].split(_END, 1)[0]
    found, lines = [], []
    for line in tour.splitlines():
        if not line.startswith(_CODE) or line.startswith((f"{_CODE}$", f"{_CODE}mongodb://")):
            continue
        lines.append(line[len(_CODE):])
        text = "\n".join(code.split("//")[0].rstrip() for code in lines)
        if all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}")):
            found.append((text, "E11000" in line or "not supported" in line))
            lines = []
    if lines:
        raise ValueError(f"the tour ends in the middle of a statement: {lines[0]}")
    return found


def script(readme):
    """Every statement a case of its own, in the order of the text. A cursor is read to its end, as the shell would show it."""
    cases = []
    for text, is_refused in statements(readme):
        name = json.dumps("the tour: " + " ".join(text.split())[:90])
        if text.startswith("for "):
            body = text
        elif is_refused:
            body = (f"let thrown = null;\ntry {{ const shown = {text};\nif (shown && shown.toArray) shown.toArray(); }}"
                    " catch (problem) { thrown = problem; }\nisTrue(thrown !== null, 'it is refused');")  # fmt: skip
        else:
            body = f"const shown = {text};\nif (shown && shown.toArray) shown.toArray();"
        cases.append(f"test({name}, () => {{\n{body}\n}});")
    return "\n".join(cases) + "\n"


def write(folder):
    file = Path(folder) / "tour.js"
    file.write_text(script((Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")), encoding="utf-8")
    return file
