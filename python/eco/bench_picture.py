# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a comparison: times as bars, and how many times faster as lines."""

import itertools
import math
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from eco import colours, comparison, quantities
from eco.colours import INK, PALE
from eco.comparison import AGAIN, ECO, NATIVE, Comparison
from eco.picture import save

_OTHERS = ("#8fc1e3", "#9bd3a5", "#c3aee8", "#e8a0b4", "#8fd5d0", "#e3c9a0", "#b9c67f")
_ONE_ROW = 14  # groups of bars


def draw(found: list[Comparison], path: Path) -> None:
    """Draw `found` into a file."""
    names = comparison.patterns(found)
    width = max(8.0, min(24.0, 2.2 + 0.26 * len(found) * (len(names) + 1)))
    figure = Figure(figsize=(width, 7.4))
    left, span = 1.0 / width, 1 - 1.2 / width
    times = figure.add_axes((left, 0.50, span, 0.36))
    ratios = figure.add_axes((left, 0.24, span, 0.22), sharex=times)
    _bars(times, found, names)
    _ratios(ratios, found, names)
    first = found[0]
    layout = "ranks subnet by subnet" if first.layout == "near" else "ranks in any order"
    figure.text(left, 0.945, _headline(found, names), size=15, weight="bold", color=INK)
    figure.text(left, 0.91, f"{first.ranks} ranks, {layout}; medians, bars of the quartiles",
                size=9.5, color=PALE)  # fmt: skip
    handles, labels = times.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", bbox_to_anchor=(1 - 0.2 / width, 0.985),
                  ncols=min(len(names), 4), frameon=False, fontsize=9, labelcolor=INK)  # fmt: skip
    save(figure, path)


def _headline(found: list[Comparison], names: list[str]) -> str:
    reference = found[0].reference.pattern
    pattern = ECO if ECO in names and reference != ECO else names[-1]
    mean = comparison.mean_ratio(found, pattern)
    if pattern == reference or mean is None:
        return "Times"
    name = "ECO" if pattern == ECO else pattern
    return f"{name}: {mean:.2f}× {reference}'s speed"


def _colour(name: str, number: int) -> str:
    known = {NATIVE: colours.NATIVE, AGAIN: colours.AGAIN, ECO: colours.ECO}
    return known.get(name, _OTHERS[number % len(_OTHERS)])


def _bars(axes: Axes, found: list[Comparison], names: list[str]) -> None:
    bar = 0.84 / len(names)
    for number, name in enumerate(names):
        places, heights, below, above = [], [], [], []
        for group, one in enumerate(found):
            timing = one.timing(name)
            if timing is None:
                continue
            places.append(group + (number - (len(names) - 1) / 2) * bar)
            heights.append(timing.median)
            below.append(max(0.0, timing.median - timing.quarter))
            above.append(max(0.0, timing.three_quarters - timing.median))
        axes.bar(places, heights, bar * 0.94, color=_colour(name, number), label=name, zorder=2)
        axes.errorbar(places, heights, yerr=(below, above), fmt="none", ecolor=INK, lw=0.8,
                      zorder=3)  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantities.seconds(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", labelbottom=False)
    _plain(axes)


def _ratios(axes: Axes, found: list[Comparison], names: list[str]) -> None:
    reference = found[0].reference.pattern
    for number, name in enumerate(names):
        if name == reference:
            continue
        wide = 1.8 if name == ECO else 1.1
        for places in _by_operation(found):
            ratio = [found[at].ratio(name) or math.nan for at in places]
            axes.plot(places, ratio, "o-", ms=4, lw=wide, color=_colour(name, number), zorder=3)
    axes.axhline(1.0, color=INK, lw=0.9, zorder=1)
    axes.set_ylabel(f"times faster\nthan {reference}", size=9, color=INK)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
    labels = [
        one.operation + ("" if one.operation == "barrier" else f"\n{quantities.size(one.bytes)}")
        for one in found
    ]
    many = len(found) > _ONE_ROW
    if many:
        labels = [label.replace("\n", " ") for label in labels]
    axes.set_xticks(range(len(found)), labels, size=8.5, rotation=90 if many else 0)
    axes.set_xlim(-0.6, len(found) - 0.4)
    _plain(axes)


def _by_operation(found: list[Comparison]) -> list[list[int]]:
    """A line joins the sizes of one operation; between operations there is nothing to join."""
    groups = itertools.groupby(range(len(found)), key=lambda at: found[at].operation)
    return [list(places) for _, places in groups]


def _plain(axes: Axes) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color("#d5dbe0")
    axes.tick_params(which="both", length=0)
    axes.tick_params(labelcolor=INK, labelsize=8.5)
    axes.grid(axis="y", color="#e6eaed", lw=0.8, zorder=0)
    axes.set_axisbelow(True)
