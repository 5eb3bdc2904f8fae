# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a large network: levels as nested boxes, and times between clusters as a heat map.

Called by picture.draw for more hosts than can be told apart in a ring.
"""

import math

from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.patches import FancyBboxPatch, Rectangle

from eco import boxes, quantities
from eco.boxes import CLEAR, TEXT, Box
from eco.colours import INK, SUBNET_EDGE, SUBNET_FACE, TIMES
from eco.odd import slow_hosts
from eco.profile import Profile
from eco.zipped import zipped

_LEAST_TEXT = 2.5  # points; smaller is not written


def draw_network(axes: Axes, profile: Profile, whole: Box, norm: LogNorm) -> None:
    """All boxes, the lines between those that few others are beside, and the hosts."""
    axes.set_xlim(-0.5, whole.width + 0.5)
    axes.set_ylim(whole.height + 0.5, -0.5)
    axes.set_aspect("equal", anchor="C")
    axes.axis("off")
    figure = axes.get_figure(root=True)
    assert figure
    place = axes.get_position()
    inches = figure.get_size_inches()
    # Points that a cell takes: what is written grows with the boxes.
    cell = 72 * min(
        inches[0] * place.width / (whole.width + 1), inches[1] * place.height / (whole.height + 1)
    )
    for box in whole.all:
        _box(axes, box, cell)
        if len(box.parts) <= CLEAR:
            _lines(axes, profile, box, norm, cell)
    names = quantities.short_names(profile.hosts)
    slow = slow_hosts(profile)
    for box in whole.leaves:
        for host, x, y in box.cells:
            face = "#f6c177" if host in slow else "white"
            axes.add_patch(
                Rectangle(
                    (x + 0.07, y + 0.07),
                    0.86,
                    0.86,
                    facecolor=face,
                    edgecolor=INK,
                    lw=0.03 * cell,
                    zorder=6,
                )
            )
            size = cell * min(0.36, 0.86 / (0.62 * len(names[host])))
            if size >= _LEAST_TEXT:
                axes.text(x + 0.5, y + 0.52, names[host], size=size, color=INK,
                          ha="center", va="center", zorder=7)  # fmt: skip


def _box(axes: Axes, box: Box, cell: float) -> None:
    face, edge = ("#f3f5f7", "#d5dbe0") if box.parts else (SUBNET_FACE, SUBNET_EDGE)
    axes.add_patch(
        FancyBboxPatch(
            (box.left, box.top),
            box.width,
            box.height,
            lw=0.06 * cell,
            zorder=2,
            facecolor=face,
            edgecolor=edge,
            boxstyle="round,pad=0,rounding_size=0.4",
        )
    )
    size = 0.9 * TEXT * cell
    if size < _LEAST_TEXT:
        return
    for place, line in enumerate(box.lines):
        axes.text(box.left + box.width / 2, box.top + (place + 0.55) * 1.35 * TEXT, line,
                  size=size, weight="bold" if place == 0 else "normal", color=INK,
                  ha="center", va="center", zorder=7)  # fmt: skip


def _lines(axes: Axes, profile: Profile, box: Box, norm: LogNorm, cell: float) -> None:
    """Above the box that they are in, below its parts."""
    lines = boxes.between(profile, box)
    for line, at in zipped(lines, boxes.label_places(lines, box)):
        (x, y), (to_x, to_y) = line.one.centre, line.two.centre
        axes.plot([x, to_x], [y, to_y], color=TIMES(norm(line.time)), lw=0.22 * cell, zorder=2)
        if at and TEXT * cell >= _LEAST_TEXT:
            axes.text(*at, line.text, size=0.85 * TEXT * cell, color=INK, ha="center", va="center",
                      zorder=5, bbox={"facecolor": "#f3f5f7", "lw": 0, "pad": 0.4})  # fmt: skip


def draw_matrix(axes: Axes, profile: Profile, whole: Box, norm: LogNorm) -> None:
    """A cell for each two clusters, in the order of the boxes; inside on the diagonal."""
    groups = boxes.clusters(whole)
    pairs = boxes.pairs(profile, groups)
    times = [[found.time if found else math.nan for found in row] for row in pairs]
    cells = TIMES.with_extremes(bad="#eef1f3")
    axes.imshow(times, cmap=cells, norm=norm, aspect="equal", interpolation="nearest")
    names = [_name(box) for box in groups]
    label = max(3.0, min(9.0, 240 / len(groups)))
    axes.set_xticks(range(len(groups)), names, size=label, rotation=90)
    axes.set_yticks(range(len(groups)), names, size=label)
    axes.tick_params(length=0, labelcolor=INK)
    for side in axes.spines.values():
        side.set_visible(False)


def _name(box: Box) -> str:
    if not box.parts:
        return str(box.group.number)
    first, *_, last = box.leaves
    return f"{first.group.number}–{last.group.number}"
