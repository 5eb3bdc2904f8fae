# SPDX-License-Identifier: BSD-3-Clause
"""`eco learn`: lists or removes what programs learned while they ran."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Optional

import typer
from rich.console import Console

from eco import learned, quantities, store
from eco import profile as profiles
from eco.errors import EcoError, ExitCode
from eco.learned import LearnedClass
from eco.options import Json
from eco.streams import printable

File = Annotated[
    Optional[Path],
    typer.Argument(
        metavar="[FILE]",
        readable=False,
        help="The network's profile (default: the newest in your own folder).",
    ),
]


def command(
    file: File = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Remove everything that was learned for this network.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List or remove what programs learned while they ran.

    If the profile is not certain which choice is fastest, an MPI program times
    some of its own calls and stores the result beside the profile. The
    environment variable ECO_LEARN (on, all, settled, off) controls this.

    eco learn cluster.json
    """
    profile = file or store.newest()
    if profile is None:
        raise EcoError(
            f"no profile in {store.folder()}; name one, or write one with 'eco measure'",
            ExitCode.USAGE,
        )
    path = learned.path_of(profile)
    shown = printable(path)
    if forget:
        removed = path.exists()
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise EcoError(
                f"{shown} cannot be removed: {error.strerror}", ExitCode.ENVIRONMENT
            ) from None
        if as_json:
            print(json.dumps({"file": shown, "removed": removed}))
        else:
            print(f"removed {shown}" if removed else f"nothing was learned yet: no file {shown}")
        return
    classes = learned.read(path, profiles.read(profile).created)
    if as_json:
        print(json.dumps({"file": shown, "classes": documents(classes)}))
        return
    if not classes:
        print(f"nothing was learned yet of {printable(profile)}")
        return
    print_classes(classes, Console(highlight=False, width=80))


def documents(classes: list[LearnedClass]) -> list[dict[str, object]]:
    """As JSON has them."""
    return [dataclasses.asdict(each) for each in classes]


def print_classes(classes: list[LearnedClass], console: Console) -> None:
    """Each class: the choice that runs, and how many times faster than native it was."""
    for mpi in sorted({each.mpi for each in classes}):
        console.print(f"learned while programs ran with {mpi}", style="bold", markup=False)
        for each in sorted(classes, key=lambda one: (one.operation, one.bytes)):
            if each.mpi == mpi:
                console.print(_lines(each, console.width), markup=False)


def _lines(each: LearnedClass, width: int) -> str:
    """What ran and how often; below it the choice, if it is too long for the same line."""
    size = "any size" if each.bytes < 0 else quantities.size(each.bytes)
    native, best = each.arm("native"), each.arm(each.best)
    gain = ""
    if native and best and each.best != "native" and best.mean > 0:
        gain = f"  {native.mean / best.mean:.2f}×"
    runs = sum(arm.runs for arm in each.arms)
    where = "" if each.layout == "near" else ", scattered"
    where += f", {each.program}" if each.program else ""
    where += f", graph {each.graph[:4]}" if each.graph else ""
    where += f", hosts {each.structure}" if each.structure else ""
    head = f"  {each.operation:<20} {size:>8}  {each.ranks} ranks{where}{gain}"
    line = f"{head} {each.best}  ({runs} calls)"
    if len(line) <= width:
        return line
    choice = quantities.in_lines(each.best, width - 6).replace("\n", "\n    ")
    return f"{head}  ({runs} calls)\n    {choice}"
