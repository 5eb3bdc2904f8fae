"""`eco learn`: what programs learned of a network while they ran, and forgetting it."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from eco import learned, quantities, store
from eco import profile as profiles
from eco.errors import EcoError, ExitCode
from eco.learned import LearnedClass
from eco.options import Json

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        readable=False,
        help="The network's profile; else the one that was measured last.",
    ),
]


def command(
    file: File = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Remove all that was learned of this network.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List what programs learned of a network while they ran, or forget it.

    A program that runs with ECO times some of its calls, where the profile
    is not sure what is fastest, and keeps the result beside the profile.
    The environment variable ECO_LEARN (on, all, settled, off) says how.

    eco learn cluster.json
    """
    profile = file or store.newest()
    if profile is None:
        raise EcoError(
            f"no profile in {store.folder()}; name one, or let 'eco measure' make it",
            ExitCode.USAGE,
        )
    path = learned.path_of(profile)
    if forget:
        removed = path.exists()
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise EcoError(
                f"{path} cannot be removed: {error.strerror}", ExitCode.ENVIRONMENT
            ) from None
        if as_json:
            print(json.dumps({"file": str(path), "removed": removed}))
        else:
            print(f"removed {path}" if removed else f"nothing was learned yet: no file {path}")
        return
    classes = learned.read(path, profiles.read(profile).created)
    if as_json:
        print(json.dumps({"file": str(path), "classes": documents(classes)}))
        return
    if not classes:
        print(f"nothing was learned yet of {profile}")
        return
    print_classes(classes, Console(highlight=False, width=80))


def documents(classes: list[LearnedClass]) -> list[dict[str, object]]:
    """As JSON has them."""
    return [dataclasses.asdict(each) for each in classes]


def print_classes(classes: list[LearnedClass], console: Console) -> None:
    """A line for each class: what runs, and how many times faster than the library it was."""
    for mpi in sorted({each.mpi for each in classes}):
        console.print(f"learned while programs ran with {mpi}", style="bold", markup=False)
        for each in sorted(classes, key=lambda one: (one.operation, one.bytes)):
            if each.mpi == mpi:
                console.print(f"  {_line(each)}", markup=False, soft_wrap=True)


def _line(each: LearnedClass) -> str:
    size = "any size" if each.bytes < 0 else quantities.size(each.bytes)
    native, best = each.arm("native"), each.arm(each.best)
    found = each.best
    if native and best and each.best != "native" and best.mean > 0:
        found = f"{native.mean / best.mean:.2f}× {each.best}"
    runs = sum(arm.runs for arm in each.arms)
    where = "" if each.layout == "near" else ", scattered"
    return f"{each.operation:<20} {size:>8}  {each.ranks} ranks{where}  {found}  ({runs} calls)"
