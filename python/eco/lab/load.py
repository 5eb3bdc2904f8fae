# SPDX-License-Identifier: BSD-3-Clause
"""Reads a scenario file; every fault gets one sentence that says where it is."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Optional, TypeVar

from eco import store
from eco.errors import EcoError, ExitCode
from eco.lab import units, yaml_text
from eco.lab.scenario import Forwarding, Kind, Link, Multicast, Network, Scenario, TrueCluster

SHIPPED = Path(__file__).with_name("scenarios")
MOST_HOSTS = 1000
MOST_TIMES = 20  # as long as another frame, a multicast takes: more find no place in a queue
LEAST_MEMORY = 0.1  # seconds, of a switch that snoops
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_KINDS: dict[str, Kind] = {"bus": "bus", "switch": "switch"}
_FORWARDINGS: dict[str, Forwarding] = {
    "store-and-forward": "store-and-forward",
    "cut-through": "cut-through",
}
_FAULTS = ("loss", "reorder", "duplicate")
_LINK = {"rate", "back", "delay", "burst", "multicast", "members", *_FAULTS}
_MEMBERS = ("1", "2", "4")
_TAKEN = ("eco-lab", "localhost")
_T = TypeVar("_T")


def shipped_names() -> list[str]:
    """Names of the scenarios that come with ECO."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def load(name_or_path: str) -> Scenario:
    """A shipped scenario by its name, or one from a YAML file."""
    known = shipped_names()
    path = Path(name_or_path)
    if name_or_path in known:
        path = SHIPPED / f"{name_or_path}.yaml"
    elif not store.is_file(path, ExitCode.BAD_INPUT):
        raise EcoError(
            f"no scenario {name_or_path!r}: neither a file nor one of {', '.join(known)}"
            + _nearest(name_or_path, known),
            ExitCode.BAD_INPUT,
        )
    return _Reader(path).read()


