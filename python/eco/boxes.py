# SPDX-License-Identifier: BSD-3-Clause
"""A measured network as nested boxes: from a profile to where each level, subnet and host is drawn.

Boxes of one level never overlap. Lengths are in cells: a host takes one. Called by the picture of
a large network (picture_boxes.py) and by the page (page.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from eco import quantities, structure
from eco.profile import Profile
from eco.structure import Group, Link
from eco.zipped import zipped

TEXT = 0.72  # height of the letters in a box
CLEAR = 8  # parts of a group between which lines stay apart
_LETTER = 0.58 * TEXT  # width, on average
_LINE = 1.35 * TEXT
_MARGIN = 0.5
_SHAPE = 1.15  # width over height that is aimed at
_MOST_CLUSTERS = 100
_MOST_PAIRS = 5000  # of parts of one group, whose figures are kept one by one


@dataclass(frozen=True)
class Box:
    """A level's cluster with its parts, or a subnet with its hosts."""

    group: Group
    lines: tuple[str, ...]  # written at its top
    left: float
    top: float
    width: float
    height: float
    parts: tuple[Box, ...]
    cells: tuple[tuple[int, float, float], ...]  # host, left, top

    @property
    def centre(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.top + self.height / 2

    @property
    def all(self) -> Iterator[Box]:
        """Outer before inner."""
        yield self
        for part in self.parts:
            yield from part.all

    @property
    def leaves(self) -> Iterator[Box]:
        return (box for box in self.all if not box.parts)

    def moved(self, right: float, down: float) -> Box:
        return replace(
            self,
            left=self.left + right,
            top=self.top + down,
            parts=tuple(part.moved(right, down) for part in self.parts),
            cells=tuple((host, x + right, y + down) for host, x, y in self.cells),
        )


@dataclass(frozen=True)
class Between:
    """What joins two clusters of one group."""

    one: Box
    two: Box
    link: Link
    time: float  # of the messages that the subnets were found with, median

    @property
    def text(self) -> str:
        return figures(self.link)


def figures(link: Link) -> str:
    """`301 µs · 10.7 Mbit/s`."""
    latency = quantities.seconds(link.latency)
    return f"{latency} · {quantities.rate(link.bandwidth)}" if link.bandwidth else latency


def arrange(profile: Profile) -> Box:
    """All boxes; the outermost begins at (0, 0)."""
    places = {host: place for place, host in enumerate(profile.ring)}
    return _box(profile, structure.tree(profile), places)


def between(profile: Profile, box: Box) -> list[Between]:
    """For each two parts of this box; nothing where these are too many to be told apart."""
    if len(box.parts) * (len(box.parts) - 1) // 2 > _MOST_PAIRS:
        return []
    pairs = itertools.combinations(box.parts, 2)
    return [found for one, two in pairs if (found := joins(profile, one, two))]


def joins(profile: Profile, one: Box, two: Box) -> Between | None:
    """The medians over all pairs of hosts of two clusters; one cluster with itself: inside it."""
    hosts = one.group.hosts
    pairs = (
        structure.inside(hosts) if one is two else structure.across(hosts, list(two.group.hosts))
    )
    link = structure.link(profile, pairs)
    if link is None:
        return None
    times = sorted(profile.partition_cost[a][b] for a, b in pairs)
    return Between(one, two, link, times[len(times) // 2])


def time_range(profile: Profile) -> tuple[float, float]:
    """The times that the colours go from and to; a narrow range is widened, as colours would make
    noise look like structure."""
    times = [value for row in profile.partition_cost for value in row if value > 0] or [1e-3]
    low, high = min(times), max(times)
    middle = math.sqrt(low * high)
    return min(low, middle / 1.3), max(high, middle * 1.3)


def pairs(profile: Profile, groups: Sequence[Box]) -> list[list[Between | None]]:
    """A row and a column for each cluster; on the diagonal what is inside."""
    rows: list[list[Between | None]] = [[None] * len(groups) for _ in groups]
    for one, two in itertools.combinations_with_replacement(range(len(groups)), 2):
        rows[one][two] = rows[two][one] = joins(profile, groups[one], groups[two])
    return rows


def clusters(box: Box) -> list[Box]:
    """What a matrix has rows for: the subnets, or if these are too many, the finest clusters that
    are not."""
    found = [box]
    while True:
        finer = [part for each in found for part in (each.parts or (each,))]
        if len(finer) > _MOST_CLUSTERS or len(finer) == len(found):
            return found
        found = finer


def label_places(lines: Sequence[Between], box: Box) -> list[tuple[float, float] | None]:
    """Where each line's figures are written, so that none covers a box or another: else None."""
    taken = [(part.left, part.top, part.width, part.height) for part in box.parts]
    places: list[tuple[float, float] | None] = []
    for line in lines:
        width, height = _LETTER * len(line.text) + 0.3, _LINE
        (x, y), (to_x, to_y) = line.one.centre, line.two.centre
        found = None
        for share in (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74):
            at = (x + share * (to_x - x), y + share * (to_y - y))
            area = (at[0] - width / 2, at[1] - height / 2, width, height)
            if not any(_overlap(area, other) for other in taken):
                taken.append(area)
                found = at
                break
        places.append(found)
    return places


def _overlap(
    one: tuple[float, float, float, float], two: tuple[float, float, float, float]
) -> bool:
    return (
        one[0] < two[0] + two[2]
        and two[0] < one[0] + one[2]
        and one[1] < two[1] + two[3]
        and two[1] < one[1] + one[3]
    )


def _box(profile: Profile, group: Group, places: dict[int, int]) -> Box:
    lines = _lines(profile, group)
    head = len(lines) * _LINE + 0.6 * _MARGIN
    least = max(_LETTER * len(line) for line in lines)
    if not group.parts:
        hosts = sorted(group.hosts, key=lambda host: places[host])
        columns = max(math.ceil(math.sqrt(1.5 * len(hosts))), math.floor(least))
        columns = min(columns, max(len(hosts), 1))
        rows = math.ceil(len(hosts) / columns)
        width = max(least, columns) + 2 * _MARGIN
        left = (width - columns) / 2
        cells = tuple(
            (host, left + place % columns, head + place // columns)
            for place, host in enumerate(hosts)
        )
        return Box(group, lines, 0, 0, width, head + rows + _MARGIN, (), cells)
    ordered = sorted(group.parts, key=lambda part: min(places[host] for host in part.hosts))
    parts = [_box(profile, part, places) for part in ordered]
    parts = _around(parts) if len(parts) <= CLEAR else _in_rows(parts)
    wide = max(part.left + part.width for part in parts) + 2 * _MARGIN
    width = max(wide, least + 2 * _MARGIN)
    deep = max(part.top + part.height for part in parts)
    moved = tuple(part.moved(_MARGIN + (width - wide) / 2, head) for part in parts)
    return Box(group, lines, 0, 0, width, head + deep + _MARGIN, moved, ())


def _lines(profile: Profile, group: Group) -> tuple[str, ...]:
    """What is written into a box: its name, the figures inside, the medium."""
    count = len(group.hosts)
    hosts = f"{count:,} host{'s' if count > 1 else ''}"
    if group.parts:
        firsts = [part.hosts[0] for part in group.parts]
        link = structure.link(profile, structure.inside(firsts))
        return (
            f"{hosts} in {len(list(group.subnets))} subnets",
            *([f"between these {figures(link)}"] if link and len(group.parts) > CLEAR else []),
        )
    link = structure.link(profile, structure.inside(group.hosts))
    shared = structure.describe_shared(profile, group.hosts)
    return (
        f"subnet {group.number}, {hosts}",
        *([figures(link)] if link else []),
        *([shared] if shared else []),
    )


def _around(parts: list[Box]) -> list[Box]:
    """In a ring, in whose middle the lines between them are seen; the first at the left or at the
    top, whichever comes nearer to the shape aimed at."""
    tried = [_ring(parts, first) for first in (math.pi, -math.pi / 2)]
    return min(tried, key=lambda placed: abs(math.log(_shape(placed) / _SHAPE)))


def _ring(parts: list[Box], first: float) -> list[Box]:
    angles = [first + math.tau * place / len(parts) for place in range(len(parts))]
    # With few parts the figures stand between two that are side by side.
    beside = 4.5 if len(parts) <= 4 else 1.5
    radius = 0.0
    while True:
        placed = [
            part.moved(
                1.2 * radius * math.cos(angle) - part.width / 2,
                radius * math.sin(angle) - part.height / 2,
            )
            for part, angle in zipped(parts, angles)
        ]
        areas = [
            (box.left - beside, box.top - _LINE, box.width + 2 * beside, box.height + 2 * _LINE)
            for box in placed
        ]
        if not any(_overlap(one, two) for one, two in itertools.combinations(areas, 2)):
            break
        radius = 1.08 * radius + 0.5
    left, top = min(box.left for box in placed), min(box.top for box in placed)
    return [box.moved(-left, -top) for box in placed]


def _shape(placed: list[Box]) -> float:
    """Width over height, for parts that begin at (0, 0)."""
    wide = max(box.left + box.width for box in placed)
    return wide / max(box.top + box.height for box in placed)


def _in_rows(parts: list[Box]) -> list[Box]:
    """Row after row, in the number of rows that comes nearest to the shape aimed at."""
    tried = []
    whole = sum(part.width + 1 for part in parts)
    for rows in range(1, len(parts) + 1):
        placed: list[Box] = []
        x = y = deep = 0.0
        limit = max(whole / rows, max(part.width + 1 for part in parts))
        for part in parts:
            if x > 0 and x + part.width > limit:
                x, y, deep = 0.0, y + deep + 1, 0.0
            placed.append(part.moved(x, y))
            x, deep = x + part.width + 1, max(deep, part.height)
        tried.append(placed)
        if _shape(placed) < _SHAPE:
            break
    return min(tried, key=lambda placed: abs(math.log(_shape(placed) / _SHAPE)))
