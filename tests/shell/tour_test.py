#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lines of a README are taken for the tour's statements."""

import unittest

import tour

README = """# Name

    not.the.tour()

## Five minutes with mongosh

    $ tools/run
    mongodb://127.0.0.1/
Words.

    db.c.insertMany([
      { a: 1 } ])          // comes in
    db.c.insertOne({})  // E11000 duplicate
    for (let i = 0; i < 2; i++) {
      db.c.find()
    }

## The house

    also.not()
"""


class Tour(unittest.TestCase):
    def test_takes_whole_statements_in_their_order(self):
        self.assertEqual(tour.statements(README), [
            ("db.c.insertMany([\n  { a: 1 } ])", False),
            ("db.c.insertOne({})", True),
            ("for (let i = 0; i < 2; i++) {\n  db.c.find()\n}", False),
        ])  # fmt: skip

    def test_refuses_what_has_no_end(self):
        with self.assertRaises(ValueError):
            tour.statements("## Five minutes with mongosh\n\n    db.c.find({\n")

    def test_makes_a_case_of_each(self):
        self.assertEqual(tour.script(README).count("test("), 3)


if __name__ == "__main__":
    unittest.main()
