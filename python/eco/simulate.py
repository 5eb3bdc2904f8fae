# SPDX-License-Identifier: BSD-3-Clause
"""`eco simulate`: one schedule in virtual time on a measured network."""

import json
from typing import Annotated, Optional

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eco import quantities, store
from eco.call_text import facts, headline
from eco.options import Json
from eco.prediction import Call, File, Operation, Prediction, RanksPerHost, Root, Size
from eco.show import Plot, plain_console

_MOST_STEPS = 40


def command(
    file: File,
    operation: Operation,
    size: Size = 16384,
    root: Root = 0,
    choice: Annotated[
        Optional[str],
        typer.Option(
            metavar="CHOICE", help="A choice as `eco plan` lists it (default: the fastest)."
        ),
    ] = None,
    ranks_per_host: RanksPerHost = 1,
    whole_path: Annotated[
        bool, typer.Option("--whole-path", help="Print all of a long critical path.")
    ] = False,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Show one schedule as a timeline, by simulation.

    Prints its time, the lower bound (no schedule can be faster), and its
    critical path. The picture has one line per rank.
    """
    if plot is not None:
        store.check_picture(plot)
    call = Call(file, operation, size, root, ranks_per_host)
    shown = call.winner if choice is None else call.predict(choice)
    if plot is not None:
        from eco import timeline_picture  # Matplotlib takes a second to import

        timeline_picture.draw(call, shown, plot)
    if as_json:
        result = {"choice": shown.choice, "times_bound": call.times_bound(shown.time)}
        print(json.dumps(call.document() | result | {"timeline": shown.timeline}))
        return
    console = plain_console()
    console.print(Text(headline(call), style="bold"))
    console.print(Text(f"by {shown.choice}"))
    for line in facts(call, shown):
        console.print(line)
    _print_chain(call, shown, console, whole_path)
    if plot is not None:
        console.print(f"\nwrote {plot}", markup=False)


_WHAT = {
    "send": "sends",
    "flow": "on its way",
    "delay": "delay",
    "receive": "receives",
    "compute": "computes",
}


def _print_chain(call: Call, shown: Prediction, console: Console, whole: bool) -> None:
    steps = shown.timeline["chain"]
    if not steps:
        return
    table = Table(
        title="critical path: what the end waited for", title_style="bold", title_justify="left",
        box=box.SIMPLE_HEAD,
    )  # fmt: skip
    for heading in ("from", "to"):
        table.add_column(heading, justify="right")
    table.add_column("rank")
    table.add_column("")
    left_out = 0 if whole else max(0, len(steps) - _MOST_STEPS)
    for number, step in enumerate(steps):
        if left_out and _MOST_STEPS // 2 <= number < _MOST_STEPS // 2 + left_out:
            if number == _MOST_STEPS // 2:
                table.add_row("", "", "", Text(f"… {left_out} more: --whole-path …", style="dim"))
            continue
        who = _name(call, step["rank"])
        peer = step.get("peer")
        arrow = "←" if step["what"] == "receive" else "→"
        table.add_row(
            quantities.seconds(step["start"]),
            quantities.seconds(step["end"]),
            who if peer is None else f"{who} {arrow} {_name(call, peer)}",
            _WHAT[step["what"]],
        )
    console.print()
    console.print(table)


def _name(call: Call, rank: int) -> str:
    host = call.profile.hosts[call.host_of[rank]]
    return host if len(call.host_of) == len(call.profile.hosts) else f"{rank} on {host}"
