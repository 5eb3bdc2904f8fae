# SPDX-License-Identifier: BSD-3-Clause
"""Times, rates, sizes and names in the form in which people read them."""

import itertools
import re
from collections.abc import Sequence


def seconds(value: float) -> str:
    """Three digits and the unit they suit: `84.1 ms`."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= 0.9995 * scale or unit == "µs":
            return f"{_three_digits(value / scale)} {unit}"
    raise AssertionError


def rate(bytes_per_second: float) -> str:
    """As networks are sold: `9.41 Mbit/s`."""
    bits = 8 * bytes_per_second
    for scale, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits >= 0.9995 * scale:
            return f"{_three_digits(bits / scale)} {unit}"
    return f"{_three_digits(bits)} bit/s"


def size(count: int) -> str:
    """`16,384 B`: exact, and in the unit of `--sizes` and `--bytes`."""
    return f"{count:,} B" if count >= 0 else "any size"


def duration(value: float) -> str:
    """Time left, to the second: `1:05`."""
    whole = max(0, round(value))
    return f"{whole // 60}:{whole % 60:02}" if whole >= 60 else f"{whole} s"


def names(hosts: Sequence[str], least: int = 3) -> str:
    """Host names, runs of consecutive numbers shortened: `n0–n3 n7 login`."""
    runs: list[list[str]] = []
    for host in hosts:
        if runs and _follows(runs[-1][-1], host):
            runs[-1].append(host)
        else:
            runs.append([host])
    words = []
    for run in runs:
        words += [f"{run[0]}–{run[-1]}"] if len(run) >= least else run
    return " ".join(words)


def natural(name: str) -> list[tuple[int, str]]:
    """The key by which names sort as people count: `n2` before `n10`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    # Equal numbers of different lengths (n2, n02) keep one order by their digits.
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def short_names(hosts: Sequence[str]) -> list[str]:
    """What fits where a host is drawn: without the domain, and if long without what all share."""
    names = [host.partition(".")[0] for host in hosts]
    if max(map(len, names)) > 4 and len(names) > 1:
        ends = zip(min(names), max(names))
        shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], ends))
        while shared and names[0][shared - 1].isdigit():
            shared -= 1
        names = [name[shared:] or name for name in names]
    return [name if len(name) < 8 else f"{name[:3]}…{name[-3:]}" for name in names]


def choice(text: str) -> str:
    """A planner's description without the words for its keys: `tree balanced/star/8`."""
    head, _, rest = text.partition(":")
    values = [item.partition("=")[2] or item for item in rest.split(",") if item]
    return f"{head} {'/'.join(values)}" if values else head


def in_lines(choice: str, width: int) -> str:
    """A choice broken after commas; Rich would break a long word anywhere."""
    lines = [""]
    for part in choice.replace(",", ",\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(lines)


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _follows(first: str, second: str) -> bool:
    one, two = (re.fullmatch(r"(.*?)(\d+)(\D*)", name) for name in (first, second))
    if not one or not two or (one[1], one[3]) != (two[1], two[3]):
        return False
    padded = len(one[2]) == len(two[2]) or not (one[2].startswith("0") or two[2].startswith("0"))
    return padded and int(two[2]) == int(one[2]) + 1
