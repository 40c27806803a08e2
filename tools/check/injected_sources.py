# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes data depends on no clock and no chance but those handed in: shards/ and query/ ask WallClock and
RandomSource, each of which reads the machine in one place. A steady clock, which only measures, is anybody's."""

import re

from tree import Fault

_HOMES = {"shards/log/clock.cpp", "shards/log/random.h"}
_SOURCES = re.compile(
    r"\b(system_clock|random_device|gettimeofday|clock_gettime|getrandom|arc4random)\b|\b(std::)?s?rand\(|\btime\((nullptr|NULL|0)\)"
)


def find_faults(file):
    path = str(file.path)
    if not path.startswith(("shards/", "query/")) or path in _HOMES:
        return []
    return [
        Fault(number, f"'{match.group()}': ask the clock or the random source that is handed in")
        for number, line in enumerate(file.lines, start=1)
        if (match := _SOURCES.search(line))
    ]
