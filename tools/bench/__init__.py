# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks: `compare` and `idle` are the programs, the rest is theirs."""
