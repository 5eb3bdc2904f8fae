# SPDX-License-Identifier: BSD-3-Clause
"""What `eco bench` prints: a heading for each operation, a row for each size, a column for each
pattern. Columns that do not fit the width follow in tables below; no word is cut."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from eco import comparison, quantities
from eco.comparison import AGAIN, ECO, NATIVE, Comparison


@dataclass(frozen=True)
class _Column:
    heading: str
    cell: Callable[[Comparison], Text]
    footer: str = ""
    justify: str = "right"
    style: str = ""


def print_tables(found: list[Comparison], console: Console) -> None:
    """As many columns side by side as fit; each table begins with operations and sizes."""
    columns, shown = _columns(found), False
    while columns:
        count = len(columns)
        while count > 1 and not _fits(_table(found, columns[:count], not shown), console):
            count -= 1
        console.print(_table(found, columns[:count], not shown))
        columns, shown = columns[count:], True


def _fits(table: Table, console: Console) -> bool:
    unlimited = console.options.update_width(10_000)
    return Measurement.get(console, unlimited, table).maximum <= console.width


def _columns(found: list[Comparison]) -> list[_Column]:
    """Most important first."""
    names = comparison.patterns(found)
    reference = found[0].reference.pattern
    bounded = any(one.bound for one in found)

    def pattern(name: str) -> list[_Column]:
        heading = "again" if name == AGAIN else name
        mean = comparison.mean_ratio(found, name) if name != reference else None
        footer = f"{mean:.2f}×" if mean else ""
        style = "" if name == reference else "cyan"
        cell = _time if name == reference else _time_and_ratio
        columns = [_Column(heading, lambda one: cell(one, name), footer, style=style)]
        if name != AGAIN and any(one.form != "blocking" for one in found):
            columns.append(_Column("overlap", lambda one: _overlap(one, name)))
        if bounded and name != AGAIN:
            columns.append(_Column("× bound", lambda one: _over_bound(one, name)))
        return columns

    columns = pattern(reference)
    for name in names:
        columns += pattern(name) if name != reference else []
    if ECO in names and bounded:
        columns.append(_Column("predicted", _predicted, style="dim"))
    used = [each.choice for one in found if (each := one.timing(ECO))]
    if any(choice != ECO for choice in used):
        columns.append(_Column("eco ran", _used, justify="left", style="dim"))
    return columns


def _table(found: list[Comparison], columns: list[_Column], first: bool) -> Table:
    one = found[0]
    layout = {"near": "contiguous"}.get(one.layout, one.layout)
    title = (
        f"{one.ranks} ranks, {layout}: median ±spread, times faster than {one.reference.pattern}"
    )
    table = Table(
        title=title if first else None,
        title_style="bold",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        show_footer=any(column.footer for column in columns),
    )
    table.add_column("operation", footer="geometric mean", no_wrap=True)
    for column in columns:
        table.add_column(
            column.heading,
            justify="left" if column.justify == "left" else "right",
            footer=column.footer,
            header_style=column.style,
            style="dim" if column.style == "dim" else "",
            no_wrap=True,
        )
    last = ""
    for each in found:
        cells = [column.cell(each) for column in columns]
        if each.operation == "barrier":  # carries nothing
            table.add_row(each.name, *cells)
        else:
            if each.operation != last:
                table.add_row(each.name)
            table.add_row(f"  {quantities.size(each.bytes)}", *cells)
        last = each.operation
    return table


def _time(one: Comparison, pattern: str) -> Text:
    found = one.timing(pattern)
    if found is None:
        return Text("")
    return Text.assemble(quantities.seconds(found.median), (f" ±{found.spread:.0%}", "dim"))


def _time_and_ratio(one: Comparison, pattern: str) -> Text:
    ratio = one.ratio(pattern)
    if ratio is None:
        return Text("")
    if pattern == AGAIN:
        return Text(f"{ratio:.2f}×", "dim")
    style = "dim"
    if one.timing(NATIVE):
        gain = math.log(ratio)
        style = "green" if gain > one.noise else "red" if gain < -one.noise else ""
    return Text.assemble(_time(one, pattern), (f" {ratio:.2f}×", style))


def _over_bound(one: Comparison, pattern: str) -> Text:
    ratio = one.times_bound(pattern)
    return Text(f"{ratio:.2f}" if ratio else "")


def _overlap(one: Comparison, pattern: str) -> Text:
    found = one.timing(pattern)
    if not found or not found.with_tests or not found.without_calls:
        return Text("")
    return Text(f"{found.with_tests.overlap:.0%}, {found.without_calls.overlap:.0%}")


def _predicted(one: Comparison) -> Text:
    used = one.timing(ECO)
    return Text(quantities.seconds(used.predicted) if used and used.predicted else "")


def _used(one: Comparison) -> Text:
    used = one.timing(ECO)
    return Text(quantities.choice(used.choice) if used else "")
