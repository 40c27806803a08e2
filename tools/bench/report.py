# SPDX-License-Identifier: GPL-3.0-or-later
"""From slices, the lines that bench_load prints, to figures and to a page of Markdown."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

# What partitad may cost, as a share of a standalone mongod's CPU time in the same run.
TARGET_CLIENTS = 16
CPU_TARGETS = {
    "ping": 0.28, "get": 0.20, "insert": 0.32, "insert-retryable": 0.32, "update": 0.35, "update-retryable": 0.35,
    "update-set": 0.35, "update-index": 0.50, "scan": 0.30, "index": 0.40, "filter": 0.35, "arrays": 0.40,
    "insert-many": 1.0, "insert-many-retryable": 1.0, "sort": 0.25, "group": 0.25,
}  # fmt: skip
SPEED_TARGETS = {"get": 3.0}


@dataclass
class Figures:
    """One case on one server with so many clients, over all rounds."""

    rate: float  # Documents or operations a second.
    cpu_us: float  # Server CPU time for each of them.
    spread: float  # Half the distance of the dearest round's CPU from the cheapest's, as a share of cpu_us.
    client_us: float
    p50_us: float
    p99_us: float
    rss_mb: float


def summarise(slices):
    """{(case, clients): {server: Figures}} in the order in which they were measured.

    CPU time is a quotient of sums, so that the rare expensive second (a checkpoint) counts for what it costs.
    """
    groups = defaultdict(lambda: defaultdict(list))
    for line in slices:
        groups[line["case"], line["clients"]][line["server"]].append(line)
    return {key: {server: _figures(lines) for server, lines in group.items()} for key, group in groups.items()}


def _figures(lines):
    total = {field: sum(line[field] for line in lines) for field in
             ("documents", "seconds", "server_cpu_seconds", "client_cpu_seconds")}  # fmt: skip
    cpu = total["server_cpu_seconds"] / total["documents"]
    rounds = [line["server_cpu_seconds"] / line["documents"] for line in lines]
    return Figures(
        rate=total["documents"] / total["seconds"], cpu_us=cpu * 1e6, spread=(max(rounds) - min(rounds)) / 2 / cpu,
        client_us=total["client_cpu_seconds"] / total["documents"] * 1e6,
        p50_us=median(line["p50_us"] for line in lines), p99_us=median(line["p99_us"] for line in lines),
        rss_mb=max(line["rss_mb"] for line in lines))  # fmt: skip


def number(value):
    """Three figures that mean something, no more."""
    if round(value, 1) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if round(value, 2) >= 10 else f"{value:.2f}"


def duration(us):
    return f"{number(us / 1000)} ms" if us >= 1000 else f"{number(us)} us"


def _table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, align, *rows]) + "\n"


def _case_rows(title, servers, subject):
    rows = []
    for name, f in servers.items():
        ratios = ["", ""]
        if name != subject and subject in servers:
            first = servers[subject]
            ratios = [f"{first.cpu_us / f.cpu_us:.2f}", f"{first.rate / f.rate:.2f}"]
        rows.append([f"{title}: {name}", number(f.rate), duration(f.p50_us), duration(f.p99_us), number(f.cpu_us),
                     f"{f.spread * 100:.0f}%", number(f.rss_mb), *ratios])  # fmt: skip
    return rows


def _targets(figures, titles, subject, reference):
    rows = []
    for case, title in titles.items():
        servers = figures.get((case, TARGET_CLIENTS), {})
        if subject not in servers or reference not in servers:
            continue
        mine, theirs = servers[subject], servers[reference]
        if case in CPU_TARGETS:
            rows.append(_verdict(f"{title}: CPU", mine.cpu_us / theirs.cpu_us, CPU_TARGETS[case], "<="))
        if case in SPEED_TARGETS:
            rows.append(_verdict(f"{title}: throughput", mine.rate / theirs.rate, SPEED_TARGETS[case], ">="))
    return rows


def _verdict(what, ratio, target, sense):
    met = ratio <= target if sense == "<=" else ratio >= target
    return [what, f"{ratio:.2f}", f"{sense} {target:.2f}", "met" if met else "**short**"]


HOW = """Each case is run by all servers in turns, slice by slice, every other round in reverse; the load generator
(mongo-c-driver, one connection per client) shares the machine with them. CPU is what the server's process used between
the first operation of a slice and the end of the last, per operation or, for insertMany, per document; ± is half the
distance between the cheapest and the dearest round. Throughput depends on how the cores were shared; CPU hardly does.
Ratios are the first server's figure divided by this row's: below 1 it uses less CPU, above 1 it is faster.
A standalone mongod refuses retryable writes; in those rows the driver sends it plain ones."""


def markdown(figures, titles, facts, servers, chart=None):
    """The whole page. `facts` are the lines of the preamble, `servers` the names, the subject first."""
    subject = servers[0]
    parts = ["# Benchmark\n", "\n".join(f"- {fact}" for fact in facts) + "\n", HOW + "\n"]
    if chart:
        parts.append(f"![Server CPU per operation]({chart})\n")
    for reference in servers[1:]:
        rows = _targets(figures, titles, subject, reference) if subject.startswith("partitad") else []
        if rows:
            kind = "what it must show" if reference == "mongod" else "the same targets, for comparison"
            parts.append(f"## {subject} against {reference}, {TARGET_CLIENTS} clients: {kind}\n")
            parts.append(_table(["case", "ratio", "target", ""], rows))
    for clients in dict.fromkeys(clients for _, clients in figures):
        parts.append(f"## {clients} client{'s' if clients > 1 else ''}\n")
        rows = [row for case, title in titles.items() if (case, clients) in figures
                for row in _case_rows(title, _ordered(figures[case, clients], servers), subject)]  # fmt: skip
        head = ["case", "ops/s", "p50", "p99", "CPU us/op", "±", "RSS MB", "CPU ratio", "speed ratio"]
        parts.append(_table(head, rows))
    return "\n".join(parts)


def _ordered(by_server, servers):
    return {name: by_server[name] for name in servers if name in by_server}
