#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""partitad as a process: how it starts, goes to the background, says why it cannot, and ends. Usage: server_test.py PATH"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from harness import process  # noqa: E402
from harness.wire import CommandError, Connection  # noqa: E402

SERVER = None

BAD_OPTIONS, ABRUPT, NET_ERROR, START_FAILED = 2, 14, 48, 100


class Server(unittest.TestCase):
    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="partita-server-")))
        (self.home / "db").mkdir()
        self.port = process.free_port()
        self.cache_gb = "0.25"

    def command(self, *options):
        return [SERVER, "--dbpath", self.home / "db", "--port", str(self.port), "--wiredTigerCacheSizeGB", self.cache_gb,
                "--unixSocketPrefix", self.home, *options]  # fmt: skip

    def start(self, *options):
        """In the foreground, its log in a file; answers when this returns."""
        with open(self.home / "log", "wb") as log:
            server = subprocess.Popen(self.command(*options), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        process.wait_ready(self.port, server.pid)
        return server

    def run_to_its_end(self, *options, **process_options):
        return subprocess.run(self.command(*options), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False, **process_options)  # fmt: skip

    def log(self, name="log"):
        return [json.loads(line) for line in (self.home / name).read_text(encoding="utf-8").splitlines()]

    def ids(self, name="log"):
        return [line["id"] for line in self.log(name)]

    def test_ends_cleanly_by_a_signal(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(stop=stop):
                server = self.start("--pidfilepath", self.home / "pid")
                self.assertEqual(int((self.home / "pid").read_text()), server.pid)
                self.assertTrue((self.home / f"mongodb-{self.port}.sock").is_socket())
                server.send_signal(stop)
                self.assertEqual(server.wait(10), 0)
                self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["db", "log"])
                self.assertIn(23016, self.ids())  # Waiting for connections
                self.assertEqual(self.log()[-1]["attr"], {"exitCode": 0})

    def test_ends_in_time_under_load(self):
        server = self.start()
        stopped = threading.Event()

        def load():
            try:
                with Connection(self.port, timeout_s=20) as connection:
                    for i in range(10**9):
                        connection.command("test", {"insert": "c", "documents": [{"n": i}]})
            except OSError:
                stopped.set()

        clients = [threading.Thread(target=load) for _ in range(8)]
        for client in clients:
            client.start()
        time.sleep(0.5)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(10), 0)
        self.assertLess(time.monotonic() - began, 10)
        for client in clients:
            client.join(20)
        self.assertTrue(stopped.is_set())

    def begin_build(self):
        """An index build that takes seconds; answers the thread's list of replies once it runs."""
        replies = []
        with Connection(self.port, timeout_s=60) as connection:
            for batch in range(8):
                documents = [{"_id": batch * 5000 + i, "a": [(i * 31 + k * 7919) % 1000003 for k in range(30)]}
                             for i in range(5000)]  # fmt: skip
                connection.command("test", {"insert": "c", "documents": documents})

        def build():
            try:
                with Connection(self.port, timeout_s=60) as connection:
                    indexes = [{"key": {"a": 1}, "name": "a_1"}]
                    replies.append(connection.command("test", {"createIndexes": "c", "indexes": indexes}))
            except (OSError, CommandError) as error:
                replies.append(error)

        thread = threading.Thread(target=build)
        thread.start()
        self.addCleanup(thread.join)
        with Connection(self.port, timeout_s=60) as connection:
            while True:
                running = connection.command("admin", {"currentOp": 1})["inprog"]
                builds = [op for op in running if "createIndexes" in op.get("command", {})]
                if builds:
                    return builds[0]["opid"], thread, replies
                self.assertEqual(replies, [])

    def test_ends_at_once_during_an_index_build(self):
        server = self.start()
        self.begin_build()
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(10), 0)
        self.assertLess(time.monotonic() - begun, 4)

    def test_stops_an_index_build_when_told_to(self):
        self.start()
        operation, thread, replies = self.begin_build()
        with Connection(self.port, timeout_s=60) as connection:
            connection.command("admin", {"killOp": 1, "op": operation})
            thread.join(5)
            self.assertFalse(thread.is_alive())
            self.assertIn("interrupted", str(replies[0]))
            indexes = connection.command("test", {"listIndexes": "c"})["cursor"]["firstBatch"]
            self.assertEqual([index["name"] for index in indexes], ["_id_"])

    def test_names_the_address_that_is_taken(self):
        with socket.create_server(("127.0.0.1", self.port)):
            ended = self.run_to_its_end()
        self.assertEqual(ended.returncode, NET_ERROR)
        self.assertIn(f"cannot listen on 127.0.0.1:{self.port}: Address already in use", ended.stdout)

    def test_refuses_an_unknown_option_by_its_name(self):
        ended = self.run_to_its_end("--bogus")
        self.assertEqual(ended.returncode, BAD_OPTIONS)
        self.assertIn("bogus", ended.stderr)

    def test_refuses_an_unknown_parameter_by_its_name(self):
        ended = self.run_to_its_end("--setParameter", "bogus=1")
        self.assertEqual(ended.returncode, BAD_OPTIONS)
        self.assertIn("bogus", ended.stderr)

    def test_goes_to_the_background_once_it_listens(self):
        ended = self.run_to_its_end("--fork", "--logpath", self.home / "forked", "--pidfilepath", self.home / "pid")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("child process started successfully, parent exiting", ended.stdout)
        pid = int((self.home / "pid").read_text())
        self.addCleanup(process.end, pid)
        with Connection(self.port, timeout_s=5) as connection:  # At once: it has said that it listens.
            connection.command("admin", {"ping": 1})
        self.assertIn(f"forked process: {pid}\n", ended.stdout)
        self.assertEqual(os.getsid(pid), pid)

    def test_tells_who_started_it_in_the_background_that_it_cannot(self):
        with socket.create_server(("127.0.0.1", self.port)):
            ended = self.run_to_its_end("--fork", "--logpath", self.home / "forked")
        self.assertEqual(ended.returncode, NET_ERROR)
        self.assertIn(f"exited with {NET_ERROR}", ended.stderr)
        self.assertIn(20568, self.ids("forked"))

    def test_says_in_front_why_it_cannot_run_in_the_background(self):
        with socket.create_server(("127.0.0.1", self.port)):
            ended = self.run_to_its_end("--fork", "--logpath", self.home / "forked")
        self.assertIn("Address already in use", ended.stderr)
        (self.home / "db").rmdir()
        (self.home / "db").write_text("no directory")
        ended = self.run_to_its_end("--fork", "--logpath", self.home / "forked")
        self.assertEqual(ended.returncode, START_FAILED)
        self.assertIn(str(self.home / "db"), ended.stderr)
        ended = self.run_to_its_end("--fork", "--logpath", self.home / "nowhere" / "forked")
        self.assertEqual(ended.returncode, START_FAILED)
        self.assertIn("cannot open the log", ended.stderr)

    def test_starts_as_often_as_it_is_asked_to_within_a_second(self):
        (self.home / "db" / "storage.bson").touch()  # A mongod's: so that it ends soon, having moved the log aside.
        for _ in range(5):
            ended = self.run_to_its_end("--logpath", self.home / "own")
            self.assertNotIn("rotate", ended.stderr)
            self.assertIn(28595, self.ids("own"))

    def test_leaves_the_files_of_a_running_server_alone(self):
        options = ("--logpath", self.home / "own", "--pidfilepath", self.home / "pid")
        server = self.start(*options)
        for _ in range(2):
            ended = self.run_to_its_end(*options)
            self.assertEqual(ended.returncode, NET_ERROR)
            self.assertEqual(int((self.home / "pid").read_text()), server.pid)
            self.assertEqual(list(self.home.glob("own.*")), [])
            self.assertIn(20568, self.ids("own"))  # And says so where it would have been looked for.
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(10), 0)
        self.assertFalse((self.home / "pid").exists())
        self.assertIn(23138, self.ids("own"))  # The running one's lines are in the same file to the end.

    def test_tells_who_waits_that_it_stops(self):
        server = self.start()
        with Connection(self.port, timeout_s=20) as tail:
            tail.command("test", {"create": "c", "capped": True, "size": 10000})
            tail.command("test", {"insert": "c", "documents": [{"_id": 1}]})
            opened = tail.command("test", {"find": "c", "tailable": True, "awaitData": True})
            threading.Timer(0.5, server.send_signal, [signal.SIGTERM]).start()
            with self.assertRaisesRegex(CommandError, "InterruptedAtShutdown"):
                tail.command("test", {"getMore": opened["cursor"]["id"], "collection": "c", "maxTimeMS": 100000})
        self.assertEqual(server.wait(10), 0)

    def test_refuses_a_directory_in_use(self):
        self.start()
        self.port = process.free_port()
        ended = self.run_to_its_end()
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(str(self.home / "db"), ended.stdout)

    def expect_refusal(self, reason, codes=(START_FAILED,), **process_options):
        """It ends by itself, and one line says which directory is at fault, and why."""
        # The engine leaves memory behind when it fails to open.
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        ended = self.run_to_its_end(env=environment, **process_options)
        self.assertIn(ended.returncode, codes, ended.stdout + ended.stderr)
        last_words = [json.loads(line) for line in ended.stdout.splitlines()]
        self.assertTrue(any(line["id"] in (28595, 50853) and str(self.home / "db") in str(line["attr"])
                            and reason in line["attr"]["error"] for line in last_words), ended.stdout)  # fmt: skip

    def mount_directory(self, options):
        """A file system of its own for the data directory; away again at the end."""
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.home / "db"],
                                 capture_output=True, check=False)  # fmt: skip
        if mounted.returncode != 0:
            self.skipTest(f"file systems cannot be mounted here: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.home / "db"], check=False)

    def test_says_that_the_disk_is_full(self):
        self.mount_directory("size=4k")
        for kilobytes in range(4, 60, 8):  # Every size stops the start at another step; some make the engine panic.
            with self.subTest(kilobytes=kilobytes):
                for path in (self.home / "db").iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", self.home / "db"], check=True)
                self.expect_refusal("No space left on device", (START_FAILED, ABRUPT))

    def test_acknowledges_nothing_that_a_full_disk_has_not_taken(self):
        self.mount_directory("size=40m")
        self.cache_gb = "1"  # The log shall be the first to find no room.
        for size in (20_000, 140_000):
            with self.subTest(size=size):
                for path in (self.home / "db").iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                subprocess.run(["mount", "-o", "remount,size=40m", self.home / "db"], check=True)
                server = self.start()
                acknowledged = self.insert_until_it_ends(size)
                with Connection(self.port, timeout_s=20) as connection:  # Who reads is not refused.
                    self.assertEqual(connection.command("test", {"count": "c"})["n"], acknowledged)
                server.kill()
                server.wait(20)
                self.assertGreater(acknowledged, 10)
                subprocess.run(["mount", "-o", "remount,size=400m", self.home / "db"], check=True)
                server = self.start()
                with Connection(self.port, timeout_s=20) as connection:
                    kept = connection.command("test", {"count": "c", "query": {"_id": {"$gte": 0}}})["n"]
                server.send_signal(signal.SIGTERM)
                server.wait(10)
                self.assertGreaterEqual(kept, acknowledged)

    def insert_until_it_ends(self, size):
        acknowledged = 0
        try:
            with Connection(self.port, timeout_s=20) as connection:
                while acknowledged * size < 200_000_000:
                    document = {"_id": acknowledged, "pad": "x" * size}
                    if connection.command("test", {"insert": "c", "documents": [document]}).get("n") != 1:
                        break
                    acknowledged += 1
        except (OSError, CommandError):
            pass  # It has gone, and has not answered.
        return acknowledged

    def test_says_that_the_directory_cannot_be_written_to(self):
        self.mount_directory("size=1g")
        server = self.start()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(10), 0)
        subprocess.run(["mount", "-o", "remount,ro", self.home / "db"], check=True)
        self.expect_refusal("Read-only file system")

    def test_says_that_the_directory_may_not_be_changed(self):
        server = self.start()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(10), 0)
        fixed = subprocess.run(["chattr", "+i", self.home / "db"], capture_output=True, check=False)
        if fixed.returncode != 0:
            self.skipTest(f"directories cannot be made immutable here: {fixed.stderr.decode().strip()}")
        try:
            self.expect_refusal("may not be written to", (START_FAILED, ABRUPT))
        finally:
            subprocess.run(["chattr", "-i", self.home / "db"], check=True)

    def test_says_that_the_directory_is_anothers(self):
        if os.geteuid() != 0:
            self.skipTest("only root can start a server as somebody else")
        self.home.chmod(0o777)  # For its socket.
        # A working copy may lie where others have no way to, in root's home.
        within_reach = shutil.copy(SERVER, self.home / "partitad")
        for journal in (False, True):  # What is missing is made, and what is there is opened.
            with self.subTest(journal=journal):
                if journal:
                    (self.home / "db" / "journal").mkdir()
                self.expect_refusal("Permission denied", user="nobody", executable=within_reach)

    def test_begins_a_new_log_file_when_asked(self):
        server = self.start("--logpath", self.home / "own")
        server.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + 10
        while len(list(self.home.glob("own*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(list(self.home.glob("own*"))), 2)
        with Connection(self.port, timeout_s=5) as connection:
            connection.command("admin", {"ping": 1})


if __name__ == "__main__":
    SERVER = sys.argv.pop(1)
    unittest.main()
