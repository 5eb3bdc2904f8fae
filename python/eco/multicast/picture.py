# SPDX-License-Identifier: BSD-3-Clause
"""The picture of multicast schedules: one line per rank, one panel per schedule."""

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from eco import quantities
from eco.colours import INK, PALE, RECEIVE, SEND, WAITED
from eco.multicast import Bound, Pattern, Schedule
from eco.picture import save


def draw(pattern: Pattern, schedules: list[tuple[str, Schedule]], bound: Bound, path: Path) -> None:
    """Draw the schedules, each under its title, into a file."""
    height = max(1.1, min(3.0, 0.06 * pattern.ranks + 0.8))
    whole = 1.3 + (height + 0.45) * len(schedules)
    figure = Figure(figsize=(11, whole))
    last = max([schedule.completion for _, schedule in schedules] + [bound.least]) or 1e-6
    scale, unit = (1e3, "ms") if last >= 1e-3 else (1e6, "µs")
    for number, (title, schedule) in enumerate(schedules):
        bottom = whole - 0.9 - (number + 1) * height - number * 0.45
        axes = figure.add_axes((0.06, bottom / whole, 0.92, height / whole))
        _panel(axes, pattern, schedule, scale)
        axes.set_xlim(0, last * scale * 1.01)
        axes.axvline(bound.least * scale, color=INK, linewidth=1, linestyle=":")
        end = quantities.seconds(schedule.completion)
        ratio = f", {schedule.completion / bound.least:.2f} × bound" if bound.least else ""
        axes.set_title(f"{title}: {end}{ratio}", fontsize=10, color=INK, loc="left")
        if number == len(schedules) - 1:
            axes.set_xlabel(unit, color=PALE)
    figure.legend(
        handles=[
            Patch(color=SEND, label="send"),
            Patch(color=RECEIVE, label="receive"),
            Patch(color=WAITED, label="wait"),
        ],
        loc="upper right",
        ncols=3,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
    )
    figure.text(0.06, 1 - 0.4 / whole, f"{pattern.ranks} ranks, {pattern.deliveries:,} deliveries",
                size=13, weight="bold", color=INK)  # fmt: skip
    save(figure, path)


def _panel(axes: Axes, pattern: Pattern, schedule: Schedule, scale: float) -> None:
    overheads = json.loads(pattern.to_json())["receive"]
    sizes = [message.bytes for message in pattern.messages]
    for rank, tasks in enumerate(schedule.tasks):
        fixed, per_byte = overheads[rank]
        bars: dict[str, list[tuple[float, float]]] = {WAITED: [], RECEIVE: [], SEND: []}
        for task in tasks:
            length = task.end - task.start
            busy = length if task.sends else fixed + per_byte * sizes[task.message]
            bars[WAITED].append((task.start * scale, max(0.0, length - busy) * scale))
            bars[SEND if task.sends else RECEIVE].append(((task.end - busy) * scale, busy * scale))
        for colour, spans in bars.items():
            axes.broken_barh(spans, (rank - 0.45, 0.9), facecolors=colour)
    axes.set_ylim(len(schedule.tasks) - 0.5, -0.5)
    axes.tick_params(labelsize=8, colors=PALE, length=0)
    axes.set_ylabel("rank", color=PALE, fontsize=8)
    for side in axes.spines.values():
        side.set_visible(False)
