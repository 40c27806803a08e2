# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cases of this folder partitad is known to fail, and how a run is held against that."""

from pathlib import Path

_LIST = Path(__file__).resolve().parent / "expected_failures.txt"


def failures():
    """Case names, each with its reason."""
    lines = _LIST.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def judge(passed, failed, known):
    """(passed, failed) as numbers, of case names. A known failure counts as what was expected, and one that passes as a
    failure, so that the list never says too much. Prints what is out of the ordinary."""
    for name in [name for name in failed if name in known]:
        print(f"expected failure  {name}: {known[name]}")
    unexpected = [name for name in passed if name in known]
    for name in unexpected:
        print(f"failed  {name}: unexpected pass; take it out of {_LIST.name}")
    bad = len([name for name in failed if name not in known]) + len(unexpected)
    return len(passed) + len(failed) - bad, bad
