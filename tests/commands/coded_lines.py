# SPDX-License-Identifier: BSD-3-Clause
"""Events as the lines in which `eco probe` prints them (docs/formats.md)."""

import base64
import itertools
import json
import zlib
from typing import Any

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_streams = itertools.count(1)


def coded(*events: Any) -> str:
    """As if a process of its own had printed them, a line after the other."""
    stream, numbers = _digits(next(_streams)), {"r": 0, "n": 0}
    lines = []
    for event in events:
        name = event.get("event") if isinstance(event, dict) else None
        kind = "n" if name in ("progress", "host") else "r"
        lines += lines_of(f"{stream}.{kind}{numbers[kind]}", event)
        numbers[kind] += 1
    return "".join(f"{line}\n" for line in lines)


def lines_of(head: str, event: Any) -> list[str]:
    """head: the stream, the kind and the number."""
    text = json.dumps(event).encode()
    parts = [text[at : at + 30] for at in range(0, len(text), 30)]
    lines = []
    for number, part in enumerate(parts):
        last = "z" if number == len(parts) - 1 else ""
        data = base64.urlsafe_b64encode(part).decode().rstrip("=")
        body = f"{head}.{number}{last}.{data}."
        lines.append(f"@eco.{body}{_digits(zlib.crc32(body.encode()))}.")
    return lines


def _digits(value: int) -> str:
    return "".join(DIGITS[value >> 6 * n & 63] for n in range(6))
