# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of PyPI that carry what tests and benchmarks need, by version and hash, and where they are kept."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path


class Unavailable(Exception):
    """What is asked for cannot be had here; the text says why and what would help."""


def cache_dir():
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("PARTITA_CACHE") or Path(home) / "partita")


def download(package, sha256, folder, *options):
    """Has pip bring one file of the package into the folder; its path. `options` say which: a wheel, or the sources."""
    print(f"fetching {package} ...", file=sys.stderr)
    with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".txt") as wanted:
        wanted.write(f"{package} --hash=sha256:{sha256}\n")
        wanted.flush()
        got = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--require-hashes", *options, "--dest", folder, "--requirement", wanted.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
    if got.returncode != 0:
        reason = (got.stderr.strip() or "no reason given").splitlines()[-1]
        raise Unavailable(f"pip cannot fetch {package}: {reason}")
    return next(Path(folder).glob(f"{package.split('==')[0].replace('-', '?')}*"))
