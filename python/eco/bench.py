"""`eco bench`: native and ECO side by side, operation by operation."""

import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from eco import comparison, options, probe, quantities, store
from eco import launcher as launchers
from eco import profile as profiles
from eco.comparison import AGAIN, ECO, NATIVE, Comparison
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode
from eco.modelled import Modelled
from eco.progress import progress
from eco.show import Plot, plain_console

Topology = Annotated[
    Path | None,
    typer.Option(
        "--topology",
        "--profile",
        metavar="FILE",
        readable=False,
        help="The measured network; else ECO_PROFILE, or the one measured last.",
    ),
]
Patterns = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="native, native-again (its noise), eco, k2, k3, star, chain, binomial, ring, "
        "butterfly, or a choice in full as tree:top=star,inner=k2.",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        help="Of the ranks over the hosts: launched (as LAUNCHER places them), near, or "
        "scattered:SEED.",
        metavar="ORDER",
    ),
]
_MOST_WIDE = 4  # patterns whose spread is shown beside the median


def command(
    words: options.Words = None,
    topology: Topology = None,
    operations: options.BenchOperations = None,
    sizes: options.BenchSizes = None,
    patterns: Patterns = "native,eco,native-again",
    repeats: Annotated[
        int | None, typer.Option(help="Of each, all roots in turn; as many as 20 s allow.")
    ] = None,
    order: Order = None,
    as_json: options.Json = False,
    plot: Plot = None,
    mpi: options.Mpi = None,
) -> None:
    """Compare native and ECO side by side.

    All patterns interleaved in one run, all roots in turn, the slowest rank's
    time: medians, their spread, how many times faster than native, and how
    many times the bound, which no schedule can beat on this network.

    eco bench --sizes 16,16000 -- mpirun -n 8 --hostfile hosts
    """
    launcher = launchers.understand(words, mpi)
    settings = [
        *options.operations(operations),
        *options.sizes(sizes),
        "--patterns",
        _patterns(patterns),
        *options.count("repeats", repeats),
        *_order(order),
    ]
    profile, checked = profiles.read_both(topology or _usual_profile())
    text = profiles.to_json(profile)
    model = Modelled(checked)
    if plot is not None:
        store.check_picture(plot)
    found: list[Comparison] = []
    with progress("comparing", quiet=as_json) as (show, say):

        def hear(event: dict[str, Any]) -> None:
            if event.get("event") == "progress":
                show(event)
            elif event.get("event") == "result":
                found.append(model.beside(comparison.read(event)))

        probe.run(launcher, "bench", ["--profile", "-", *settings], hear, text, say)
    if not found:
        raise EcoError("the probe ended without a result", ExitCode.LAUNCH)
    if as_json:
        print(json.dumps(comparison.document(found, ["eco", *sys.argv[1:]])), flush=True)
    else:
        plain_console().print(table(found))
        if model.assumed and any(one.bound for one in found):
            print("No model was measured: bounds take every medium to be a switch.")
    if plot is not None:
        from eco import bench_picture  # Matplotlib takes a second to import

        bench_picture.draw(found, plot)
        if not as_json:
            print(f"wrote {plot}")


def _usual_profile() -> Path:
    """As `eco exec` has it: ECO_PROFILE, or what was measured last."""
    named = os.environ.get("ECO_PROFILE")
    found = Path(named) if named else store.newest()
    if found is None:
        raise EcoError(
            "no network has been measured yet: run `eco measure` first, or name a profile with "
            "--topology",
            ExitCode.BAD_INPUT,
        )
    return found


def _patterns(text: str) -> str:
    """A choice in full has commas of its own: `tree:top=star,inner=k2` is one pattern."""
    words: list[str] = []
    for word in text.split(","):
        word = word.strip()
        if words and "=" in word and ":" not in word:
            words[-1] += f",{word}"
        else:
            words.append(word)
    for word in words:
        if word in (ECO, AGAIN):
            continue
        try:
            with errors():
                engine().check_choice(word)
        except EcoError as error:
            raise EcoError(f"--patterns: {error.message}", ExitCode.USAGE) from None
    return ",".join(words)


def _order(text: str | None) -> list[str]:
    if text is None:
        return []
    if not re.fullmatch(r"launched|near|scattered:\d{1,9}", text):
        raise EcoError(
            f"--order {text!r}: takes launched, near or scattered:SEED (as scattered:1)",
            ExitCode.USAGE,
        )
    return ["--order", text]


def table(found: list[Comparison]) -> Table:
    """One row per operation and size, geometric means below."""
    names = comparison.patterns(found)
    reference = found[0].reference.pattern
    first = found[0]
    layout = {"near": "subnet by subnet"}.get(first.layout, first.layout)
    grid = Table(
        title=f"{first.ranks} ranks, {layout}: median (spread), and how many times faster than "
        f"{reference}",
        title_style="bold",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_footer=True,
    )
    grid.add_column("operation", footer="geometric mean")
    grid.add_column("size", justify="right")
    grid.add_column(reference, justify="right")
    bounded = any(one.bound for one in found)
    if bounded:
        grid.add_column("× bound", justify="right")
    others = [name for name in names if name != reference]
    for name in others:
        mean = comparison.mean_ratio(found, name)
        footer = f"{mean:.2f}×" if mean else ""
        heading = "again" if name == AGAIN else name
        grid.add_column(heading, justify="right", footer=footer, header_style="cyan")
        if bounded and name != AGAIN:
            grid.add_column("× bound", justify="right")
    foreseen = bounded and len(names) <= _MOST_WIDE and ECO in names
    if foreseen:
        grid.add_column("predicted", justify="right", style="dim")
    shows_choice = ECO in names and any(
        each.choice != ECO for one in found if (each := one.timing(ECO))
    )
    if shows_choice:
        grid.add_column("eco used", style="dim")
    for one in found:
        cells = [_time(one, reference, len(names))]
        cells += _over_bound(one, reference) if bounded else []
        for name in others:
            cells.append(_cell(one, name, len(names)))
            cells += _over_bound(one, name) if bounded and name != AGAIN else []
        cells += [_foreseen(one)] if foreseen else []
        used = one.timing(ECO)
        choice = [Text(quantities.choice(used.choice) if used else "")] if shows_choice else []
        # Barriers carry nothing.
        size = quantities.size(one.bytes) if one.operation != "barrier" else ""
        grid.add_row(one.operation, size, *cells, *choice)
    return grid


def _time(one: Comparison, pattern: str, patterns: int) -> Text:
    found = one.timing(pattern)
    if found is None:
        return Text("")
    text = Text(quantities.seconds(found.median))
    if patterns <= _MOST_WIDE:
        text.append(f" ±{found.spread:.0%}", "dim")
    return text


def _over_bound(one: Comparison, pattern: str) -> list[Text]:
    ratio = one.times_bound(pattern)
    return [Text(f"{ratio:.2f}" if ratio else "")]


def _foreseen(one: Comparison) -> Text:
    used = one.timing(ECO)
    return Text(quantities.seconds(used.predicted) if used and used.predicted else "")


def _cell(one: Comparison, pattern: str, patterns: int) -> Text:
    ratio = one.ratio(pattern)
    if ratio is None:
        return Text("")
    if pattern == AGAIN:
        return Text(f"{ratio:.2f}×", "dim")
    style = "dim"
    if one.timing(NATIVE):
        gain = math.log(ratio)
        style = "green" if gain > one.noise else "red" if gain < -one.noise else ""
    return Text.assemble(_time(one, pattern, patterns), (f" {ratio:.2f}×", style))
