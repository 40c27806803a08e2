# SPDX-License-Identifier: GPL-3.0-or-later
"""mongosh, fetched by npm into the cache, and a home for it where it neither phones home nor greets."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.pypi import Unavailable, cache_dir

VERSION = "2.12.0"


def program():
    """The path of mongosh, installed when it is not in the cache yet. Safe to call from several processes at once."""
    if not shutil.which("node"):
        raise Unavailable("there is no Node.js; tools/deps shell installs it")
    place = cache_dir() / f"mongosh-{VERSION}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.parent / f"mongosh-{VERSION}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _install(place)
    return place / "node_modules" / ".bin" / "mongosh"


def _install(place):
    if not shutil.which("npm"):
        raise Unavailable("there is no npm; tools/deps shell installs it")
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        fresh = Path(scratch) / "mongosh"
        # Its optional parts (Kerberos, field-level encryption) are native code that these tests have no use for.
        got = subprocess.run(
            ["npm", "install", "--prefix", fresh, "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund",
             "--loglevel=error", f"mongosh@{VERSION}"],
            capture_output=True, text=True, check=False)  # fmt: skip
        if got.returncode != 0:
            raise Unavailable(f"npm cannot install mongosh {VERSION}: {got.stderr.strip()[-300:] or 'no reason given'}")
        tried = subprocess.run([fresh / "node_modules" / ".bin" / "mongosh", "--version"],
                               capture_output=True, text=True, check=False)  # fmt: skip
        if tried.returncode != 0:
            raise Unavailable(f"mongosh {VERSION} does not run on this Node.js: {tried.stderr.strip()[-300:]}")
        fresh.rename(place)


def environment(home):
    """Its environment, with `home` as a home of its own: no history, no telemetry, no look for updates."""
    settings = Path(home) / ".mongodb" / "mongosh" / "config"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        json.dumps({
            "userId": "000000000000000000000001",
            "telemetryAnonymousId": "000000000000000000000001",
            "enableTelemetry": False,
            "disableGreetingMessage": True,
            "updateURL": "",
        }),
        encoding="utf-8",
    )  # fmt: skip
    return {**os.environ, "HOME": str(home), "TERM": "xterm"}
