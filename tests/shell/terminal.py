# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on a terminal of its own: type to it, wait for what it answers. What a pipe cannot test, Tab above all."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|[\x07\x08]")


class Terminal:
    """Context manager; the program is ended with it. `screen` is what came since the last send, as plain text."""

    def __init__(self, command, environment, rows=60, columns=160):
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execvpe(str(command[0]), [str(word) for word in command], environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._raw = b""

    @property
    def screen(self):
        return _ESCAPES.sub("", self._raw.decode(errors="replace")).replace("\r", "")

    def send(self, keys, keep=False):
        """Types the keys, on an empty screen unless what is there shall be kept."""
        if not keep:
            self._raw = b""
        os.write(self._fd, keys.encode())

    def wait_for(self, pattern, timeout_s=20.0):
        """The screen once the pattern is on it; AssertionError with what is there instead when it does not come."""
        deadline = time.monotonic() + timeout_s
        while not re.search(pattern, self.screen, re.MULTILINE):
            if time.monotonic() > deadline or not self._read(0.05):
                raise AssertionError(f"{pattern!r} did not appear on the terminal, but:\n{self.screen}")
        return self.screen

    def settle(self, quiet_s=0.3, timeout_s=20.0):
        """The screen once nothing more has come for a while."""
        deadline = quiet_until = time.monotonic()
        deadline += timeout_s
        quiet_until += quiet_s
        while time.monotonic() < min(quiet_until, deadline):
            before = len(self._raw)
            if not self._read(0.05):
                break
            if len(self._raw) > before:
                quiet_until = time.monotonic() + quiet_s
        return self.screen

    def _read(self, timeout_s):
        """False at the end of the program."""
        if not select.select([self._fd], [], [], timeout_s)[0]:
            return True
        try:
            piece = os.read(self._fd, 65536)
        except OSError:
            return False
        self._raw += piece
        return bool(piece)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)
