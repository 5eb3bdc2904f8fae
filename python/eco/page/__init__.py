# SPDX-License-Identifier: BSD-3-Clause
"""The measured network as one HTML file that needs nothing else: boxes, matrix, search, figures.

From a profile to text. The browser draws what is written here and adds only what the pointer and
the search do (page.js), so that the file shows the network even where scripts are off.
"""

from __future__ import annotations

import html
import json
import math
from pathlib import Path
from typing import Any

from eco import boxes, quantities, snooping, structure
from eco.boxes import CLEAR, TEXT, Between, Box
from eco.odd import describe_odd, slow_hosts
from eco.profile import Profile
from eco.zipped import zipped

# Viridis, so that a fast link is light and a slow one dark, as in all of ECO's pictures.
_COLOURS = (
    (253, 231, 37), (173, 220, 48), (94, 201, 98), (40, 174, 128), (33, 145, 140),
    (44, 114, 142), (59, 82, 139), (71, 45, 123), (68, 1, 84),
)  # fmt: skip
_MATRIX = 100.0  # side
_HERE = Path(__file__).parent


def document(profile: Profile) -> str:
    """The whole file."""
    whole = boxes.arrange(profile)
    numbers = {id(box): number for number, box in enumerate(whole.all)}
    scale = _Scale(*boxes.time_range(profile))
    groups = boxes.clusters(whole)
    pairs = boxes.pairs(profile, groups)
    network, lines = _network(profile, whole, numbers, scale)
    data = {
        "hosts": _hosts(profile, whole, numbers),
        "boxes": _descriptions(profile, whole),
        "lines": [
            {"ends": [numbers[id(line.one)], numbers[id(line.two)]], "text": line.text}
            for line in lines
        ],
        "clusters": [numbers[id(box)] for box in groups],
        "pairs": [[pair.text if pair else "" for pair in row] for row in pairs],
    }
    parts = {
        "TITLE": html.escape(structure.describe(profile).partition(" (")[0]),
        "HOW": html.escape(_how(profile)),
        "FINDINGS": "".join(f"<li>{html.escape(s)}</li>" for s in describe_odd(profile)),
        "CSS": (_HERE / "page.css").read_text(encoding="utf-8"),
        "NETWORK": network,
        "MATRIX": _matrix(groups, pairs, scale) if len(groups) > 1 else "",
        "SCALE": scale.legend(profile),
        # No text of a profile can end the script that holds it.
        "DATA": json.dumps(data).replace("<", "\\u003c"),
        "SCRIPT": (_HERE / "page.js").read_text(encoding="utf-8"),
    }
    text = (_HERE / "page.html").read_text(encoding="utf-8")
    before, *rest = text.split("{{")
    filled = [before]
    for part in rest:
        name, _, after = part.partition("}}")
        filled += [parts[name], after]
    return "".join(filled)


class _Scale:
    """Times as colours: light is fast, dark is slow, by the logarithm."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def colour(self, time: float) -> str:
        share = math.log(max(time, self.low) / self.low) / math.log(self.high / self.low)
        place = min(share, 0.9999) * (len(_COLOURS) - 1)
        below, rest = int(place), place % 1
        both = zipped(_COLOURS[below], _COLOURS[below + 1])
        return "#" + "".join(f"{round(one + rest * (two - one)):02x}" for one, two in both)

    def legend(self, profile: Profile) -> str:
        steps = [self.low * (self.high / self.low) ** (step / 4) for step in range(5)]
        cells = "".join(
            f'<span><i style="background:{self.colour(time)}"></i>{quantities.seconds(time)}</span>'
            for time in steps
        )
        what = f"one way, {quantities.size(profile.partition_bytes)}:"
        return f"{what} {cells}"


def _how(profile: Profile) -> str:
    library = profile.mpi_version.partition("\n")[0].partition(",")[0] or profile.mpi_family
    mcast = snooping.describe_mcast(profile)
    said = f"; IP multicast {mcast}" if mcast else ""
    survey = structure.describe_survey(profile)
    return f"measured {profile.created[:10]} with {library}; {survey}{said}"


def _hosts(profile: Profile, whole: Box, numbers: dict[int, int]) -> list[list[Any]]:
    """Per host its name and the number of its subnet's box."""
    of = {host: numbers[id(box)] for box in whole.leaves for host in box.group.hosts}
    return [[name, of[host]] for host, name in enumerate(profile.hosts)]


