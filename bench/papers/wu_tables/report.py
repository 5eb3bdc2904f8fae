# SPDX-License-Identifier: BSD-3-Clause
"""Tables and pictures of the results, beside what the paper claims."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from eco.picture import INK, PALE, save
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eco import quantities
from wu_tables.experiments import LENGTHS, PLANNERS, RATES, READINGS

_COLOURS = {
    "fef": "#c3aee8",
    "ecf": "#a9b7c6",
    "wr": "#8fc1e3",
    "wrp": "#4a90c2",
    "best": "#ef8a3c",
    "bound": "#22303c",
}
Results = list[dict[str, Any]]


def text(results: Results, draws: int, seed: int) -> str:
    lines = [f"{draws:,} draws, seed {seed}"]
    for reading in dict.fromkeys(one["case"]["reading"] for one in results):
        mine = [one for one in results if one["case"]["reading"] == reading]
        lines += ["", f"reading '{reading}': {READINGS[reading][0]}"]
        for experiment in dict.fromkeys(one["case"]["experiment"] for one in mine):
            found = [one for one in mine if one["case"]["experiment"] == experiment]
            table = _similar if experiment == "similar" else _times
            lines += ["", *table(experiment, found)]
        lines += ["", *_claims([one for one in mine if "planners" in one])]
    return "\n".join(lines).rstrip()


def _times(experiment: str, found: Results) -> list[str]:
    heads = ["ranks", "sources", *PLANNERS, "bound", "paper's", "wr/ecf", "wrp/ecf", "best/ecf"]
    heads += ["wrp×", "best×", "wrp×p", "best×p", "best/wrp time"]
    rows = [["messages", "Mbit/s", *heads]]
    for one in found:
        case, planners = one["case"], one["planners"]
        row = [case["lengths"], f"{case['rate'] / 1e6:g}", case["ranks"]]
        row += [1 if experiment == "broadcast" else case["sources"]]
        row += [quantities.seconds(planners[name]["completion"]) for name in PLANNERS]
        row += [quantities.seconds(one["bound"]), quantities.seconds(one["paper"])]
        row += [f"{_gain(one, name):+.0%}" for name in ("wr", "wrp", "best")]
        row += [f"{planners[name]['over bound']:.2f}" for name in ("wrp", "best")]
        row += [f"{planners[name]['over paper']:.2f}" for name in ("wrp", "best")]
        row += [f"{planners['best']['took'] / planners['wrp']['took']:.1f}"]
        rows.append([str(cell) for cell in row])
    title = {
        "broadcast": "single broadcast, every root in turn (§5.1)",
        "all-to-all": "all-to-all broadcast",
        "multiple": "multiple multicast (§5.2, Figs. 3 and 4)",
    }[experiment]
    planning = _planning(found) if experiment == "all-to-all" else []
    note = "  ×: times the bound, ×p: times the paper's; +20% over ecf: ecf takes 1.2 times as long"
    return [f"{title}; mean completion times", note, *_columns(rows), *planning]


def _planning(found: Results) -> list[str]:
    """Of the case in which it takes longest."""
    lines = []
    for name in PLANNERS:
        slowest = max((one["planners"][name] for one in found), key=lambda one: float(one["took"]))
        longest = max(float(one["planners"][name]["took, longest"]) for one in found)
        lines.append(
            f"  {name} plans in {quantities.seconds(slowest['took'])} on the mean, "
            f"{quantities.seconds(longest)} at most; asked: 200 ms"
        )
    return lines


def _similar(_: str, found: Results) -> list[str]:
    rows = [["messages", "Mbit/s", "sources", "change", "completion", "worst", "planning"]]
    for one in found:
        case = one["case"]
        for change, figures in one["changes"].items():
            rows.append(
                [
                    case["lengths"],
                    f"{case['rate'] / 1e6:g}",
                    str(case["sources"]),
                    change,
                    f"{figures['completion']:.3f}",
                    f"{figures['worst']:.3f}",
                    f"{figures['took'] / figures['anew']:.3f}",
                ]
            )
    return [
        "from the schedule of a similar pattern, relative to planning anew",
        *_columns(rows),
        *_similar_means(found),
    ]


def _similar_means(found: Results) -> list[str]:
    lines = []
    for sources in dict.fromkeys(one["case"]["sources"] for one in found):
        mine = [
            change
            for one in found
            if one["case"]["sources"] == sources
            for change in one["changes"].values()
        ]
        completion = sum(change["completion"] for change in mine) / len(mine)
        planning = sum(change["took"] for change in mine) / sum(change["anew"] for change in mine)
        lines.append(
            f"  {sources} sources: {completion:.3f} times as long on the mean, planned in "
            f"{planning:.3f} of the time; asked: 1.05 and 0.1"
        )
    return lines


def _claims(found: Results) -> list[str]:
    """What the paper says beside what came out."""
    several = [one for one in found if one["case"]["experiment"] != "broadcast"]
    lines = []
    if several:
        for name, said in (("wr", "20 %"), ("wrp", "160 %")):
            top = max(several, key=lambda one: _gain(one, name))
            lines.append(
                f"{name} over ecf: up to {_gain(top, name):+.0%} ({_name(top)}), "
                f"least {min(_gain(one, name) for one in several):+.0%}; paper: up to {said}"
            )
        top = max(several, key=lambda one: float(one["planners"]["wrp"]["over paper"]))
        worst = max(float(one["planners"]["wrp"]["over paper, worst"]) for one in several)
        lines.append(
            f"wrp: at most {top['planners']['wrp']['over paper']:.2f} × the paper's bound on the "
            f"mean ({_name(top)}), {worst:.2f} at worst; paper: within 2.5"
        )
    if found:
        top = max(found, key=lambda one: float(one["planners"]["best"]["over bound"]))
        lines.append(
            f"best: at most {top['planners']['best']['over bound']:.2f} × the bound on the mean "
            f"({_name(top)})"
        )
        times = max(
            found,
            key=lambda one: one["planners"]["best"]["took"] / one["planners"]["wrp"]["took"],
        )["planners"]
        lines.append(
            f"best: at most {times['best']['took'] / times['wrp']['took']:.1f} × wrp's planning"
        )
        mean = sum(float(one["planners"]["best"]["over bound"]) for one in found) / len(found)
        lines.append(f"best: {mean:.2f} × the bound on the mean of all cases; asked: 1.4")
        above = max(float(one["paper above bound"]) for one in found)
        lines.append(f"the paper's bound lies above the valid one in up to {above:.0%} of a case")
    return lines


def _gain(one: dict[str, Any], name: str) -> float:
    planners = one["planners"]
    return float(planners["ecf"]["completion"] / planners[name]["completion"]) - 1


def _name(one: dict[str, Any]) -> str:
    case = one["case"]
    sources = 1 if case["experiment"] == "broadcast" else case["sources"]
    return (
        f"{case['experiment']}, {case['lengths']}, {case['rate'] / 1e6:g} Mbit/s, "
        f"{case['ranks']} ranks, {sources} sources"
    )


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    wide = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, wide, strict=True))
        for row in rows
    ]


def draw(results: Results, path: Path) -> None:
    """Bars as in Figs. 3 and 4, one panel per rate and experiment; broadcasts as lines over N."""
    found = [one for one in results if "planners" in one]
    keys = list(
        dict.fromkeys(
            (
                one["case"]["experiment"],
                one["case"]["sources"] if one["case"]["experiment"] == "multiple" else 0,
                one["case"]["reading"],
            )
            for one in found
        )
    )
    figure = Figure(figsize=(11, 3.0 * max(1, len(keys)) + 0.6), layout="constrained")
    panels = figure.subplots(max(1, len(keys)), len(RATES), squeeze=False)
    for row, (experiment, sources, reading) in zip(panels, keys, strict=False):
        for axes, rate in zip(row, RATES, strict=True):
            mine = [
                one
                for one in found
                if (one["case"]["experiment"], one["case"]["reading"]) == (experiment, reading)
                and one["case"]["rate"] == rate
                and sources in (0, one["case"]["sources"])
            ]
            (_lines if experiment == "broadcast" else _bars)(axes, mine)
            of = f", {sources} sources" if sources else ""
            title = f"{experiment}{of}, {rate / 1e6:g} Mbit/s, '{reading}'"
            axes.set_title(title, fontsize=10, color=INK, loc="left")
            axes.tick_params(labelsize=8, colors=PALE)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
    dots = any(one["case"]["experiment"] == "broadcast" for one in found)
    panels[0][-1].legend(
        frameon=False,
        fontsize=8,
        ncols=2,
        title="dotted small, solid large, dashed mixed" if dots else None,
        title_fontsize=8,
    )
    save(figure, path)


def _values(one: dict[str, Any]) -> dict[str, float]:
    """In multiples of the bound, so that small and large messages share an axis."""
    planners = {name: float(one["planners"][name]["over bound"]) for name in PLANNERS}
    return {**planners, "bound": 1.0}


def _bars(axes: Axes, found: Results) -> None:
    bar = 0.84 / len(_COLOURS)
    lengths = [name for name in LENGTHS if any(one["case"]["lengths"] == name for one in found)]
    for number, name in enumerate(_COLOURS):
        values = {one["case"]["lengths"]: _values(one)[name] for one in found}
        places = [at + (number - len(_COLOURS) / 2 + 0.5) * bar for at in range(len(lengths))]
        heights = [values[one] for one in lengths]
        axes.bar(places, heights, bar, color=_COLOURS[name], label=name)
    axes.set_xticks(range(len(lengths)), lengths)
    axes.set_ylim(0, 3)  # FEF's leave the picture; the table has them
    axes.set_ylabel("× bound", fontsize=8, color=PALE)


def _lines(axes: Axes, found: Results) -> None:
    styles = dict(zip(LENGTHS, (":", "-", "--"), strict=True))
    for lengths in LENGTHS:
        mine = [one for one in found if one["case"]["lengths"] == lengths]
        for name, colour in _COLOURS.items():
            axes.plot(
                [one["case"]["ranks"] for one in mine],
                [_values(one)[name] for one in mine],
                styles[lengths],
                color=colour,
                label=name if lengths == "large" else None,
            )
    axes.set_xscale("log", base=2)
    axes.set_ylim(0, 3)
    axes.set_xlabel("ranks", fontsize=8, color=PALE)
