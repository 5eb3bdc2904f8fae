# SPDX-License-Identifier: BSD-3-Clause
"""`eco bench`: compares the MPI library and ECO, operation by operation."""

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import typer

from eco import bench_osu, bench_table, comparison, contact, options, store
from eco import launcher as launchers
from eco import profile as profiles
from eco.comparison import AGAIN, ECO, Comparison
from eco.engine import engine, errors
from eco.errors import EcoError, ExitCode
from eco.modelled import Modelled
from eco.progress import progress
from eco.show import Plot, plain_console

Topology = Annotated[
    Optional[Path],
    options.profile("The profile (default: ECO_PROFILE, or the newest in your own folder)."),
]
Patterns = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="What to compare: native, native-again (repeated baseline: noise), eco, k2, k3, star, "
        "chain, binomial, ring, butterfly, or a choice such as tree:top=star,inner=k2.",
        show_default="native, eco, native-again",
    ),
]
Style = Annotated[
    Literal["eco", "osu"],
    typer.Option(
        help="How it is printed. osu: the columns of the OSU micro-benchmarks, by default for "
        "1 B to 1 MiB.",
        show_default=True,
    ),
]
Form = Annotated[
    Literal["blocking", "nonblocking", "persistent"],
    typer.Option(
        metavar="FORM",
        help="Which functions: blocking (MPI_Bcast), nonblocking (MPI_Ibcast) or persistent "
        "(MPI_Bcast_init). The last two are timed with work before the wait as well.",
        show_default=True,
    ),
]
Order = Annotated[
    Optional[str],
    typer.Option(
        help="Order of the ranks: launched (as LAUNCHER places them), near, or scattered:SEED.",
        metavar="ORDER",
    ),
]


def command(
    words: options.Words = None,
    topology: Topology = None,
    operations: options.BenchOperations = None,
    sizes: options.BenchSizes = None,
    patterns: Patterns = "native,eco,native-again",
    repeats: Annotated[
        Optional[int],
        typer.Option(help="Repeats of each pattern (default: as many as fit into 20 s)."),
    ] = None,
    order: Order = None,
    form: Form = "blocking",
    style: Style = "eco",
    as_json: options.Json = False,
    plot: Plot = None,
    mpi: options.Mpi = None,
    interfaces: options.Interfaces = None,
) -> None:
    """Compare the MPI library and ECO.

    All patterns run interleaved, with each rank as root in turn. The table shows
    the median of the slowest rank's time, its spread, how many times faster it
    is than native, and its ratio to the lower bound of this network. Non-blocking
    and persistent calls also have the overlap: the share of a call's time that
    work of the same length hides, with MPI_Test every 100 µs and without any call.

    eco bench --sizes 16,16000 -- mpirun -n 8 --hostfile hosts
    """
    launcher = launchers.understand(words, mpi)
    settings = [
        *options.operations(operations),
        *options.sizes(bench_osu.SIZES if sizes is None and style == "osu" else sizes),
        "--patterns",
        _patterns(patterns),
        *options.count("repeats", repeats),
        *_order(order),
        *(["--form", form] if form != "blocking" else []),
    ]
    profile, checked = profiles.read_both(topology or store.usual())
    text = profiles.to_json(profile)
    model = Modelled(checked)
    if plot is not None:
        store.check_picture(plot)
    found: list[Comparison] = []
    with progress("comparing", quiet=as_json) as (show, say):

        def take_event(event: dict[str, Any]) -> None:
            if event.get("event") == "progress":
                show(event)
            elif event.get("event") == "result":
                found.append(model.beside(comparison.read(event)))

        contact.run(
            launcher, "bench", ["--profile", "-", *settings], take_event, text, say, interfaces
        )
    if not found:
        raise EcoError("the probe ended without a result", ExitCode.LAUNCH)
    if as_json:
        print(json.dumps(comparison.document(found, ["eco", *sys.argv[1:]])), flush=True)
    elif style == "osu":
        print(bench_osu.tables(found))
    else:
        bench_table.print_tables(found, plain_console())
        if model.assumed and any(one.bound for one in found):
            print("No model was measured: lower bounds assume that every medium is a switch.")
    if plot is not None:
        from eco import bench_picture  # Matplotlib takes a second to import

        bench_picture.draw(found, plot)
        if not as_json:
            print(f"wrote {plot}")


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


def _order(text: Optional[str]) -> list[str]:
    if text is None:
        return []
    if not re.fullmatch(r"launched|near|scattered:\d{1,9}", text):
        raise EcoError(
            f"--order {text!r}: must be launched, near or scattered:SEED (such as scattered:1)",
            ExitCode.USAGE,
        )
    return ["--order", text]
