# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds and runs the load generator, bench_load."""

import json
import subprocess
import sys

from harness.servers import REPOSITORY

_FOLDER = REPOSITORY / "build" / "release"
_PROGRAM = _FOLDER / "tools" / "bench" / "bench_load"


def build(names):
    """Brings the load generator, and partitad when it takes part, up to date."""
    if not (_FOLDER / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=REPOSITORY, check=True, stdout=sys.stderr)
    targets = ["bench_load"] + (["partitad"] if "partitad" in names else [])
    subprocess.run(["cmake", "--build", _FOLDER, "--target", *targets], check=True, stdout=sys.stderr)


def case_titles():
    """{name: title} in the order of the report."""
    listed = subprocess.run([_PROGRAM, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {case["name"]: case["title"] for case in map(json.loads, listed.splitlines())}


def start(fleet, arguments):
    """Sets the load generator on the servers and returns at once; finish() waits for what it measures."""
    command = [str(word) for word in [_PROGRAM, *arguments]]
    for server in fleet:
        command += ["--server", f"{server.name},{server.pid},{server.uri}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(running):
    return list(_read(running))


def slices(fleet, arguments):
    """Drives the servers and yields what is measured, slice by slice; RuntimeError when a server answered wrongly."""
    return _read(start(fleet, arguments))


def _read(running):
    with running:
        for line in running.stdout:
            yield json.loads(line)
    if running.returncode != 0:
        raise RuntimeError("the load generator gave up; see above")
