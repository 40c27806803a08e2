# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports, waiting for a server, and what a process has cost so far."""

import os
import signal
import socket
import time

from .wire import CommandError, Connection


def free_port():
    """A port free now. Another process may take it before the server does; starting then fails, plainly."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    """CPU time of all threads of a process, ended ones included, to the nanosecond: the kernel's per-process clock."""
    scheduler_clock = 2  # CPUCLOCK_SCHED, as clock_getcpuclockid(3) makes it.
    return time.clock_gettime((~pid << 3) | scheduler_clock)


def rss_mb(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def alive(pid):
    """True while the process runs; a zombie, which nobody has waited for yet, does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_ready(port, pid, timeout_s=60.0, step_s=0.002):
    """Returns once the server answers a ping; RuntimeError when it ends or stays silent."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if not alive(pid):
            raise RuntimeError("the server ended while starting")
        try:
            with Connection(port, timeout_s=5) as connection:
                connection.command("admin", {"ping": 1})
                return
        except (OSError, CommandError):
            time.sleep(step_s)
    raise RuntimeError(f"no answer on port {port} within {timeout_s:.0f} s")


def end(pid, sig=signal.SIGTERM, timeout_s=30.0):
    """Ends a process and waits until it is gone, at last by SIGKILL."""
    for attempt in (sig, signal.SIGKILL):
        if not alive(pid):
            return
        os.kill(pid, attempt)
        deadline = time.monotonic() + timeout_s
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
