# SPDX-License-Identifier: BSD-3-Clause
"""What every exporter starts from: hosts under the consumer's names, their switches, their order.

From a profile and the user's options to a `Network`, whose names are checked and differ.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from eco import text_files
from eco.errors import EcoError, ExitCode
from eco.profile import Profile

SHORT, FULL = "short", "full"


@dataclass(frozen=True)
class Switch:
    """A cluster: its switches, or its hosts if it is a subnet."""

    name: str
    hosts: tuple[int, ...]  # all below it
    parts: tuple[Switch, ...]

    @property
    def below(self) -> Iterator[Switch]:
        """Every switch, leaves before what joins them."""
        for part in self.parts:
            yield from part.below
        yield self


@dataclass(frozen=True)
class Network:
    """The hosts that are exported."""

    profile: Profile
    names: dict[int, str]  # of the hosts that take part, in the order of the ring
    ranks: tuple[int, ...]  # the host of each rank
    by_graph: bool = False  # ranks follow a communication graph

    @property
    def hosts(self) -> tuple[int, ...]:
        """In the order of the ring."""
        return tuple(self.names)

    @cached_property
    def root(self) -> Switch:
        """The clusters of these hosts; a level that divides nothing is left out."""
        return _switch(self.profile, self.hosts, 0, "eco")

    def names_of(self, hosts: Sequence[int]) -> list[str]:
        return [self.names[host] for host in hosts]


def _switch(profile: Profile, hosts: tuple[int, ...], level: int, name: str) -> Switch:
    if level == len(profile.levels):
        return Switch(name, hosts, ())
    members: dict[int, list[int]] = {}
    for host in hosts:
        members.setdefault(profile.levels[level][host], []).append(host)
    parts = tuple(
        _switch(profile, tuple(found), level + 1, f"eco_{level}_{cluster}")
        for cluster, found in members.items()
    )
    return parts[0] if len(parts) == 1 else Switch(name, hosts, parts)


def select(profile: Profile, wanted: Sequence[str] | None) -> tuple[int, ...]:
    """The hosts of this list, or all, in the order of the ring."""
    if wanted is None:
        return profile.ring
    numbers: dict[str, int] = {}
    for host, name in enumerate(profile.hosts):
        numbers.setdefault(short(name), host)
    numbers |= {name: host for host, name in enumerate(profile.hosts)}
    unknown = [name for name in wanted if numbers.get(name, numbers.get(short(name))) is None]
    if unknown:
        raise EcoError(
            f"{profile.origin} has no host {listed(unknown)}: it is of "
            f"{listed(profile.hosts)}; name the profile of your hosts, or measure them",
            ExitCode.BAD_INPUT,
        )
    chosen = {numbers.get(name, numbers.get(short(name), -1)) for name in wanted}
    return tuple(host for host in profile.ring if host in chosen)


def rename(profile: Profile, hosts: Sequence[int], how: str) -> dict[int, str]:
    """The names that the consumer has for these hosts: short, full, or from a file."""
    if how == FULL:
        named = {host: profile.hosts[host] for host in hosts}
    elif how == SHORT:
        named = {host: short(profile.hosts[host]) for host in hosts}
    else:
        aliases = _aliases(Path(how))
        missing = [profile.hosts[host] for host in hosts if profile.hosts[host] not in aliases]
        if missing:
            raise EcoError(f"{how} gives no name for host {listed(missing)}", ExitCode.BAD_INPUT)
        named = {host: aliases[profile.hosts[host]] for host in hosts}
    seen: dict[str, int] = {}
    for host, name in named.items():
        if (other := seen.setdefault(name, host)) != host:
            raise EcoError(
                f"{profile.hosts[other]} and {profile.hosts[host]} would both be {name}; use "
                "--names full, or a file with lines 'MEASURED-NAME NAME'",
                ExitCode.BAD_INPUT,
            )
    return named


def short(name: str) -> str:
    """Without the domain; an address stays whole."""
    return name if re.fullmatch(r"[\d.]+", name) else name.partition(".")[0]


def _aliases(path: Path) -> dict[str, str]:
    try:
        text = text_files.read(path, "replace")
    except OSError as error:
        raise EcoError(
            f"--names {path} cannot be read ({error.strerror}); give short, full, or a file with "
            "lines 'MEASURED-NAME NAME'",
            ExitCode.BAD_INPUT,
        ) from None
    aliases = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and len(words) != 2:
            raise EcoError(
                f"{path}, line {number}: must be 'MEASURED-NAME NAME'", ExitCode.BAD_INPUT
            )
        if words:
            aliases[words[0]] = words[1]
    return aliases


def check_names(names: Sequence[str], longest: int, form: str, consumer: str) -> None:
    """No name that the consumer would refuse or read as something else."""
    for name in names:
        if len(name) > longest:
            raise EcoError(
                f"host {name[:20]}… has a name of {len(name)} characters, and {consumer} takes "
                f"at most {longest}; give a shorter one by --names FILE",
                ExitCode.BAD_INPUT,
            )
        if not re.fullmatch(form, name):
            raise EcoError(
                f"host {name!r} has a name that {consumer} cannot have; give another by "
                "--names FILE",
                ExitCode.BAD_INPUT,
            )


def listed(names: Sequence[str]) -> str:
    """At most four of them."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def ranges(names: Sequence[str]) -> str:
    """As Slurm writes them: n[0-2,5],head."""
    groups: dict[tuple[str, int], list[int]] = {}
    plain = []
    for name in names:
        match = re.fullmatch(r"(.*?)(\d{1,9})", name)
        if match is None:
            plain.append(name)
            continue
        digits = match[2]
        # Numbers of one width only, so that leading zeros stay.
        groups.setdefault((match[1], len(digits)), []).append(int(digits))
    parts = []
    for (prefix, width), numbers in sorted(groups.items()):
        spans = []
        for _, run in itertools.groupby(enumerate(sorted(numbers)), lambda at: at[1] - at[0]):
            found = [number for _, number in run]
            first, last = f"{found[0]:0{width}}", f"{found[-1]:0{width}}"
            spans.append(first if len(found) == 1 else f"{first}-{last}")
        alone = len(numbers) == 1
        parts.append(prefix + (spans[0] if alone else f"[{','.join(spans)}]"))
    return ",".join([*parts, *plain])
