# SPDX-License-Identifier: BSD-3-Clause
"""The tuned and predicted choices of a profile as text: operations and sizes are rows, rank
layouts are columns, so that everything fits 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eco import quantities, structure
from eco.profile import Tuned

_LAYOUTS = {"near": "near ranks", "scattered": "scattered ranks"}
Key = tuple[str, bool, bool]


def print_tuning(tuning: Sequence[Tuned], console: Console, in_full: bool) -> None:
    """A table for each library, and for one or several ranks on a host."""
    tables: dict[Key, list[Tuned]] = {}
    for entry in tuning:
        key = entry.mpi, entry.for_any, entry.ranks_per_host > 1
        tables.setdefault(key, []).append(entry)
    for key, entries in tables.items():
        console.print()
        if in_full:
            _print_in_full(_title(key), entries, console)
        else:
            console.print(_table(_title(key), entries))


def _title(key: Key) -> str:
    mpi, predicted, shared = key
    how = "predicted" if predicted else f"tuned with {mpi}"
    native = "baseline" if predicted else "native"
    return f"{how}{', several ranks on a host' if shared else ''}: {native} time / ECO time"


def _rows(entries: list[Tuned]) -> Iterator[tuple[str, int, dict[str, Tuned]]]:
    """Operation, size, and its entries by rank layout; operations in the profile's order."""
    rows: dict[str, dict[int, dict[str, Tuned]]] = {}
    for entry in entries:
        # A barrier has no size, operations with varying counts none that all ranks know.
        sizes = rows.setdefault(entry.operation, {})
        sizes.setdefault(max(entry.bytes, 0), {})[entry.layout] = entry
    for operation, sizes in rows.items():
        for count in sorted(sizes):
            yield operation, count, sizes[count]


def _table(title: str, entries: list[Tuned]) -> Table:
    layouts = [name for name in _LAYOUTS if any(entry.layout == name for entry in entries)]
    table = Table(title=title, title_style="bold", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("operation", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    for layout in layouts:
        table.add_column(_LAYOUTS[layout], no_wrap=True)
    last = ""
    for operation, count, found in _rows(entries):
        cells = [_chosen(found.get(layout)) for layout in layouts]
        size = quantities.size(count) if count else ""
        table.add_row(operation if operation != last else "", size, *cells)
        last = operation
    return table


def _chosen(entry: Tuned | None) -> Text:
    if entry is None:
        return Text("")
    if entry.choice == "native":
        return Text("native", style="dim")
    ratio = structure.gain(entry)
    style = "bold green" if ratio >= 1.1 else ""
    family = entry.choice.partition(":")[0]
    return Text.assemble((f"{ratio:.2f}×", style), (f" {family}", "dim"))


def _print_in_full(title: str, entries: list[Tuned], console: Console) -> None:
    """Two lines for each: its times, and below them the choice, which is broken after commas."""
    console.print(title, style="bold", markup=False)
    for operation, count, found in _rows(entries):
        for layout, entry in found.items():
            size = quantities.size(count) if count else ""
            ratio = f"{entry.native / entry.eco:.2f}×" if entry.eco > 0 else ""
            line = (
                f"  {operation:<20} {size:>8}  {layout:<9}  {quantities.seconds(entry.native):>8}"
                f" / {quantities.seconds(entry.eco):>8} = {ratio:>6}  ±{entry.noise:.0%}"
            )
            console.print(line, markup=False)
            choice = quantities.in_lines(entry.choice, console.width - 6)
            console.print(Text("    " + choice.replace("\n", "\n    "), style="dim"))