def _descriptions(profile: Profile, whole: Box) -> list[str]:
    return [
        "\n".join((*box.lines, quantities.names([profile.hosts[h] for h in box.group.hosts])))
        for box in whole.all
    ]


def _network(
    profile: Profile, whole: Box, numbers: dict[int, int], scale: _Scale
) -> tuple[str, list[Between]]:
    """The drawing, and the lines in it in the order of their numbers."""
    drawn: list[str] = []
    lines: list[Between] = []
    short = quantities.short_names(profile.hosts)
    slow = slow_hosts(profile)
    for box in whole.all:
        kind = "box" if box.parts else "box subnet"
        drawn.append(
            f'<g class="{kind}" data-box="{numbers[id(box)]}"><rect x="{box.left:.2f}" '
            f'y="{box.top:.2f}" width="{box.width:.2f}" height="{box.height:.2f}" rx="0.4"/>'
        )
        for place, words in enumerate(box.lines):
            drawn.append(
                f'<text class="{"name" if place == 0 else "figures"}" '
                f'x="{box.left + box.width / 2:.2f}" '
                f'y="{box.top + (place + 0.9) * 1.35 * TEXT:.2f}">{html.escape(words)}</text>'
            )
        drawn.append("</g>")
        found = boxes.between(profile, box)
        places = boxes.label_places(found, box) if len(box.parts) <= CLEAR else [None] * len(found)
        for line, at in zipped(found, places):
            drawn.append(_line(line, at, len(lines), len(box.parts) <= CLEAR, scale))
            lines.append(line)
        for host, x, y in box.cells:
            odd = " slow" if host in slow else ""
            size = min(0.36, 0.86 / (0.6 * len(short[host])))
            drawn.append(
                f'<g class="host{odd}" data-host="{host}"><rect x="{x + 0.06:.2f}" '
                f'y="{y + 0.06:.2f}" width="0.88" height="0.88" rx="0.2"/><text '
                f'x="{x + 0.5:.2f}" y="{y + 0.5 + 0.36 * size:.2f}" font-size="{size:.2f}">'
                f"{html.escape(short[host])}</text></g>"
            )
    view = f"-0.5 -0.5 {whole.width + 1:.2f} {whole.height + 1:.2f}"
    return f'<svg id="network" viewBox="{view}">{"".join(drawn)}</svg>', lines


def _line(
    line: Between, at: tuple[float, float] | None, number: int, clear: bool, scale: _Scale
) -> str:
    """Lines among many parts are drawn when the pointer is on one of their ends."""
    (x, y), (to_x, to_y) = line.one.centre, line.two.centre
    text = (
        f'<text x="{at[0]:.2f}" y="{at[1] + 0.36 * TEXT:.2f}">{html.escape(line.text)}</text>'
        if at
        else ""
    )
    return (
        f'<g class="line{"" if clear else " hidden"}" data-line="{number}"><line x1="{x:.2f}" '
        f'y1="{y:.2f}" x2="{to_x:.2f}" y2="{to_y:.2f}" stroke="{scale.colour(line.time)}"/>'
        f"{text}</g>"
    )


def _matrix(groups: list[Box], pairs: list[list[Between | None]], scale: _Scale) -> str:
    """A cell for each two clusters, in the order of the boxes; inside on the diagonal."""
    side = _MATRIX / len(groups)
    gap = min(0.3, side / 12)
    cells = [
        f'<rect class="cell" data-pair="{row} {column}" x="{column * side:.2f}" '
        f'y="{row * side:.2f}" width="{side - gap:.2f}" height="{side - gap:.2f}" '
        f'fill="{scale.colour(found.time)}"/>'
        for row, found_row in enumerate(pairs)
        for column, found in enumerate(found_row)
        if found
    ]
    return f'<svg id="matrix" viewBox="0 0 {_MATRIX} {_MATRIX}">{"".join(cells)}</svg>'
