#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/run, with a small program in the server's place: what it starts, what it says, how it ends."""

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

# Listens where it is told and notes how it was called and how it ended; refuses to start with --bogus.
SERVER = f"""#!{sys.executable}
import signal, socket, sys
options = sys.argv[1:]
if "--bogus" in options:
    sys.exit("no such option: --bogus")
if "--version" in options:
    print("version 1")
    sys.exit()
port = int(next(b for a, b in zip(options, options[1:] + [""]) if a == "--port"))
listener = socket.create_server(("127.0.0.1", port))
def end(*_):
    print("ended by a signal", flush=True)
    sys.exit(7)
signal.signal(signal.SIGTERM, end)
print("options:", *options, flush=True)
while True:
    listener.accept()[0].close()
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Run(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="partita-run-")))
        (self.root / "tools").mkdir()
        for name in ("run", "prelude.sh"):
            shutil.copy(TOOLS / name, self.root / "tools")
        self.program("tools/deps", "#!/bin/sh\n")
        self.program("tools/build", '#!/bin/sh\necho "$@" >built\n')
        self.program("build/release/partitad", SERVER)

    def program(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        place.chmod(0o755)

    def start(self, *options):
        return subprocess.Popen([self.root / "tools" / "run", *options], cwd=self.root, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def ended(self, *options):
        """(exit code, stdout, stderr) of a run that ends by itself."""
        running = self.start(*options)
        out, err = running.communicate(timeout=30)
        return running.returncode, out, err

    def test_builds_starts_says_where_and_stops_with_the_servers_status(self):
        port = free_port()
        running = self.start("--port", port, "--quiet")
        self.assertEqual(running.stdout.readline(), f"mongodb://127.0.0.1:{port}/\n")
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
        self.assertEqual(running.returncode, 7)
        self.assertEqual((self.root / "built").read_text(), "release partitad\n")
        log = (self.root / "data" / "partitad.log").read_text()
        self.assertIn(f"options: --port {port} --quiet --dbpath {self.root}/data --bind_ip 127.0.0.1\n", log)
        self.assertIn("ended by a signal", log)

    def test_a_server_that_does_not_start_is_shown(self):
        code, out, err = self.ended("--bogus", "--port", free_port())
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no such option: --bogus", err)
        self.assertIn("what to do", err)

    def test_a_port_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as holder:
            port = str(holder.getsockname()[1])
            code, out, err = self.ended(f"--port={port}")
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"port {port} is taken", err)

    def test_a_question_is_answered_and_that_is_all(self):
        self.assertEqual(self.ended("--version"), (0, "version 1\n", ""))
        self.assertFalse((self.root / "data").exists())

    def test_a_failed_build_ends_it(self):
        self.program("tools/build", "#!/bin/sh\necho broken >&2\nexit 1\n")
        code, out, err = self.ended()
        self.assertEqual((code, out), (1, ""))
        self.assertIn("broken", err)


if __name__ == "__main__":
    unittest.main()
