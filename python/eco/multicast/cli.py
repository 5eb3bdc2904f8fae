# SPDX-License-Identifier: BSD-3-Clause
"""`eco multicast`: schedules a pattern of multicasts and says how near the bound it comes."""

import contextlib
import json
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from eco import multicast, quantities, store
from eco.errors import EcoError, ExitCode
from eco.multicast import Bound, Pattern, Schedule
from eco.options import Json
from eco.show import plain_console

_MOST = 2**31 - 1  # of a whole number
_MOST_RANKS = 1024  # drawn
_DRAWING = ("sources", "reach", "lengths", "rate", "classes", "spacing", "apart", "seed")


@dataclass(frozen=True)
class Planned:
    """One planner's schedule, and how long planning took."""

    name: str
    title: str
    schedule: Schedule
    took: float


def command(
    context: typer.Context,
    file: Annotated[
        Optional[Path],
        typer.Argument(
            metavar="[FILE]", readable=False, help="A multicast problem, as in docs/formats.md."
        ),
    ] = None,
    random: Annotated[
        Optional[int],
        typer.Option("--random", metavar="N", help="Draw a random problem of N ranks instead."),
    ] = None,
    heuristic: Annotated[
        str, typer.Option(metavar="LIST", help="fef, ecf, wr, wrp, best, or all.")
    ] = "all",
    sources: Annotated[
        Optional[int], typer.Option(help="How many ranks send (default: all).")
    ] = None,
    reach: Annotated[
        str, typer.Option(help="Destinations of each message: all, half or any of the others.")
    ] = "all",
    lengths: Annotated[str, typer.Option(help="Message sizes: small, large or mixed.")] = "large",
    rate: Annotated[float, typer.Option(help="Rate of every link in bits per second.")] = 155e6,
    classes: Annotated[int, typer.Option(help="Number of classes of ranks, fast to slow.")] = 4,
    spacing: Annotated[
        str, typer.Option(help="Steps between classes: even, geometric, or free (no classes).")
    ] = "even",
    apart: Annotated[
        bool, typer.Option("--apart", help="A rank has separate classes for sending and receiving.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    save: Annotated[
        Optional[Path],
        typer.Option("--save", metavar="FILE", help="Write the problem to this file."),
    ] = None,
    as_json: Json = False,
    plot: Annotated[
        Optional[Path],
        typer.Option(
            "--plot", metavar="FILE", help="Also draw the schedules: FILE.svg, .png or .pdf."
        ),
    ] = None,
) -> None:
    """Schedule several multicasts at once, each with its own destinations.

    The model is that of Wu, Yeh and Liu: sends do not block, receives do, and
    every rank has its own overheads. The output is the completion time of each
    heuristic's schedule, and the lower bound.
    """
    if (file is None) == (random is None):
        raise EcoError(
            "name a problem file, or draw one with --random N"
            + ("; not both" if file is not None else ""),
            ExitCode.USAGE,
        )
    _check_drawing(context, random is not None)
    if save is not None:
        store.check_writable(save)
    if plot is not None:
        store.check_picture(plot)
    if file is not None:
        pattern = multicast.read(file)
    else:
        pattern = multicast.draw(
            random or 0,
            sources,
            reach=reach,
            lengths=lengths,
            rate=rate,
            classes=classes,
            spacing=spacing,
            apart=apart,
            seed=seed,
        )
    found = [_plan(pattern, name) for name in _names(heuristic)]
    bound = multicast.bound(pattern)
    if save is not None:
        store.write(save, (pattern.to_json() + "\n").encode())
    if plot is not None:
        from eco.multicast import picture  # Matplotlib takes a second to import

        picture.draw(pattern, [(one.title, one.schedule) for one in found], bound, plot)
    if as_json:
        print(json.dumps(_summary(pattern, found, bound)))
        return
    console = plain_console()
    _print(pattern, found, bound, console)
    for path in (save, plot):
        if path is not None:
            console.print(f"wrote {path}", markup=False)


def _check_drawing(context: typer.Context, draws: bool) -> None:
    """Options that say how to draw are refused if nothing is drawn; numbers must fit."""
    for name in _DRAWING:
        given = context.get_parameter_source(name)
        if not draws and given is not None and given.name != "DEFAULT":
            raise EcoError(f"--{name} is only for --random", ExitCode.USAGE)
    ranks = context.params["random"]
    if ranks is not None and not 2 <= ranks <= _MOST_RANKS:
        raise EcoError(f"--random {ranks}: must be 2 to {_MOST_RANKS} ranks", ExitCode.USAGE)
    for name in ("sources", "classes", "seed"):
        value = context.params[name]
        if value is not None and not 0 <= value <= _MOST:
            raise EcoError(f"--{name} {value}: must be a number from 0 to {_MOST}", ExitCode.USAGE)


def _names(heuristic: str) -> list[str]:
    known = multicast.planners()
    names = list(known) if heuristic == "all" else [word.strip() for word in heuristic.split(",")]
    for name in names:
        if name not in known:
            raise EcoError(
                f"--heuristic: {name!r} is unknown; choose from {', '.join(known)}, or all",
                ExitCode.USAGE,
            )
    return list(dict.fromkeys(names))


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the process at once: inside the engine Python would not see it."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _plan(pattern: Pattern, name: str) -> Planned:
    started = time.perf_counter()
    with _interruptible():
        schedule = multicast.plan(pattern, name)
    took = time.perf_counter() - started
    return Planned(name, multicast.planners()[name], schedule, took)


def _summary(pattern: Pattern, found: list[Planned], bound: Bound) -> dict[str, Any]:
    return {
        "pattern": json.loads(pattern.to_json()),
        "bound": asdict(bound),
        "schedules": {
            one.name: {"planning": one.took, **json.loads(one.schedule.to_json())} for one in found
        },
    }


def _print(pattern: Pattern, found: list[Planned], bound: Bound, console: Console) -> None:
    sizes = [message.bytes for message in pattern.messages] or [0]
    spans = " to ".join(quantities.size(size) for size in sorted({min(sizes), max(sizes)}))
    sources = len({message.source for message in pattern.messages})
    console.print(
        f"{_count(pattern.ranks, 'rank')}, {sources:,} of them "
        f"{'a source' if sources == 1 else 'sources'}, "
        f"{_count(pattern.deliveries, 'delivery', 'deliveries')} of {spans}"
    )
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    for heading in ("done after", "× bound", "× paper's bound", "planned in"):
        table.add_column(heading, justify="right")
    for one in found:
        end = one.schedule.completion
        table.add_row(
            f"{one.title} ({one.name})",
            quantities.seconds(end),
            f"{end / bound.least:.3f}" if bound.least else "",
            f"{end / bound.paper:.3f}" if bound.paper else "",
            quantities.seconds(one.took),
        )
    table.add_row("bound", quantities.seconds(bound.least), "", "", "", style="dim")
    table.add_row("paper's bound", quantities.seconds(bound.paper), "", "", "", style="dim")
    console.print(table)


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
