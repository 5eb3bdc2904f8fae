# SPDX-License-Identifier: BSD-3-Clause
"""A report's picture: per operation what it took, and what it would have taken otherwise."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from eco.colours import ECO, INK, NATIVE, PALE, WAITED
from eco.errors import EcoError, ExitCode
from eco.picture import save


def draw(report: Any, path: Path) -> None:
    """Bars for ECO, native and the time waited, the heaviest operation first."""
    sums: dict[str, list[float]] = {}
    for row in report.rows:
        if row.blocks:
            total = sums.setdefault(row.operation, [0.0, 0.0, 0.0])
            # Without an estimate no difference is drawn.
            estimate = row.estimate if row.known else row.time
            for place, value in enumerate((row.time, estimate, row.waited)):
                total[place] += value
    if not sums:
        raise EcoError("the report has no timed collective to draw", ExitCode.BAD_INPUT)
    names = sorted(sums, key=lambda name: sums[name][0])
    figure = Figure(figsize=(7, 1.2 + 0.55 * len(names)), layout="constrained")
    axes = figure.subplots()
    ran, other = ("ECO", "native") if report.with_eco else ("native", "ECO")
    kinds = (
        (f"{ran}, timed", ECO if report.with_eco else NATIVE, 0),
        (f"{other}, estimate", NATIVE if report.with_eco else ECO, 1),
        ("waiting for late ranks", WAITED, 2),
    )
    for number, (label, colour, place) in enumerate(kinds):
        heights = [at + 0.27 * (1 - number) for at in range(len(names))]
        axes.barh(
            heights, [sums[name][place] for name in names], height=0.25, color=colour, label=label
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("seconds", color=INK)
    axes.grid(axis="x", color=PALE)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right", fontsize=8)
    save(figure, path)
