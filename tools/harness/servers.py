# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers side by side: each in a directory of its own, with equal cache, on a free port of loopback.

A server is named by what it is: `partitad`, `mongod`, `replset` (mongod as a replica set of one, which keeps a change
log as partitad does), or `partitad@PATH` for another build. The same name twice makes two servers.
"""

import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import mongod, process

REPOSITORY = Path(__file__).resolve().parents[2]
PARTITAD = REPOSITORY / "build" / "release" / "partitad"


@dataclass
class Server:
    name: str
    pid: int
    port: int
    uri: str
    directory: Path

    @property
    def is_reference(self):
        return not self.name.startswith("partitad")


def start_partitad(binary, directory, port, cache_gb=1.0, extra=()):
    """Starts a partitad with its data and log in `directory`, waits until it answers, returns its pid."""
    data, log = Path(directory) / "db", Path(directory) / "partitad.log"
    data.mkdir(parents=True, exist_ok=True)
    command = [binary, "--dbpath", data, "--port", port, "--bind_ip", "127.0.0.1",
               "--wiredTigerCacheSizeGB", cache_gb, *extra]  # fmt: skip
    with open(log, "ab") as output:
        server = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
    try:
        process.wait_ready(port, server.pid)
    except BaseException as problem:
        server.kill()
        server.wait()
        if isinstance(problem, RuntimeError):
            raise RuntimeError(f"partitad: {problem}; its log is {log}") from problem
        raise
    return server.pid


def _start(what, name, parent, cache_gb):
    directory, port = Path(parent) / name.replace("/", "_"), process.free_port()
    if what.startswith("partitad"):
        _, _, path = what.partition("@")
        pid = start_partitad(path or PARTITAD, directory, port, cache_gb)
        return Server(name, pid, port, f"mongodb://127.0.0.1:{port}/", directory)
    replset = what == "replset"
    pid = mongod.start(directory, port, replset, cache_gb)
    return Server(name, pid, port, mongod.uri(port, replset), directory)


class Fleet:
    """Context manager: starts the servers named, ends them and removes their data at the end, however it comes."""

    def __init__(self, names, cache_gb=1.0):
        for name in names:
            if name.partition("@")[0] not in ("partitad", "mongod", "replset"):
                raise RuntimeError(f"no server called {name}: partitad, partitad@PATH, mongod or replset")
        self._names, self._cache_gb, self._servers, self._parent = names, cache_gb, [], None

    def __enter__(self):
        self._parent = tempfile.mkdtemp(prefix="partita-fleet-")
        try:
            for i, what in enumerate(self._names):
                again = self._names[:i].count(what)
                name = f"{what}#{again + 1}" if again else what
                self._servers.append(_start(what, name, self._parent, self._cache_gb))
        except BaseException:
            self.__exit__()
            raise
        return self._servers

    def __exit__(self, *_):
        for server in self._servers:
            process.end(server.pid, signal.SIGKILL)  # Their data goes with them: nothing to close in order.
        shutil.rmtree(self._parent, ignore_errors=True)
