# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test modules and tells what became of each test: {"passed": [...], "failed": {name: text}, "skipped": [...]} as one
line of JSON. Started by `run` in the folder of the package, whose modules it imports."""

import json
import sys
import unittest


class Outcomes(unittest.TextTestResult):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.passed, self.failed, self.left_out = set(), {}, set()

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.add(test.id())

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.left_out.add(test.id())

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed[test.id()] = str(err[1])

    def addError(self, test, err):
        super().addError(test, err)
        self.failed[test.id()] = str(err[1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed[test.id()] = str(err[1])


def main():
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
    outcomes = unittest.TextTestRunner(stream=sys.stderr, resultclass=Outcomes).run(suite)
    print(json.dumps({
        "passed": sorted(outcomes.passed - outcomes.failed.keys()),
        "failed": outcomes.failed,
        "skipped": sorted(outcomes.left_out),
    }))  # fmt: skip


if __name__ == "__main__":
    sys.path.insert(0, ".")
    main()
