# SPDX-License-Identifier: BSD-3-Clause
"""`eco plan`: explains the choice for one collective call, and compares it with the lower bound."""

import json
import re
from typing import Any, Optional, Union

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from eco import prediction, quantities, store
from eco.call_text import fact, facts, headline
from eco.options import Json
from eco.prediction import Call, File, Operation, Prediction, RanksPerHost, Root, Size
from eco.show import Plot, plain_console

_MOST_DRAWN = 64  # ranks

# What a choice rests on, in the engine's words: entries of the profile, or else.
_ENTRIES = ("timed", "predicted")
_REASONS = {
    "setting": "by a setting",
    "too long": "the message is too long",
    "inside one subnet": "all ranks are in one subnet, of which nothing was timed",
    "shape": "nothing was timed or predicted, so the groups' shape decides; run 'eco tune'",
    "nothing": "nothing was timed or predicted; run 'eco tune'",
}


def command(
    file: File,
    operation: Operation,
    size: Size = 16384,
    root: Root = 0,
    ranks_per_host: RanksPerHost = 1,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Explain the choice for one collective call.

    Prints the tree, all candidates with their predicted times, the lower bound
    (no schedule can be faster), the bottleneck, why the fastest wins, and
    what an MPI program runs with this profile.
    """
    if plot is not None:
        store.check_picture(plot)
    call = Call(file, operation, size, root, ranks_per_host)
    winner = call.winner
    if plot is not None:
        from eco import timeline_picture  # Matplotlib takes a second to import

        timeline_picture.draw(call, winner, plot)
    if as_json:
        print(json.dumps(_document(call, winner)))
        return
    console = plain_console()
    _print(call, winner, console)
    if plot is not None:
        console.print(f"\nwrote {plot}", markup=False)


def _document(call: Call, winner: Prediction) -> dict[str, Any]:
    return call.document() | {
        "candidates": [
            {
                "choice": one.choice,
                "time": one.time,
                "times_bound": call.times_bound(one.time),
                "textbook": one.baseline,
                "bottleneck": one.bottleneck,
            }
            for one in call.candidates
        ],
        "winner": winner.choice,
        "native": _native_document(call),
        "runs": {
            "library": call.library,
            "choice": call.runs,
            "known_by": call.explained.rests,
            "at": _entry_document(call),
        },
        "why": _why(call, winner),
        "parents": call.tree(winner.choice)[0] or None,
    }


def _native_document(call: Call) -> dict[str, Any]:
    found = call.native
    times = (found.likely, found.least, found.most) if found.known else (None, None, None)
    return {"known_by": found.basis, **dict(zip(("time", "least", "most"), times))}


def _entry_document(call: Call) -> Optional[dict[str, Any]]:
    """What was timed or predicted, and decides."""
    found = call.explained
    if found.rests not in _ENTRIES:
        return None
    return {"bytes": found.bytes, "native": found.native, "eco": found.eco}


def _why(call: Call, winner: Prediction) -> str:
    return prediction.why(winner, [one for one in call.candidates if one is not winner])


def _print(call: Call, winner: Prediction, console: Console) -> None:
    console.print(Text(headline(call), style="bold"))
    console.print(Text(f"by {winner.choice}; {_drawn(winner.choice)}when each rank is done:"))
    console.print()
    console.print(_drawing(call, winner))
    console.print()
    console.print(_table(call, winner))
    for line in facts(call, winner):
        console.print(line)
    console.print(fact("why", _why(call, winner)))
    console.print(fact("native", _native(call)))
    console.print(fact("runs", _runs(call, winner)))


def _native(call: Call) -> str:
    """What the library takes, as reports of jobs have it."""
    found = call.native
    if not found.known:
        return f"not known with {call.library}; 'eco tune' times it"
    span = f"{quantities.seconds(found.least)} to {quantities.seconds(found.most)}"
    return f"{quantities.seconds(found.likely)} ({span}) with {call.library}, {found.basis}"


def _runs(call: Call, winner: Prediction) -> str:
    """What an MPI program runs, which may differ from the fastest by prediction, and why."""
    found = call.explained
    what = {"native": "native", winner.choice: "this choice"}.get(found.choice, found.choice)
    if what == found.choice != "native":
        own = next((one for one in call.candidates if one.choice == found.choice), None)
        what += f", {quantities.seconds(own.time)} predicted" if own else ""
    return f"{what}, with {call.library} ({_reason(call)})"


def _reason(call: Call) -> str:
    found = call.explained
    if found.rests not in _ENTRIES:
        return _REASONS[found.rests]
    at = f" at {quantities.size(found.bytes)}" if call.operation != "barrier" else ""
    times = f"native {quantities.seconds(found.native)}"
    if found.eco > 0:
        times += f", ECO {quantities.seconds(found.eco)}"
    return f"{found.rests}{at}: {times}"


def _done(timeline: dict[str, Any], rank: int) -> float:
    return max((task["end"] for task in timeline["ranks"][rank]["tasks"]), default=0.0)


def _drawn(choice: str) -> str:
    if "disjoint" in choice or "rotate=" in choice:
        return "the first segment's tree, and "
    return ""


def _drawing(call: Call, winner: Prediction) -> Union[Tree, Text]:
    count = len(call.host_of)
    if count > _MOST_DRAWN:
        return Text(f"{count} ranks are too many to draw", style="dim")
    parents, children = call.tree(winner.choice)

    def label(rank: int) -> Text:
        host = call.profile.hosts[call.host_of[rank]]
        named = f"{host} (rank {rank})" if count > len(call.profile.hosts) else host
        done = quantities.seconds(_done(winner.timeline, rank))
        return Text.assemble((named, "cyan"), (f"  {done}", "dim"))

    if not parents:
        return _groups(str(call.hierarchy), label)
    tree = Tree(label(parents.index(-1)))
    open_branches = [(parents.index(-1), tree)]
    while open_branches:
        rank, branch = open_branches.pop(0)
        open_branches += [(child, branch.add(label(child))) for child in children[rank]]
    return tree


def _groups(text: str, label: Any) -> Tree:
    """`(0 1) (2 [3 4])` as branches; brackets hold the ranks of one host."""
    tree = Tree(Text("groups", style="bold"))
    stack = [tree]
    for word in re.sub(r"([()\[\]])", r" \1 ", text).split():
        if word in "([":
            name = "group" if word == "(" else "one host"
            stack.append(stack[-1].add(Text(name, style="bold")))
        elif word in ")]":
            stack.pop()
        else:
            stack[-1].add(label(int(word)))
    return tree


def _table(call: Call, winner: Prediction) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("candidate", overflow="fold")
    for heading in ("predicted", "× bound"):
        table.add_column(heading, justify="right")
    table.add_column("busiest link", overflow="fold")
    for one in call.candidates:
        ratio = call.times_bound(one.time)
        link = one.bottleneck
        style = "bold green" if one is winner else "dim" if one.baseline else ""
        note = "\n  topology-unaware baseline" if one.baseline else ""
        table.add_row(
            Text.assemble((quantities.in_lines(one.choice, 40), style), (note, "dim")),
            quantities.seconds(one.time),
            f"{ratio:.2f}" if ratio else "",
            f"{link['name']}, {link['share']:.0%}" if link else "",
        )
    return table
