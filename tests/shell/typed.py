# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person types at mongosh's prompt: the greeting, show, use, paging, completion with Tab."""

import re
import unittest

from terminal import Terminal

PROMPT = r"^(\[[^\]]*\] )?\w+> $"
# About the Node.js that runs mongosh here, and not about the server.
_OF_NODE = re.compile(r"^\s+- Using mongosh with Node\.js .*$", re.MULTILINE)


def suspicious_lines(greeting):
    """The lines of what mongosh prints at connect that a user would take for a warning."""
    about_server = _OF_NODE.sub("", greeting)
    bullets = re.search(r"^Deprecation warnings:\s*\n\s+- ", about_server, re.MULTILINE)
    lines = [line for line in about_server.splitlines() if re.search(r"warning|deprecat|error|fail|unsupported", line, re.I)]
    return [line for line in lines if bullets or line.strip() != "Deprecation warnings:"]


def cases(command, environment):
    """A TestCase class over this mongosh command line, which names an empty database `shell_typed`."""

    class Typed(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.terminal = cls.enterClassContext(Terminal(command, environment))
            cls.greeting = cls.terminal.wait_for(PROMPT, timeout_s=60)
            cls.enter(cls, "db.dropDatabase()")
            cls.enter(cls, "for (let i = 0; i < 30; i++) db.people.insertOne({_id: i, name: 'Ada'}); 'done'")

        def enter(self, line):
            """What the shell prints for one line of input, up to the next prompt."""
            self.terminal.send(line)
            self.terminal.settle(quiet_s=0.2)
            self.terminal.send("\r")
            return self.terminal.wait_for(PROMPT)

        def assert_completes(self, text, pattern):
            """Tab after the text, of which there is one continuation, brings the pattern onto the screen."""
            self.terminal.send(text)
            self.terminal.settle()
            self.terminal.send("\t", keep=True)
            try:
                self.terminal.wait_for(pattern, timeout_s=60)  # The first time the shell loads a whole compiler for it.
            finally:
                self.terminal.send("\x03")  # Gives up the line.
                self.terminal.wait_for(PROMPT)

        def test_connecting_warns_of_nothing(self):
            self.assertIn("Using Mongosh", self.greeting)
            self.assertEqual(suspicious_lines(self.greeting), [])

        def test_show_dbs(self):
            self.assertRegex(self.enter("show dbs"), r"(?m)^shell_typed +[\d.]+ \wi?B$")

        def test_show_collections(self):
            self.assertRegex(self.enter("show collections"), r"(?m)^people$")

        def test_use(self):
            self.assertIn("switched to db elsewhere", self.enter("use elsewhere"))
            self.assertIn("switched to db shell_typed", self.enter("use shell_typed"))

        def test_it_shows_the_next_page(self):
            self.assertIn('Type "it" for more', self.enter("db.people.find()"))
            last = self.enter("it")
            self.assertIn("_id: 29", last)
            self.assertNotIn('Type "it"', last)

        def test_an_error_is_the_servers(self):
            self.assertIn("E11000 duplicate key error collection: shell_typed.people", self.enter("db.people.insertOne({_id: 1})"))

        def test_tab_completes_a_collection(self):
            self.assert_completes("db.peo", r"db\.people")

        def test_tab_completes_a_database(self):
            self.assert_completes("use shell_t", r"use shell_typed")

        def test_tab_completes_a_command_of_the_shell(self):
            self.assert_completes("show coll", r"show collections")

        def test_tab_completes_a_method(self):
            self.assert_completes("db.people.findOneAndU", r"findOneAndUpdate")

        def test_tab_completes_an_operator(self):
            self.assert_completes("db.people.aggregate([{$matc", r"\$match")

    return Typed
