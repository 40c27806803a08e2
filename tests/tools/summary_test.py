#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/summary: what counts as a case, and that nothing which went wrong is counted as fine."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[2] / "tools" / "summary"

SKIPPED = '<skipped message="SKIP_RETURN_CODE=77"/>'
NO_PROGRAM = '<skipped message="Unable to find executable"/>'


def case(status="run", output="", inside=""):
    return f'<testcase name="one" status="{status}">{inside}<system-out>{output}</system-out></testcase>'


def summary(*runs):
    """Closing line and exit code of tools/summary over results files with these cases."""
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for number, cases in enumerate(runs):
            paths.append(Path(directory) / f"{number}.xml")
            paths[-1].write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
        ran = subprocess.run([sys.executable, SUMMARY, *paths], capture_output=True, text=True, check=False)
    return ran.stdout.splitlines()[-1], ran.returncode


class Summary(unittest.TestCase):
    def check(self, cases, line, code):
        self.assertEqual(summary(cases), (line, code))

    def test_a_test_without_words_is_one_case(self):
        self.check([case(), case()], "2 passed, 0 failed, 0 skipped", 0)

    def test_a_closing_line_counts_its_cases(self):
        self.check([case(output="a\n5 passed, 0 failed, 2 skipped\n")], "5 passed, 0 failed, 2 skipped", 0)

    def test_the_last_closing_line_counts(self):
        self.check([case(output="5 passed, 0 failed\nall: 7 passed, 0 failed\n")], "7 passed, 0 failed, 0 skipped", 0)

    def test_google_test(self):
        output = "[  PASSED  ] 9 tests.\n[  SKIPPED ] 2 tests, listed below:\n"
        self.check([case(output=output)], "9 passed, 0 failed, 2 skipped", 0)

    def test_google_test_that_fails(self):
        output = "[  PASSED  ] 8 tests.\n[  FAILED  ] 1 test, listed below:\n"
        self.check([case("fail", output)], "8 passed, 1 failed, 0 skipped", 1)

    def test_unittest(self):
        self.check([case(output="Ran 4 tests in 0.1s\n\nOK (skipped=1)\n")], "3 passed, 0 failed, 1 skipped", 0)

    def test_unittest_that_fails(self):
        output = "Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n"
        self.check([case("fail", output)], "2 passed, 2 failed, 0 skipped", 1)

    def test_a_failure_after_good_words_is_a_failure(self):
        self.check([case("fail", "5 passed, 0 failed\n")], "5 passed, 1 failed, 0 skipped", 1)

    def test_a_test_may_skip_itself(self):
        self.check([case(), case("notrun", "no mongod", SKIPPED)], "1 passed, 0 failed, 1 skipped", 0)

    def test_a_missing_program_is_a_failure(self):
        self.check([case(), case("notrun", "", NO_PROGRAM)], "1 passed, 1 failed, 0 skipped", 1)

    def test_only_skipped_is_not_success(self):
        self.check([case("notrun", "", SKIPPED)], "0 passed, 0 failed, 1 skipped", 1)

    def test_nothing_is_not_success(self):
        self.check([], "0 passed, 0 failed, 0 skipped", 1)

    def test_files_are_added_up(self):
        self.assertEqual(summary([case()], [case("fail")]), ("1 passed, 1 failed, 0 skipped", 1))


if __name__ == "__main__":
    unittest.main()
