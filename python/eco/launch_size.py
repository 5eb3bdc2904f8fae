# SPDX-License-Identifier: BSD-3-Clause
"""How many ranks a launcher will start, as far as its words tell."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from eco import text_files
from eco.errors import EcoError
from eco.launcher import Launcher
from eco.zipped import zipped

_RANKS = ("n", "np", "ntasks")
_LISTS = ("H", "host", "hosts")
_FILES = ("hostfile", "machinefile", "f")


def ranks_named(launcher: Launcher) -> int | None:
    """A number that it is given; else one for each host that it is given. None: neither."""
    words = launcher.words
    if numbers := [int(each) for each in _values(words, _RANKS) if each.isdecimal()]:
        return sum(numbers)  # mpirun -n 2 one : -n 6 other
    if launcher.is_lab:
        return _of_lab(words)
    hosts = [host for each in _values(words, _LISTS) for host in each.split(",")]
    for path in _values(words, _FILES):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            hosts += text_files.read(Path(path)).splitlines()
    found = [host.strip() for host in hosts]
    return sum(1 for host in found if host and not host.startswith("#")) or None


def _values(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """What follows these options, whether as `--name value`, `-name value` or `--name=value`."""
    option = re.compile(f"--?(?:{'|'.join(names)})(?:=(.*))?")
    for word, following in zipped(words, [*words[1:], ""]):
        if found := option.fullmatch(word):
            yield found[1] if found[1] is not None else following


def _of_lab(words: Sequence[str]) -> int | None:
    # Only where it is needed: other launchers need no scenarios.
    from eco.lab.load import load

    numbers = [int(each) for each in _values(words, ("hosts",)) if each.isdecimal()]
    per_host = [int(each) for each in _values(words, ("ranks-per-host",)) if each.isdecimal()]
    for word in words[words.index("run") + 1 :] if "run" in words else ():
        with contextlib.suppress(EcoError):
            numbers.append(len(load(word).hosts))
            break
    return min(numbers) * (per_host or [1])[-1] if numbers else None
