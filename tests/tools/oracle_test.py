#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/oracle and the small wire client: both against the real server. Exit code 77 when that cannot be had."""

import subprocess
import sys
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from harness.process import alive, cpu_seconds, rss_mb  # noqa: E402
from harness.wire import CommandError, Connection, decode, encode  # noqa: E402


def oracle(*words):
    return subprocess.run([TOOLS / "oracle", *words], capture_output=True, text=True, check=False)


class Oracle(unittest.TestCase):
    def start(self, *words):
        started = oracle("start", "--cache-gb", "0.25", *words)
        self.assertEqual(started.returncode, 0, started.stderr)
        uri, pid = started.stdout.split()
        self.addCleanup(oracle, "stop", "--pid", pid)
        return uri, int(pid), int(uri.rpartition(":")[2].partition("/")[0])

    def test_serves_until_it_is_stopped(self):
        uri, pid, port = self.start()
        with Connection(port) as connection:
            self.assertEqual(connection.command("admin", {"buildInfo": 1})["version"], "6.0.5")
        self.assertIn(f"{uri} {pid}\n", oracle("list").stdout)
        self.assertEqual(oracle("stop", "--pid", str(pid)).returncode, 0)
        self.assertFalse(alive(pid))
        self.assertNotIn(uri, oracle("list").stdout)

    def test_stops_nothing_that_it_was_not_told_to(self):
        _, pid, port = self.start()
        self.assertNotEqual(oracle("stop").returncode, 0)
        self.assertNotEqual(oracle("stop", "--port", "1").returncode, 0)
        self.assertTrue(alive(pid))
        self.assertNotEqual(oracle("start", "--port", str(port)).returncode, 0)
        self.assertTrue(alive(pid))

    def test_a_replica_set_takes_writes_at_once(self):
        _, _, port = self.start("--replset")
        with Connection(port) as connection:
            reply = connection.command("t", {"insert": "c", "documents": [{"_id": 1, "text": "né", "big": 1 << 40}]})
            self.assertEqual(reply["n"], 1)
            batch = connection.command("t", {"find": "c"})["cursor"]["firstBatch"]
            self.assertEqual(batch, [{"_id": 1, "text": "né", "big": 1 << 40}])

    def test_an_error_carries_the_reply(self):
        _, pid, port = self.start()
        before = cpu_seconds(pid)
        with Connection(port) as connection, self.assertRaises(CommandError) as caught:
            connection.command("admin", {"noSuchCommand": 1})
        self.assertEqual(caught.exception.reply["codeName"], "CommandNotFound")
        self.assertGreater(cpu_seconds(pid), before)
        self.assertGreater(rss_mb(pid), 10)


class Bson(unittest.TestCase):
    def test_round_trip(self):
        document = {"a": 1, "b": -(1 << 40), "c": 2.5, "d": "né", "e": None, "f": True, "g": {"h": [1, {"i": False}]}}
        self.assertEqual(decode(encode(document)), document)


if __name__ == "__main__":
    if oracle("path").returncode == 77:
        print("the reference server cannot be had here")
        sys.exit(77)
    unittest.main()
