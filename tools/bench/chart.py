# SPDX-License-Identifier: GPL-3.0-or-later
"""A chart of server CPU per operation as SVG: one group of bars per case, each as a share of the group's dearest.

Cases differ by four orders of magnitude, so bars compare servers within a case; the figure beside a bar is absolute.
"""

from xml.sax.saxutils import escape

from .report import duration

_WIDTH, _LEFT, _BAR_LEFT, _BAR_WIDTH = 860, 16, 300, 420
_BAR, _GAP, _TOP = 14, 12, 64
_COLOURS = ["#0b7a75", "#d17b0f", "#7b6d8d", "#9aa5b1"]


def _text(x, y, text, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x}" y="{y}"{more}>{escape(text)}</text>'


def _legend(servers):
    parts, x = [], _LEFT
    for name, colour in zip(servers, _COLOURS):
        parts.append(f'<rect x="{x}" y="38" width="10" height="10" rx="2" fill="{colour}"/>')
        parts.append(_text(x + 15, 47, name))
        x += 30 + 7 * len(name)
    return parts


def _group(y, title, costs, servers):
    """Bars of one case from `y` on; a server without a figure keeps its place, empty."""
    dearest = max(costs.values())
    middle = y + _BAR * len(servers) / 2 + 4
    parts = [_text(_BAR_LEFT - 10, middle, title, text_anchor="end")]
    for i, name in enumerate(servers):
        if name not in costs:
            parts.append(_text(_BAR_LEFT + 6, y + i * _BAR + 11, "not supported", fill="#888"))
            continue
        width = max(1.0, _BAR_WIDTH * costs[name] / dearest)
        colour = _COLOURS[i % len(_COLOURS)]
        box = f'x="{_BAR_LEFT}" y="{y + i * _BAR}" width="{width:.1f}" height="{_BAR - 2}"'
        parts.append(f'<rect {box} rx="2" fill="{colour}"/>')
        label = duration(costs[name])
        if i and servers[0] in costs:
            label += f"  ({costs[servers[0]] / costs[name]:.2f})"
        parts.append(_text(_BAR_LEFT + width + 6, y + i * _BAR + 11, label))
    return parts


def svg(figures, titles, servers, clients):
    """`figures` as report.summarise() makes them; the cases measured with so many clients are drawn."""
    body, y = _legend(servers), _TOP
    for case, title in titles.items():
        found = figures.get((case, clients))
        if found:
            body += _group(y, title, {name: f.cpu_us for name, f in found.items()}, servers)
            y += _BAR * len(servers) + _GAP
    heading = f"Server CPU per operation, {clients} clients (in brackets: {servers[0]} as a share of this one)"
    box = f'viewBox="0 0 {_WIDTH} {y + 8}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12" fill="#333">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        _text(_LEFT, 24, heading, font_size="15", font_weight="bold"), *body, "</svg>", ""])  # fmt: skip
