#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common paths of the language allocate nothing for a document: micro_bench counts, this reads.

    allocations_test.py build/release/tools/bench/micro/micro_bench
"""

import json
import subprocess
import sys

# What is compiled once for many iterations leaves a trace of less than that.
NOTHING = 0.01
PER_DOCUMENT = ("QueryMatchThreeClauses", "QueryMatchIn", "QueryMatchExpr", "QueryMatchArrayPath", "QueryProjectInclusion",
                "QueryProjectExclusion", "QueryUpdateSet", "QueryUpdateInc")  # fmt: skip
# One iteration of these goes over 10,000 documents.
OVER_MANY = ("QueryGroup", "QuerySortTop100", "QueryScanOnly")


def main():
    command = [sys.argv[1], "--benchmark_filter=Query", "--benchmark_min_time=0.02", "--benchmark_format=json"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    counted = {row["name"]: row["allocs"] for row in json.loads(told)["benchmarks"]}
    wrong = 0
    for name in (*PER_DOCUMENT, *OVER_MANY):
        allowed = NOTHING if name in PER_DOCUMENT else 1
        here = counted.get(name)
        if here is None or here > allowed:
            wrong += 1
            print(f"{name}: {'was not run' if here is None else f'{here} allocations in an iteration, not more than {allowed} are due'}")
    print(f"{len(PER_DOCUMENT) + len(OVER_MANY) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
