#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run is held against the list of known failures."""

import contextlib
import io
import unittest

import expected


def judge(passed, failed, known):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        return expected.judge(passed, failed, known), said.getvalue()


class Judge(unittest.TestCase):
    def test_what_nobody_expects(self):
        self.assertEqual(judge(["a", "b"], ["c"], {}), ((2, 1), ""))

    def test_a_known_failure_is_none(self):
        self.assertEqual(judge(["a"], ["b"], {"b": "why"}), ((2, 0), "expected failure  b: why\n"))

    def test_a_known_failure_that_passes_is_one(self):
        counts, said = judge(["a", "b"], [], {"b": "why"})
        self.assertEqual(counts, (1, 1))
        self.assertIn("failed  b: unexpected pass", said)

    def test_the_list_can_be_read(self):
        self.assertTrue(all(reason for reason in expected.failures().values()))


if __name__ == "__main__":
    unittest.main()
