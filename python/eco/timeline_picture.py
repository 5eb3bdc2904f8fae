# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a simulated schedule: one line per rank, time from left to right."""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from eco import quantities
from eco.call_text import headline
from eco.colours import INK, PALE, RECEIVE, SEND
from eco.picture import save
from eco.prediction import Call, Prediction
from eco.zipped import zipped

_CHAIN = "#d1495b"
_MOST_ARROWS = 600
_MOST_NAMES = 64

_Span = tuple[float, float, float, float]  # start, end, bottom, top


def draw(call: Call, shown: Prediction, path: Path) -> None:
    """Draw the timeline of `shown` into a file."""
    matplotlib.rcParams.update({"font.family": "DejaVu Sans", "svg.fonttype": "none"})
    timeline = shown.timeline
    ranks = len(timeline["ranks"])
    height = min(18.0, 2.6 + 0.3 * ranks)
    figure = Figure(figsize=(12.5, height))
    axes = figure.add_axes((0.075, 0.75 / height, 0.91, 1 - 1.95 / height))
    _messages(axes, timeline)
    _occupied(axes, timeline)
    _chain(axes, timeline)
    _limits(axes, call, timeline)
    figure.text(0.075, 1 - 0.38 / height, headline(call), size=14, weight="bold", color=INK)
    figure.text(0.075, 1 - 0.68 / height, _second_line(call, shown), size=9.5, color=PALE)
    handles = [
        Patch(color=SEND, label="message leaves"),
        Patch(color=RECEIVE, label="message arrives"),
        Patch(color=INK, label="rank at work"),
        Patch(color=_CHAIN, label="critical path"),
    ]
    figure.legend(
        handles=handles, loc="upper right", bbox_to_anchor=(0.985, 1 - 0.72 / height), ncols=4,
        frameon=False, fontsize=8.5, labelcolor=INK,
    )  # fmt: skip
    save(figure, path)


def _second_line(call: Call, shown: Prediction) -> str:
    ratio = call.times_bound(shown.time)
    text = f"{shown.choice}: {quantities.seconds(shown.time)}"
    if ratio:
        text += f", {ratio:.2f} × bound of {quantities.seconds(call.bound[0])} ({call.bound[1]})"
    return text


def _spans(axes: Axes, spans: list[_Span], colour: str, alpha: float, order: int) -> None:
    corners = [
        [(start, bottom), (end, bottom), (end, top), (start, top)]
        for start, end, bottom, top in spans
    ]
    axes.add_collection(PolyCollection(corners, facecolors=colour, alpha=alpha, lw=0, zorder=order))


def _messages(axes: Axes, timeline: dict[str, Any]) -> None:
    messages = timeline["messages"]
    out, into, arrows = [], [], []
    for one in messages:
        out.append((one["start"], one["left"], one["from"] - 0.38, one["from"] - 0.04))
        into.append((one["start"], one["arrived"], one["to"] + 0.04, one["to"] + 0.38))
        arrows.append([(one["left"], one["from"] - 0.04), (one["arrived"], one["to"] + 0.04)])
    # Several at once show as a stronger colour.
    _spans(axes, out, SEND, 0.75, 2)
    _spans(axes, into, RECEIVE, 0.75, 2)
    if len(arrows) <= _MOST_ARROWS:
        axes.add_collection(LineCollection(arrows, colors=PALE, linewidths=0.5, zorder=1))


def _occupied(axes: Axes, timeline: dict[str, Any]) -> None:
    spans = [
        (*task[part], rank - 0.38, rank + 0.38)
        for rank, one in enumerate(timeline["ranks"])
        for task in one["tasks"]
        for part in ("work", "take")
        if part in task and task[part][1] > task[part][0]
    ]
    _spans(axes, spans, INK, 1.0, 3)


def _chain(axes: Axes, timeline: dict[str, Any]) -> None:
    points: list[tuple[float, float]] = []
    for step in timeline["chain"]:
        moves = step["what"] == "delay"
        points.append((step["start"], step["rank"]))
        points.append((step["end"], step["peer"] if moves else step["rank"]))
    if points:
        times, places = zipped(*points)
        axes.plot(times, places, color=_CHAIN, lw=1.6, zorder=4, solid_joinstyle="round")


def _limits(axes: Axes, call: Call, timeline: dict[str, Any]) -> None:
    names = [one["host"] for one in timeline["ranks"]]
    if len(names) > len(call.profile.hosts):
        names = [f"{rank} {name}" for rank, name in enumerate(names)]
    step = 1 + (len(names) - 1) // _MOST_NAMES
    axes.set_yticks(range(0, len(names), step), names[::step], size=8.5)
    axes.set_ylim(len(names) - 0.4, -0.6)
    end = max(timeline["time"], call.bound[0]) or 1e-6
    axes.set_xlim(0, 1.01 * end)
    axes.axvline(call.bound[0], color=PALE, lw=1, ls=(0, (4, 3)), zorder=0)
    axes.annotate(
        "bound", (call.bound[0], 1), xycoords=("data", "axes fraction"), size=8, color=PALE,
        ha="right", va="bottom", xytext=(0, 2), textcoords="offset points",
    )  # fmt: skip
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: quantities.seconds(value)))
    axes.tick_params(length=0, labelcolor=INK)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.grid(axis="x", color="#e6eaed", lw=0.8, zorder=0)
    axes.set_axisbelow(True)
