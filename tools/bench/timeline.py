# SPDX-License-Identifier: GPL-3.0-or-later
"""The 99th percentile of reads over time as SVG, one curve a server, with a mark where partitions were split."""

import math
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 860, 360, 70, 20, 64, 40
_COLOURS = ["#0b7a75", "#d17b0f", "#7b6d8d"]


def _text(x, y, text, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(text)}</text>'


class _Scale:
    """Seconds to the right, milliseconds upwards, these by powers of ten."""

    def __init__(self, seconds, lowest_ms, highest_ms):
        self._seconds = seconds
        self._low = math.floor(math.log10(lowest_ms))
        self._high = max(math.ceil(math.log10(highest_ms)), self._low + 1)

    def x(self, seconds):
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * seconds / self._seconds

    def y(self, ms):
        share = (math.log10(ms) - self._low) / (self._high - self._low)
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share

    def grid(self):
        parts = []
        for power in range(self._low, self._high + 1):
            y = self.y(10.0**power)
            parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(_text(_LEFT - 8, y + 4, f"{10.0**power:g} ms", text_anchor="end"))
        step = max(1, round(self._seconds / 10))
        for second in range(0, int(self._seconds) + 1, step):
            parts.append(_text(self.x(second), _HEIGHT - _BOTTOM + 18, f"{second} s", text_anchor="middle"))
        return parts


def svg(measured, split_buckets):
    """`measured` is {server: what bench_ingest printed}."""
    points = [one["p99_us"] / 1000 for run in measured.values() for one in run["series"] if one["reads"]]
    longest = max(len(run["series"]) * run["bucket_seconds"] for run in measured.values())
    scale = _Scale(longest, min(points), max(points))
    body, x = scale.grid(), _LEFT
    for (name, run), colour in zip(measured.items(), _COLOURS):
        width = run["bucket_seconds"]
        for bucket in split_buckets(run["series"]):
            at = scale.x(bucket * width)
            body.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="{colour}" '
                        'stroke-opacity="0.35" stroke-dasharray="3 3"/>')  # fmt: skip
        curve = " ".join(f"{scale.x((i + 0.5) * width):.1f},{scale.y(one['p99_us'] / 1000):.1f}"
                         for i, one in enumerate(run["series"]) if one["reads"])  # fmt: skip
        body.append(f'<polyline points="{curve}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        body.append(f'<rect x="{x}" y="38" width="10" height="10" rx="2" fill="{colour}"/>')
        body.append(_text(x + 15, 47, name))
        x += 30 + 7 * len(name)
    heading = "99th percentile of reads by _id while the collection grows; dashed: a split"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12" fill="#333">', '<rect width="100%" height="100%" fill="#fff"/>',
        _text(16, 24, heading, font_size="15", font_weight="bold"), *body, "</svg>", ""])  # fmt: skip
