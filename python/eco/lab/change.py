# SPDX-License-Identifier: BSD-3-Clause
"""What changes while a program runs: `--at TIME WHAT` and `--traffic` as plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from eco.errors import EcoError, ExitCode
from eco.lab import units
from eco.lab.scenario import Link, Network, Scenario

_FORMS = (
    "'link A-B rate=2mbit' (or delay=, loss=, multicast=no), 'network A rate=2mbit', "
    "'host N slow=4' or 'traffic N-M rate=5mbit'"
)


@dataclass(frozen=True)
class Stream:
    """Bytes from one host to another, at `rate` bit/s; 0 ends it."""

    source: str
    target: str
    rate: float


@dataclass(frozen=True)
class Change:
    """Something that happens `at` so many seconds; `network` is what stands from then on."""

    at: float
    said: str
    network: Scenario
    slow: tuple[str, float] | None = None
    stream: Stream | None = None


def plan(scenario: Scenario, at: Sequence[str], traffic: Sequence[str]) -> list[Change]:
    """All changes in the order of their times, first the scenario's own slow hosts; EcoError says
    what is wrong with a text.

    `at` holds texts such as `5s link a-b rate=2mbit`, `traffic` such as `n0-n1:5mbit`.
    """
    read: list[tuple[_Reader, list[str]]] = []
    for text in traffic:
        pair, _, rate = text.rpartition(":")
        reader = _Reader(f"--traffic {text!r}", scenario)
        if not pair or not rate:
            reader.fail("must name two hosts and a rate, as n0-n1:5mbit")
        read.append((reader, ["traffic", pair, f"rate={rate}"]))
    for text in at:
        words = text.split()
        reader = _Reader(f"--at {text!r}", scenario)
        if len(words) < 4:
            reader.fail(f"must be a time and one of {_FORMS}")
        reader.at = reader.unit(units.parse_moment, words[0])
        read.append((reader, words[1:]))
    changes = [
        Change(0.0, _slower(host, factor), scenario, slow=(host, factor))
        for host, factor in scenario.slow
    ]
    for reader, words in sorted(read, key=lambda item: item[0].at):
        changes.append(reader.read(changes[-1].network if changes else scenario, words))
    return changes


class _Reader:
    """One text, which `where` names in complaints."""

    def __init__(self, where: str, scenario: Scenario) -> None:
        self.where, self.scenario, self.at = where, scenario, 0.0

    def fail(self, what: str) -> NoReturn:
        raise EcoError(f"{self.where}: {what}", ExitCode.USAGE)

    def unit(self, parse: Callable[[Any], Any], text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            self.fail(str(error))

    def read(self, now: Scenario, words: list[str]) -> Change:
        kind, name, *settings = words
        known = {
            "link": self.link,
            "network": self.network,
            "host": self.host,
            "traffic": self.traffic,
        }
        if kind not in known:
            self.fail(f"{kind!r} must be one of {_FORMS}")
        return known[kind](now, name, settings)

    def settings(self, kind: str, words: list[str], allowed: set[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not equals or key not in allowed or key in found:
                forms = ", ".join(f"{name}=" for name in sorted(allowed))
                self.fail(f"{word!r}: what can be set of a {kind}, once each: {forms}")
            found[key] = value
        return found

    def link(self, now: Scenario, name: str, words: list[str]) -> Change:
        # In any order: a-b is b-a.
        parts = sorted(name.split("-"))
        names = ["-".join(link.between) for link in now.links]
        found = [n for n, own in enumerate(names) if sorted(own.split("-")) == parts]
        if not found:
            self.fail(f"{now.name} has no link {name!r}; {_listed('link', names)}")
        before = now.links[found[0]]
        new: dict[str, Any] = {}
        parsers: dict[str, Callable[[Any], Any]] = {
            "rate": units.parse_rate,
            "back": units.parse_rate,
            "delay": units.parse_delay,
            "loss": units.parse_loss,
            "burst": units.parse_count,
            "reorder": units.parse_loss,
            "duplicate": units.parse_loss,
            "multicast": _yes_or_no,
        }
        for key, value in self.settings("link", words, set(parsers)).items():
            new[key] = self.unit(parsers[key], value)
        if "back" in new and before.rate is None and "rate" not in new:
            self.fail(f"link {names[found[0]]} has no rate; back= needs one beside it")
        after = replace(before, **new)
        links = tuple(after if n == found[0] else link for n, link in enumerate(now.links))
        shown = ", ".join(f"{key} {_show(after, key)} (was {_show(before, key)})" for key in new)
        return self.change(replace(now, links=links), f"link {names[found[0]]}: {shown}")

    def network(self, now: Scenario, name: str, words: list[str]) -> Change:
        names = [network.name for network in now.networks]
        if name not in names:
            self.fail(f"{now.name} has no network {name!r}; {_listed('network', names)}")
        rate = self.unit(units.parse_rate, self.settings("network", words, {"rate"})["rate"])
        before = now.networks[names.index(name)]
        after = before.with_rate(rate)
        networks = tuple(after if network is before else network for network in now.networks)
        shown = f"rate {_show(after, 'rate')} (was {_show(before, 'rate')})"
        return self.change(replace(now, networks=networks), f"network {name}: {shown}")

    def host(self, now: Scenario, name: str, words: list[str]) -> Change:
        self.check_host(name)
        text = self.settings("host", words, {"slow"})["slow"]
        factor = self.unit(units.parse_slow, text)
        return replace(self.change(now, _slower(name, factor)), slow=(name, factor))

    def traffic(self, now: Scenario, pair: str, words: list[str]) -> Change:
        text = self.settings("traffic", words, {"rate"})["rate"]
        # A host's name may hold a dash as well.
        cuts = [n for n, letter in enumerate(pair) if letter == "-"]
        pairs = [(pair[:n], pair[n + 1 :]) for n in cuts]
        known = [ends for ends in pairs if set(ends) <= set(self.scenario.hosts)]
        if not pairs:
            self.fail(f"{pair!r} must name two hosts, as n0-n1")
        if not known:
            for host in pairs[0]:
                self.check_host(host)
        source, target = known[0]
        if source == target:
            self.fail("must go from one host to another")
        rate = 0.0 if text == "0" else self.unit(units.parse_rate, text)
        said = f"traffic {source}-{target}: " + (units.show_rate(rate) if rate else "ended")
        return replace(self.change(now, said), stream=Stream(source, target, rate))

    def check_host(self, name: str) -> None:
        if name not in self.scenario.hosts:
            hosts = list(self.scenario.hosts)
            self.fail(f"{self.scenario.name} has no host {name!r}; {_listed('host', hosts)}")

    def change(self, network: Scenario, said: str) -> Change:
        return Change(self.at, said, network)


def _slower(host: str, factor: float) -> str:
    return f"host {host}: " + (f"{factor:g} times slower" if factor > 1 else "full speed")


def _yes_or_no(text: object) -> bool:
    if text not in ("yes", "no"):
        raise ValueError(f"{text!r} must be yes or no")
    return text == "yes"


def _listed(kind: str, names: list[str]) -> str:
    if not names:
        return f"it has no {kind}s"
    shown = names if len(names) <= 8 else [*names[:7], "…", names[-1]]
    return f"its {kind}s are {', '.join(shown)}"


def _show(part: Link | Network, key: str) -> str:
    value = getattr(part, key)
    if value is None:
        return "the same" if key == "back" else "full speed"
    if key in ("rate", "back"):
        return units.show_rate(value)
    if key == "burst":
        return f"{value:g}"
    if key == "multicast":
        return "yes" if value else "no"
    return units.show_delay(value) if key == "delay" else f"{value * 100:g} %"
