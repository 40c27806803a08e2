#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What typed.py takes for a warning at connect, and what not."""

import unittest

from typed import suspicious_lines

QUIET = """Connecting to:  mongodb://127.0.0.1:27017/
Using MongoDB:  7.0.0
Using Mongosh:  2.12.0

For mongosh info see: https://www.mongodb.com/docs/mongodb-shell/
"""
OLD_NODE = "  - Using mongosh with Node.js versions lower than 24.0.0 is deprecated, and support may be removed.\n"
OLD_SERVER = "  - Connecting to a server of this version is deprecated, and support may be removed.\n"
STARTUP = "------\n   The server generated these startup warnings when booting\n   Access is not restricted\n------\n"


class Greeting(unittest.TestCase):
    def test_a_quiet_one(self):
        self.assertEqual(suspicious_lines(QUIET), [])

    def test_an_old_node_is_no_fault_of_the_server(self):
        self.assertEqual(suspicious_lines(QUIET + "Deprecation warnings:\n" + OLD_NODE), [])

    def test_an_old_server_is(self):
        self.assertNotEqual(suspicious_lines(QUIET + "Deprecation warnings:\n" + OLD_SERVER), [])
        self.assertNotEqual(suspicious_lines(QUIET + "Deprecation warnings:\n" + OLD_NODE + OLD_SERVER), [])

    def test_startup_warnings_are(self):
        self.assertNotEqual(suspicious_lines(QUIET + STARTUP), [])

    def test_errors_are(self):
        self.assertNotEqual(suspicious_lines(QUIET + "Error: command atlasVersion failed\n"), [])


if __name__ == "__main__":
    unittest.main()
