# SPDX-License-Identifier: BSD-3-Clause
"""A table as text and as JSON: ours beside the printed, each also relative to ECO's."""

from typing import Any

from eco_tables.tables import NATIVE, Figures, Table

_SAME = 1.05  # closer than this is a tie


def heading(facts: dict[str, Any]) -> str:
    return (
        f"{facts['processors']} × {facts['processor']}, Linux {facts['kernel']}, {facts['mpi']}, "
        f"ECO {facts['eco']}"
    )


def text(table: Table, ours: Figures, commands: list[str]) -> str:
    detailed = any("mean" in figures for figures in ours.values())
    relative = f"× {table.base}'s"
    rows = [["", "paper", relative, "ours", relative, "(mean, least)" if detailed else ""]]
    printed = {name: figures["median"] for name, figures in table.printed.items()}
    measured = {name: float(figures["median"]) for name, figures in ours.items()}
    for name in [*measured, *(name for name in printed if name not in measured)]:
        rows.append(
            [
                name,
                _with_unit(printed.get(name), table.printed_unit),
                _times(printed, name, table.base),
                _with_unit(measured.get(name), table.our_unit),
                _times(measured, name, table.base),
                _more(ours.get(name, {}), table.our_unit),
            ]
        )
    width = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["", f"Table {table.number}: {table.title}", f"  ours: {table.ours}", ""]
    for row in rows:
        cells = [row[0].ljust(width[0])]
        cells += [cell.rjust(wide) for cell, wide in zip(row[1:], width[1:], strict=True)]
        lines.append("  " + "   ".join(cells).rstrip())
    lines.append("")
    lines += [f"  - {remark}" for remark in [*differences(table, ours), *table.remarks]]
    lines += [f"  $ {command}" for command in commands]
    return "\n".join(lines)


def differences(table: Table, ours: Figures) -> list[str]:
    """What the figures themselves say."""
    printed = {name: figures["median"] for name, figures in table.printed.items()}
    both = [name for name in printed if name in ours]
    measured = {name: float(ours[name]["median"]) for name in both}
    if all(measured[name] == printed[name] for name in both):
        return ["All printed figures are met exactly."]
    there, here = (sorted(both, key=values.__getitem__) for values in (printed, measured))
    order = " < ".join(there)
    if there == here:
        found = [f"The same order in both: {order}."]
    else:
        found = [f"The order differs: {order} there, {' < '.join(here)} here."]
    if "ECO" in printed:
        rivals = [name for name in both if name != "ECO"]
        least, ours_least = (min(rivals, key=v.__getitem__) for v in (printed, measured))
        found.append(
            f"ECO is {printed[least] / printed['ECO']:.2f}× as fast as its best rival there "
            f"({least}), {measured[ours_least] / measured['ECO']:.2f}× here ({ours_least})."
        )
    if NATIVE in ours and "ECO" in ours:
        ratio = float(ours[NATIVE]["median"]) / float(ours["ECO"]["median"])
        word = "as fast as" if 1 / _SAME < ratio < _SAME else f"{ratio:.2f}× as fast as"
        found.append(f"ECO is {word} the MPI library's own collectives, which the paper had not.")
    return found


def document(table: Table, ours: Figures, commands: list[str]) -> dict[str, Any]:
    return {
        "table": table.number,
        "title": table.title,
        "ours_is": table.ours,
        "printed_unit": table.printed_unit,
        "unit": table.our_unit,
        "printed": table.printed,
        "ours": ours,
        "differences": [*differences(table, ours), *table.remarks],
        "commands": commands,
    }


def _with_unit(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    number = f"{value:g}" if value == int(value) or value >= 100 else f"{value:.3g}"
    return f"{number} {unit}".strip()


def _times(values: dict[str, float], name: str, base: str) -> str:
    if name not in values or base not in values:
        return "-"
    return f"{values[name] / values[base]:.2f}"


def _more(figures: dict[str, Any], unit: str) -> str:
    if "mean" not in figures:
        return ""
    mean, deviation = float(figures["mean"]), float(figures["deviation"])
    return f"{mean:.3g} ± {deviation:.2g}, {float(figures['minimum']):.3g} {unit}"
