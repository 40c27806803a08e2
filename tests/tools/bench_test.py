#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/bench: that figures are what the slices say, and that a target which is missed is not called met."""

import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from bench import chart, report  # noqa: E402

TITLES = {"get": "get by _id", "ping": "ping"}


def a_slice(server, cpu_us, documents=1000, case="get", seconds=2.0):
    return {
        "case": case, "clients": 16, "server": server, "documents": documents, "seconds": seconds,
        "server_cpu_seconds": documents * cpu_us * 1e-6, "client_cpu_seconds": 0.001, "p50_us": 10, "p99_us": 20,
        "rss_mb": 50}  # fmt: skip


def figures(*slices):
    return report.summarise(slices)


class Report(unittest.TestCase):
    def test_cpu_is_a_quotient_of_sums(self):
        found = figures(a_slice("mongod", 100, 3000), a_slice("mongod", 200, 1000))["get", 16]["mongod"]
        self.assertAlmostEqual(found.cpu_us, 125)
        self.assertAlmostEqual(found.spread, 50 / 125)
        self.assertAlmostEqual(found.rate, 1000)

    def page(self, mine_us, mine_documents):
        found = figures(a_slice("partitad", mine_us, mine_documents), a_slice("mongod", 100))
        return report.markdown(found, TITLES, ["a fact"], ["partitad", "mongod"])

    def test_targets_met(self):
        page = self.page(19, 3100)
        self.assertIn("| get by _id: CPU | 0.19 | <= 0.20 | met |", page)
        self.assertIn("| get by _id: throughput | 3.10 | >= 3.00 | met |", page)

    def test_targets_missed(self):
        page = self.page(21, 2900)
        self.assertIn("| get by _id: CPU | 0.21 | <= 0.20 | **short** |", page)
        self.assertIn("| get by _id: throughput | 2.90 | >= 3.00 | **short** |", page)

    def test_two_mongods_have_no_targets(self):
        found = figures(a_slice("mongod", 100), a_slice("mongod#2", 100))
        page = report.markdown(found, TITLES, [], ["mongod", "mongod#2"])
        self.assertNotIn("target", page)
        self.assertIn("| 1.00 | 1.00 |", page)


class Chart(unittest.TestCase):
    def test_is_xml_with_a_bar_for_each_figure(self):
        found = figures(a_slice("partitad", 20), a_slice("mongod", 100), a_slice("mongod", 50, case="ping"))
        picture = chart.svg(found, TITLES, ["partitad", "mongod"], 16)
        texts = [node.text for node in xml.etree.ElementTree.fromstring(picture).iter() if node.tag.endswith("text")]
        self.assertIn("20.0 us", texts)
        self.assertIn("100 us  (0.20)", texts)
        self.assertIn("not supported", texts)  # partitad has no ping here.


if __name__ == "__main__":
    unittest.main()
