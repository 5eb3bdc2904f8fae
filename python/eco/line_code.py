# SPDX-License-Identifier: BSD-3-Clause
"""Reads the events of `eco probe` from the lines that a launcher passes on (src/eco/measure/
line_code.h), whatever it writes around them (tags, colours, XML), or into them where it wraps a
line or where its buffer ended. What it has damaged is noticed, never taken for something else."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from typing import Any, Optional

from eco.errors import EcoError, ExitCode

Event = dict[str, Any]

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_LINE = re.compile(
    r"@eco\.(?P<body>(?P<stream>[\w-]{6})\.(?P<kind>[rn])(?P<number>\d{1,9})\."
    r"(?P<part>\d{1,9})(?P<last>z?)\.(?P<data>[\w-]*)\.)(?P<sum>[\w-]{6})\.",
    re.ASCII,
)
_MARK = re.compile(r"@eco\.[\w-]{6}\.", re.ASCII)
# The beginning of a line that goes on in the next one.
_CUT = re.compile(r"@(?:eco\.[\w.-]*|eco?|e)?(?![\w.-])", re.ASCII)
# Where one may go on, behind what a launcher puts before it.
_STARTS = re.compile(r"(?<![\w.-])[\w.-]", re.ASCII)
# What colours a line, moves the cursor or names the window (control sequences of ECMA-48).
_CONTROLS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])|\0")
_BEFORE = 200  # characters before a half line, at most
_LONGEST = 100  # characters of a line of the probe, at most
_BETWEEN = 8  # lines between the halves of one, at most


class EventReader:
    """Puts events together from their lines. Results must arrive; news may be lost."""

    def __init__(self) -> None:
        self._lines = _Lines()
        self._parts: dict[tuple[str, str, int], list[str]] = {}
        self._results: dict[str, int] = {}  # by stream: how many have arrived

    def take(self, line: str) -> Optional[list[Event]]:
        """The events that end with this line; None if it has nothing of the probe's. Throws where
        a result is damaged."""
        found = self._lines.find(line)
        if found is None:
            return None
        events = (self._add(part) for part in found)
        return [event for event in events if event is not None]

    def damage(self) -> Optional[EcoError]:
        """Where nothing comes any more: an error, if some line was not read."""
        return _damaged(self._lines.unread) if self._lines.unread else None

    def _add(self, line: re.Match[str]) -> Optional[Event]:
        stream, kind = line["stream"], line["kind"]
        key = (stream, kind, int(line["number"]))
        parts = self._parts.setdefault(key, [])
        expected = kind == "n" or key[2] == self._results.get(stream, 0)
        if not expected or int(line["part"]) != len(parts):
            if kind == "r":
                raise _damaged(self._lines.unread)
            del self._parts[key]
            return None
        parts.append(line["data"])
        if not line["last"]:
            return None
        del self._parts[key]
        if kind == "r":
            self._results[stream] = key[2] + 1
        event = _decoded("".join(parts))
        if event is None and kind == "r":
            raise _damaged(line[0])
        return event


class _Lines:
    """Finds the probe's lines in a launcher's."""

    def __init__(self) -> None:
        self._half, self._age = "", 0
        self._unread = ""

    @property
    def unread(self) -> str:
        """The last one that was begun and is not whole; empty if there is none."""
        return self._half if _MARK.match(self._half) else self._unread

    def find(self, line: str) -> Optional[list[re.Match[str]]]:
        """None if nothing of the probe's is in this line."""
        text = _CONTROLS.sub("", line) if "\x1b" in line or "\0" in line else line
        found, at = [], 0
        if self._half and (whole := _completed(self._half, text, 0)):
            found.append(whole[0])
            at, self._half = whole[1], ""
        half = ""
        while begun := _CUT.search(text, at):
            here = _LINE.match(text, begun.start())
            if here and _is_sound(here):
                found.append(here)
                at = here.end()
            elif whole := _completed(begun[0][:_LONGEST], text, begun.end()):
                found.append(whole[0])
                at = whole[1]
            else:
                half, at = begun[0], begun.end()
        self._age += 1
        if half or self._age > _BETWEEN:
            self._unread = self.unread
            self._half, self._age = half[:_LONGEST], 0
        return found if found or _MARK.match(half) else None


def _completed(half: str, text: str, at: int) -> Optional[tuple[re.Match[str], int]]:
    """A half line with what the text has of it from `at` on, and where that ends. A launcher may
    have written behind the first half as well."""
    starts = [start.start() for start in _STARTS.finditer(text, at, at + _BEFORE)]
    for length in range(len(half), 0, -1):
        for start in starts:
            whole = _LINE.match(half[:length] + text[start : start + _LONGEST])
            if whole and whole.end() > length and _is_sound(whole):
                return whole, start + whole.end() - length
    return None


def _is_sound(line: re.Match[str]) -> bool:
    value = zlib.crc32(line["body"].encode("ascii"))
    return line["sum"] == "".join(_DIGITS[value >> 6 * n & 63] for n in range(6))


def _decoded(data: str) -> Optional[Event]:
    try:
        text = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
        event = json.loads(text, parse_float=_finite, parse_constant=_finite)
        if event.get("event") == "progress":
            float(event["done"]), float(event.get("left") or 0)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no figure")
    return value


def _damaged(line: str) -> EcoError:
    shown = f": {line[:60].rstrip()}…" if line else ""
    return EcoError(
        "the probe's output was damaged on its way, by the launcher or by what else writes there"
        f"{shown}",
        ExitCode.LAUNCH,
    )
