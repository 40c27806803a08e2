# SPDX-License-Identifier: GPL-3.0-or-later
"""pymongo with its own tests, fetched once into the cache. Unavailable is raised where it cannot be had."""

import fcntl
import tarfile
import tempfile
from pathlib import Path

from harness.pypi import cache_dir, download

VERSION = "4.10.1"
_SHA256 = "a9de02be53b6bb98efe0b9eda84ffa1ec027fcb23a2de62c4f941d9a2f2f3330"


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
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        with tarfile.open(download(f"pymongo=={VERSION}", _SHA256, scratch, "--no-binary", "pymongo")) as archive:
            archive.extractall(scratch, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(scratch)
        (Path(scratch) / f"pymongo-{VERSION}").rename(place)
