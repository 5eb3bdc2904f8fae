# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a measurement that was cut short: FILE.partial (docs/formats.md).

Written when the run fails, handed to the next one, removed when that one is done. A file that is
something else is never touched.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eco import store, text_files
from eco.errors import EcoError
from eco.line_code import Event
from eco.probe import Say
from eco.zipped import zipped

VERSION = 1
_FIGURES = 6  # of a pair: two hosts, least, median, samples, visits
_OLD = 86_400  # seconds; a network may have changed since
_ALIKE = ("mpi", "sizes", "partition_bytes", "tolerance")  # of runs that can go on from each other


class Partial:
    """Of one run of `eco measure`; without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._earlier: Event | None = None
        self._head: Event = {}
        self._lists: list[dict[tuple[int, int], tuple[float, ...]]] = []

    @property
    def path(self) -> Path | None:
        return self._path

    def before(self, say: Say) -> str | None:
        """What an earlier run kept, as one line for the probe."""
        if self._path is None or not self._path.exists():
            return None
        root = _read(self._path)
        if root is None:
            say(
                f"eco: {self._path} is not a partial measurement: it is left as it is, and nothing "
                "is kept if this measurement fails"
            )
            self._path = None
            return None
        if time.time() - self._path.stat().st_mtime > _OLD:
            say(f"eco: {self._path} is more than a day old; all is measured again")
            return None
        self._earlier = root
        return json.dumps(root)

    def take_event(self, event: Event, say: Say) -> None:
        """Takes up what the probe says of it."""
        kind = event.get("event")
        if kind == "continuing":
            say(f"continuing: {event['timed']} of {event['pairs']} pairs were timed before")
        elif kind == "not_continued":
            why = str(event["why"]).partition("; measure")[0]
            say(f"eco: {self._path}: {why}; all is measured again")
        elif kind == "kept":
            lists: list[list[Any]] = event["pairs"]
            self._head = {key: event[key] for key in event if key not in ("event", "pairs")}
            self._lists = self._lists or [{} for _ in lists]
            for known, figures in zipped(self._lists, lists):
                known.update(_pairs(figures))

    def keep(self) -> str | None:
        """Writes what has arrived and what was known before; says so in a sentence, None if nothing
        has arrived."""
        if self._path is None or not any(self._lists):
            return None
        root = self._head | {"pairs": [_figures(known) for known in self._lists]}
        root = _merged(self._earlier, root) if self._earlier else root
        try:
            store.write(self._path, json.dumps(root) + "\n")
        except EcoError as error:
            return f"what was measured is lost: {error.message}"
        return (
            f"the times of {_count(root)} pairs of hosts are kept in {self._path}; the same "
            "command continues from there, also without a host that failed"
        )

    def remove(self, measured: Iterable[str] | None = None) -> None:
        """It is of no use any more, as these hosts have been measured (None: whatever it holds)."""
        if self._path is None:
            return
        if measured is not None and self._earlier and set(self._earlier["hosts"]) - set(measured):
            return
        if _read(self._path) is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)


def _read(path: Path) -> Event | None:
    """None for what is no partial measurement."""
    try:
        root = json.loads(text_files.read(path))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(root, dict) or root.get("eco_partial") != VERSION:
        return None
    hosts, lists = root.get("hosts"), root.get("pairs")
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        return None
    if not isinstance(lists, list) or not all(
        isinstance(figures, list)
        and len(figures) % _FIGURES == 0
        and all(isinstance(figure, (int, float)) for figure in figures)
        for figures in lists
    ):
        return None
    return root


def _pairs(figures: list[Any]) -> dict[tuple[int, int], tuple[float, ...]]:
    each = [figures[start : start + _FIGURES] for start in range(0, len(figures), _FIGURES)]
    return {(a, b): tuple(rest) for a, b, *rest in each}


def _figures(pairs: dict[tuple[int, int], tuple[float, ...]]) -> list[float]:
    return [figure for (a, b), rest in pairs.items() for figure in (a, b, *rest)]


def _count(root: Event) -> int:
    return len({pair for figures in root["pairs"] for pair in _pairs(figures)})


def _merged(earlier: Event, now: Event) -> Event:
    """What both hold, if one can go on from the other; else the one that holds more."""
    alike = all(earlier.get(key) == now.get(key) for key in _ALIKE)
    if not alike or len(earlier["pairs"]) != len(now["pairs"]):
        return max(now, earlier, key=_count)
    hosts = list(dict.fromkeys([*now["hosts"], *earlier["hosts"]]))
    index = [hosts.index(host) for host in earlier["hosts"]]
    lists = []
    for old, new in zipped(earlier["pairs"], now["pairs"]):
        # The figures of a pair are of both ways, so its order says nothing.
        known = {
            (min(index[a], index[b]), max(index[a], index[b])): rest
            for (a, b), rest in _pairs(old).items()
            if max(a, b) < len(index)
        }
        lists.append(_figures(known | _pairs(new)))
    return now | {"hosts": hosts, "pairs": lists}
