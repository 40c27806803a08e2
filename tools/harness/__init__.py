# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python tools share: a small wire client, process accounting, starting servers."""
