#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What partitad costs while it does little stays far below what is promised. tools/bench/idle measures it in earnest.

    tests/tools/idle_test.py build/release/partitad
"""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from harness import process  # noqa: E402
from harness.servers import Fleet  # noqa: E402
from harness.wire import Connection  # noqa: E402

PARTITAD = sys.argv.pop()


class Idle(unittest.TestCase):
    def test_memory(self):
        connections = 500  # Below what a shell may open by default.
        with Fleet([f"partitad@{PARTITAD}"]) as (server,):
            after_start = process.rss_mb(server.pid)
            idle = [Connection(server.port) for _ in range(connections)]
            for connection in idle:
                connection.command("admin", {"hello": 1})
            each_kb = (process.rss_mb(server.pid) - after_start) * 1000 / connections
            for connection in idle:
                connection.close()
        self.assertLess(after_start, 80)
        self.assertLess(each_kb, 10)  # 10,000 of them and the server itself: below 200 MB.

    def test_gives_back_the_memory_of_a_large_query(self):
        """Of a build without sanitizers: those keep what is freed, to find who uses it afterwards."""
        stages = [{"$set": {f"a{i}": {"$range": [0, 2_000_000]}}} for i in range(4)]
        stages.append({"$project": {"n": {"$size": "$a3"}}})
        with Fleet([f"partitad@{PARTITAD}"]) as (server,), Connection(server.port) as client:
            before = process.rss_mb(server.pid)
            client.command("test", {"insert": "c", "documents": [{"_id": 1}]})
            client.command("test", {"aggregate": "c", "pipeline": stages, "cursor": {}})
            if process.rss_mb(server.pid) < before + 150:
                self.skipTest("the allocator has kept nothing")
            until = time.monotonic() + 40
            while process.rss_mb(server.pid) > before + 100 and time.monotonic() < until:
                time.sleep(0.5)
            self.assertLess(process.rss_mb(server.pid), before + 100)


if __name__ == "__main__":
    unittest.main()
