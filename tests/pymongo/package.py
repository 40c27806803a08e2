# SPDX-License-Identifier: GPL-3.0-or-later
"""pymongo with its own tests, fetched once into the cache. Unavailable is raised where it cannot be had."""

import fcntl
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from harness.mongod import cache_dir

VERSION = "4.10.1"
_SHA256 = "a9de02be53b6bb98efe0b9eda84ffa1ec027fcb23a2de62c4f941d9a2f2f3330"


class Unavailable(Exception):
    """The package cannot be had here; the text says why."""


def folder():
    """Where the unpacked source package lies. Safe to call from several processes at once."""
    place = cache_dir() / f"pymongo-{VERSION}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.parent / f"pymongo-{VERSION}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _fetch(place)
    return place


def _fetch(place):
    print(f"fetching the source package pymongo {VERSION} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        wanted = Path(scratch) / "requirements"
        wanted.write_text(f"pymongo=={VERSION} --hash=sha256:{_SHA256}\n", encoding="ascii")
        got = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-binary", "pymongo",
             "--no-deps", "--require-hashes", "--dest", scratch, "--requirement", wanted],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        if got.returncode != 0:
            reason = (got.stderr.strip() or "no reason given").splitlines()[-1]
            raise Unavailable(f"pip cannot fetch pymongo {VERSION}: {reason}")
        with tarfile.open(Path(scratch) / f"pymongo-{VERSION}.tar.gz") as archive:
            archive.extractall(scratch, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(scratch)
        (Path(scratch) / f"pymongo-{VERSION}").rename(place)