def _nearest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, what: str) -> NoReturn:
        raise EcoError(f"scenario {self.path}: {what}", ExitCode.BAD_INPUT)

    def read(self) -> Scenario:
        try:
            data = yaml_text.read(self.path)
        except ValueError as error:
            self.fail(str(error))
        top = self.mapping(
            data,
            "the file",
            {"networks"},
            {"description", "links", "default_hosts", "addresses", "truth", "slow"},
        )
        description = top.get("description", "")
        if not isinstance(description, str):
            self.fail("description must be text")
        networks = self.networks(top["networks"])
        addresses = top.get("addresses", "ipv4")
        if addresses not in ("ipv4", "ipv6"):
            self.fail(f"addresses {addresses!r} must be ipv4 or ipv6")
        ipv6 = addresses == "ipv6"
        links = self.links(top.get("links"), [n.name for n in networks], ipv6)
        self.check_loops(networks, links)
        scenario = Scenario(self.path.stem, description, networks, links, ipv6=ipv6)
        self.check_joined(scenario)
        default = str(top.get("default_hosts", len(scenario.hosts)))
        if not re.fullmatch("[0-9]{1,9}", default) or not 1 <= int(default) <= len(scenario.hosts):
            self.fail(f"default_hosts must be a number from 1 to {len(scenario.hosts)}")
        truth = self.clusters(top["truth"], scenario.hosts) if "truth" in top else None
        slow = self.of_hosts("slow", top.get("slow", {}), scenario.hosts, units.parse_slow)
        return replace(scenario, default_hosts=int(default), truth=truth, slow=slow)

    def mapping(
        self, data: object, where: str, needed: set[str], optional: set[str]
    ) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail(f"{where} must hold keys ({', '.join(sorted(needed | optional))})")
        for key in data:
            if key not in needed | optional:
                self.fail(
                    f"unknown key {key!r} in {where}"
                    + (_nearest(str(key), needed | optional) or self.valid(needed | optional))
                )
        for key in sorted(needed - set(data)):
            self.fail(f"{where} has no {key!r}")
        return data

    @staticmethod
    def valid(keys: set[str]) -> str:
        return f"; valid are {', '.join(sorted(keys))}"

    def unit(self, where: str, parse: "Any", value: object) -> float:
        try:
            return float(parse(value))
        except ValueError as error:
            self.fail(f"{where}: {error}")

    @staticmethod
    def truth(data: object) -> Optional[bool]:
        """None if it is neither yes nor no, in any of YAML's words."""
        return _TRUTHS.get(str(data).lower())

    def networks(self, data: object) -> tuple[Network, ...]:
        if not isinstance(data, dict) or not data:
            self.fail("'networks' must name at least one network")
        networks: list[Network] = []
        home: set[str] = set()
        for key, body in data.items():
            where = f"network {key!r}"
            optional = {"hosts", "snooping", "forwarding", "ports", "multicast"}
            entry = self.mapping(body, where, {"kind", "rate"}, optional)
            kind = entry["kind"]
            if not isinstance(kind, str) or kind not in _KINDS:
                self.fail(f"{where}: kind {kind!r} must be 'bus' or 'switch'")
            rate = self.unit(f"{where}: rate", units.parse_rate, entry["rate"])
            hosts = self.hosts(where, entry.get("hosts", []))
            home |= set(hosts)
            snooping, forgets = self.snooping(where, kind, entry.get("snooping", "no"))
            forwarding = entry.get("forwarding", "store-and-forward")
            if not isinstance(forwarding, str) or forwarding not in _FORWARDINGS:
                self.fail(
                    f"{where}: forwarding {forwarding!r} must be store-and-forward or cut-through"
                )
            if kind == "bus" and ("forwarding" in entry or "ports" in entry):
                self.fail(f"{where}: a bus has neither 'forwarding' nor 'ports'")
            multicast = None
            if "multicast" in entry:
                multicast = self.multicast(where, kind, rate, entry["multicast"])
            given = entry.get("ports", {})
            ports = self.of_hosts(f"{where}: ports", given, hosts, units.parse_rate)
            networks.append(
                Network(
                    str(key),
                    _KINDS[kind],
                    rate,
                    hosts,
                    snooping,
                    forgets,
                    _FORWARDINGS[forwarding],
                    ports,
                    multicast,
                )
            )
        if not home:
            self.fail("no network has a host")
        if len(home) > MOST_HOSTS:
            self.fail(f"{len(home)} hosts; at most {MOST_HOSTS} can be emulated")
        return tuple(networks)

    def snooping(self, where: str, kind: str, data: object) -> tuple[bool, float]:
        snoops = self.truth(data)
        if snoops is not False and kind != "switch":
            self.fail(f"{where}: a bus has no 'snooping'")
        if snoops is not None:
            return snoops, 0.0
        forgets = self.unit(f"{where}: snooping", units.parse_moment, data)
        if forgets < LEAST_MEMORY:
            self.fail(f"{where}: snooping: {data!r} is less than {LEAST_MEMORY:g}s")
        return True, forgets

    def multicast(self, where: str, kind: str, rate: float, data: object) -> Multicast:
        where = f"{where}: multicast"
        if kind != "bus":
            self.fail(f"{where}: a switch has none; it is of a bus that is a Wi-Fi cell")
        entry = self.mapping(data, where, set(), {"rate", "loss"})
        basic = (
            self.unit(f"{where}: rate", units.parse_rate, entry["rate"])
            if "rate" in entry
            else rate
        )
        times = round(rate / basic)
        if not 1 <= times <= MOST_TIMES or abs(times * basic - rate) > 0.01 * rate:
            self.fail(
                f"{where}: the network's rate must be a whole multiple of the multicasts' rate, "
                f"{MOST_TIMES} times that at most"
            )
        return Multicast(times, self.unit(f"{where}: loss", units.parse_loss, entry.get("loss", 0)))

    def hosts(self, where: str, data: object) -> tuple[str, ...]:
        if not isinstance(data, list):
            self.fail(f"{where}: hosts must be a list such as [n0, n1]")
        for host in data:
            if not isinstance(host, str) or not _HOST.fullmatch(host):
                self.fail(f"{where}: {host!r} is not a host name (letters, digits and '-')")
            if host in _TAKEN:
                self.fail(f"{where}: {host!r} is the lab's own name; choose another")
        for host in data:
            if data.count(host) > 1:
                self.fail(f"{where}: two hosts are named {host!r}")
        return tuple(data)

    def of_hosts(
        self, where: str, data: object, hosts: tuple[str, ...], parse: "Any"
    ) -> tuple[tuple[str, float], ...]:
        """A value of some hosts."""
        if not isinstance(data, dict):
            self.fail(f"{where} must name hosts, each with a value")
        for host in data:
            if host not in hosts:
                self.fail(f"{where}: there is no host {host!r}")
        return tuple(
            (str(host), self.unit(f"{where}: {host}", parse, value)) for host, value in data.items()
        )

    def clusters(self, data: object, hosts: tuple[str, ...]) -> tuple[TrueCluster, ...]:
        if not isinstance(data, list):
            self.fail("'truth' must be a list of entries such as {hosts: [a, b], uplink: 10mbit}")
        found: list[TrueCluster] = []
        for number, body in enumerate(data, start=1):
            where = f"truth {number}"
            entry = self.mapping(body, where, {"hosts"}, {"uplink", "uplink_in"})
            own = self.hosts(where, entry["hosts"])
            for host in own:
                if host not in hosts:
                    self.fail(f"{where}: there is no host {host!r}")
            rates = {
                key: self.unit(f"{where}: {key}", units.parse_rate, entry[key])
                for key in ("uplink", "uplink_in")
                if key in entry
            }
            found.append(TrueCluster(own, **rates))
        return tuple(found)

    def links(self, data: object, names: list[str], ipv6: bool) -> tuple[Link, ...]:
        if data is None:
            return ()
        if not isinstance(data, list):
            self.fail("'links' must be a list of entries such as {between: [a, b]}")
        links: list[Link] = []
        for number, body in enumerate(data, start=1):
            where = f"link {number}"
            entry = self.mapping(body, where, {"between"}, _LINK)
            between = entry["between"]
            if not isinstance(between, list) or len(between) < 2:
                self.fail(f"{where}: 'between' must list two or more networks")
            for name in between:
                if str(name) not in names:
                    self.fail(f"{where}: unknown network {name!r}" + _nearest(str(name), names))
            if len({str(name) for name in between}) < len(between):
                self.fail(f"{where}: a network is listed twice in 'between'")
            rate = None
            if "rate" in entry:
                rate = self.unit(f"{where}: rate", units.parse_rate, entry["rate"])
            back = None
            if "back" in entry:
                if rate is None:
                    self.fail(f"{where}: 'back' needs a 'rate', that of the other direction")
                back = self.unit(f"{where}: back", units.parse_rate, entry["back"])
            delay = self.unit(f"{where}: delay", units.parse_delay, entry.get("delay", "0ms"))
            faults = {
                key: self.unit(f"{where}: {key}", units.parse_loss, entry.get(key, 0))
                for key in _FAULTS
            }
            burst = self.unit(f"{where}: burst", units.parse_count, entry.get("burst", 1))
            multicast = self.truth(entry.get("multicast", "yes"))
            if multicast is None:
                self.fail(f"{where}: 'multicast' must be yes or no")
            members = str(entry.get("members", 1))
            if members not in _MEMBERS:
                self.fail(f"{where}: members {members!r} must be {' or '.join(_MEMBERS[1:])}")
            if members != "1" and (rate is None or ipv6):
                self.fail(f"{where}: 'members' needs a 'rate' and IPv4")
            links.append(
                Link(
                    tuple(map(str, between)),
                    rate,
                    back,
                    delay,
                    burst=int(burst),
                    **faults,
                    multicast=multicast,
                    members=int(members),
                )
            )
        return tuple(links)

    def check_loops(self, networks: tuple[Network, ...], links: tuple[Link, ...]) -> None:
        group = {network.name: network.name for network in networks}
        for link in links:
            joined = {group[name] for name in link.between}
            # Ethernet bridges without a spanning tree send frames round a loop forever.
            if len(joined) < len(link.between):
                self.fail(f"the link between {', '.join(link.between)} closes a loop; remove one")
            target = group[link.between[0]]
            group = {name: target if root in joined else root for name, root in group.items()}

    def check_joined(self, scenario: Scenario) -> None:
        domains, networks = scenario.domains, scenario.networks
        for n, network in enumerate(networks):
            if domains[n] != 0 and not network.hosts and domains.count(domains[n]) == 1:
                self.fail(f"network {network.name!r} is joined to no other and has no host")
        for host in scenario.hosts:
            cards = scenario.cards(host)
            # Names stand for the first interface, which therefore all must reach.
            if domains[cards[0]] != 0:
                self.fail(
                    f"network {networks[cards[0]].name!r} is joined to no other; add it to a "
                    f"link's 'between', or {host!r} to a network that is joined to the first"
                )
            shared = {domains[n]: networks[n].name for n in cards}
            if len(shared) < len(cards):
                self.fail(
                    f"two hosts are named {host!r}, or one has two NICs in networks that links "
                    f"join ({', '.join(networks[n].name for n in cards)}); a host's networks "
                    "must be separate"
                )
