# SPDX-License-Identifier: BSD-3-Clause
"""`eco tune`: times native and ECO per operation and size, and keeps the choices in a profile."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import typer

from eco import contact, options, store, structure, tune_algorithms
from eco import launcher as launchers
from eco import profile as profiles
from eco.errors import EcoError, ExitCode
from eco.measure import counts, outcome, received
from eco.profile import Profile, Tuned
from eco.progress import progress
from eco.streams import printable

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", readable=False, help="The profile; the choices are stored in it."
    ),
]


def command(
    file: File,
    words: options.Words = None,
    operations: options.TuneOperations = None,
    sizes: options.TuneSizes = None,
    budget: Annotated[
        Optional[float],
        typer.Option(
            "--budget",
            "--within",
            help="Seconds for everything: predict, and time what is uncertain.",
            metavar="SECONDS",
        ),
    ] = None,
    per_cell: Annotated[
        Optional[float],
        typer.Option(
            help="Without --budget: seconds for each operation and size (default: 2).",
            metavar="SECONDS",
        ),
    ] = None,
    native_algorithms: Annotated[
        bool,
        typer.Option(
            "--native-algorithms",
            help="Instead time the MPI library's own algorithms, by its settings, in separate "
            "runs, for `eco export` (default of --budget: 180, of --sizes: 16,1024,16384).",
        ),
    ] = False,
    form: Annotated[
        Literal["blocking", "nonblocking"],
        typer.Option(
            metavar="FORM",
            help="Which functions: blocking (MPI_Bcast); or nonblocking (MPI_Ibcast), whose "
            "choices persistent calls use too. Without these, such calls use the choices of the "
            "blocking calls.",
            show_default=True,
        ),
    ] = "blocking",
    as_json: options.Json = False,
    mpi: options.Mpi = None,
    interfaces: options.Interfaces = None,
) -> None:
    """Autotune: time native and ECO, and store the choices in the profile.

    `eco measure` does this within its time budget. Use `eco tune` to time every
    operation and size, or for another MPI library.

    eco tune cluster.json -- mpirun -n 8 --hostfile hosts
    """
    if per_cell is not None and (budget is not None or native_algorithms):
        other = "--budget" if budget is not None else "--native-algorithms"
        raise EcoError(f"--per-cell and {other} exclude each other", ExitCode.USAGE)
    if form != "blocking" and (budget is not None or native_algorithms):
        other = "--budget" if budget is not None else "--native-algorithms"
        raise EcoError(f"--form {form} and {other} exclude each other", ExitCode.USAGE)
    limit = options.within("budget", budget)
    before = profiles.read(file)
    store.check_writable(file)
    launcher = launchers.understand(words, mpi)
    if native_algorithms:
        if interfaces is not None:
            raise EcoError(
                "--native-algorithms and --interfaces exclude each other", ExitCode.USAGE
            )
        _time_algorithms(file, before, launcher, operations, sizes, budget, as_json)
        return
    each = options.number("per-cell", per_cell, 1e6)
    settings = [
        *options.operations(operations),
        *options.sizes(sizes),
        *(["--budget", each[1]] if each else []),
        *limit,
        *(["--form", form] if form != "blocking" else []),
    ]
    found: list[Profile] = []
    chosen: dict[str, int] = {}
    with progress("tuning", quiet=as_json) as (show, say):

        def take_event(event: dict[str, Any]) -> None:
            if event.get("event") == "progress":
                show(event)
            elif event.get("event") == "profile":
                found.append(received(event))
            elif event.get("event") == "chosen":
                chosen.update(counts(event))

        text = profiles.to_json(before)
        contact.run(
            launcher, "tune", ["--profile", "-", *settings], take_event, text, say, interfaces
        )
    if not found:
        raise EcoError("the probe ended without a profile", ExitCode.LAUNCH)
    after = replace(found[-1], native_algorithms=before.native_algorithms)
    if after.hosts != before.hosts:
        raise EcoError("the probe reported another network than it was given", ExitCode.LAUNCH)
    text = profiles.to_json(after)
    store.write_or_keep(file, after, text, is_newest=False)
    kept = store.refresh(after, text)
    changed = [entry for entry in after.tuning if entry not in before.tuning and not entry.for_any]
    if as_json:
        files = [printable(path) for path in (file, kept) if path]
        tuning = [dict(vars(entry)) | {"ratio": structure.gain(entry)} for entry in after.tuning]
        outcomes = {"files": files, "changed": len(changed), "chosen": chosen or None}
        print(json.dumps(outcomes | {"tuning": tuning}))
        return
    if chosen:
        print(outcome(chosen))
    print(f"{_outcome(changed)}; wrote {file}")


def _time_algorithms(
    file: Path,
    before: Profile,
    launcher: launchers.Launcher,
    operations: Optional[str],
    sizes: Optional[str],
    within: Optional[float],
    as_json: bool,
) -> None:
    names, lengths = options.operations(operations)[1:], options.sizes(sizes)[1:]
    budget = within or tune_algorithms.USUAL_BUDGET
    with progress("timing algorithms", quiet=as_json) as (show, say):

        def shown(done: float, what: str) -> None:
            show({"done": done, "what": what})

        timer = tune_algorithms.Timer(launcher, profiles.to_json(before), budget, shown, say)
        outcome = tune_algorithms.time_all(
            timer,
            names[0].split(",") if names else None,
            [int(size) for size in lengths[0].split(",")] if lengths else [],
            budget,
        )
    fresh = {one.call for one in outcome.entries}
    kept = [one for one in before.native_algorithms if one.call not in fresh]
    after = replace(before, native_algorithms=(*kept, *outcome.entries))
    text = profiles.to_json(after)
    store.write_or_keep(file, after, text, is_newest=False)
    store.refresh(after, text)
    if as_json:
        print(tune_algorithms.document(outcome))
    else:
        print(f"{tune_algorithms.report(outcome)}\nwrote {file}")


def _outcome(entries: list[Tuned]) -> str:
    if not entries:
        return "no choice changed"
    mean = structure.geometric_mean([structure.gain(entry) for entry in entries])
    used = sum(entry.choice != "native" for entry in entries)
    return (
        f"{len(entries)} choices, {used} of them ECO's; native over ECO, geometric mean: {mean:.2f}"
    )
