# SPDX-License-Identifier: BSD-3-Clause
"""What hosts would tell `eco doctor`, and what it then says."""

import json
from pathlib import Path
from typing import Any

from coded_lines import coded
from commands_harness import DONE, Outcome, document, eco, launcher, progress
from eco.zipped import zipped

HOSTS = [f"n{host}" for host in range(8)]


def nic(name: str, address: str, **more: Any) -> dict[str, Any]:
    usual = {"prefix": 24, "bridge": False, "down": False, "mtu": 1500, "megabits": 10000}
    return usual | {"name": name, "address": address} | more


def told(**changes: dict[str, Any]) -> list[dict[str, Any]]:
    """What eight sound hosts say, with changes to some of them."""
    return [
        {
            "host": host,
            "rank": number,
            "ranks": len(HOSTS),
            "build": "eco-build 1",
            "mpi": "Open MPI v5.0.11",
            "environment": {"ECO_DOCTOR": "mark"},
            "interfaces": [nic("eth0", f"10.9.0.{number + 1}")],
            "kernel": "6.1",
            "clock": "tsc",
            "governor": "performance",
            "tcp": {"sent": 1000, "sent_again": 0},
        }
        | changes.get(host, {})
        for number, host in enumerate(HOSTS)
    ]


def lines(kind: str, *each: dict[str, Any]) -> str:
    """What ranks print of their hosts."""
    return "".join(coded({"event": "host", kind: about}) for about in each)


def said(*events: dict[str, Any]) -> str:
    """What rank 0 prints of events."""
    return coded(*events)


def way(source: int, target: int, **changes: Any) -> dict[str, Any]:
    """All that was sent from one host to another came."""
    usual = {"network": "10.9.0.0/24", "sent": 300, "arrived": 300}
    usual |= {"full_bytes": 1500, "full_sent": 6, "full_arrived": 6}
    return usual | {"from": HOSTS[source], "to": HOSTS[target]} | changes


def counted(
    shares: dict[str, float] | None = None, **changes: dict[str, int]
) -> list[dict[str, Any]]:
    """What hosts say when measuring has ended: TCP's counters; of some, the second look's share."""
    usual = {"sent": 3000, "sent_again": 0, "had_already": 0}
    return [
        {"host": host, "tcp": usual | changes.get(host, {})}
        | ({"processor_share": shares[host]} if shares and host in shares else {})
        for host in HOSTS
    ]


def timed_again(
    host: str, short: float = 1.0, long: float = 1.0, odd: int = 0, beside: int = 0
) -> dict[str, Any]:
    """Five visits of a host, so many times what its neighbours take; `odd` of them took no longer
    than those do, and `beside` of the neighbours' took as long."""

    def visits(less: int, more: int, factor: float, usual: float) -> list[float]:
        return [usual] * less + [factor * usual] * more

    def sizes(less: int, more: int) -> dict[str, list[float]]:
        lasting = [a + b for a, b in zipped(visits(less, more, short, 3e-4),
                                            visits(less, more, long, 1e-2))]  # fmt: skip
        return {"short": visits(less, more, short, 3e-4), "long": lasting}

    return {"host": host, "own": sizes(odd, 5 - odd), "beside": sizes(5 - beside, beside)}


def doctor(
    folder: Path,
    before: list[dict[str, Any]] | None = None,
    after: list[dict[str, Any]] | None = None,
    profile: dict[str, Any] | None = None,
    *words: str | Path,
    ways: tuple[dict[str, Any], ...] = (),
    times: list[dict[str, Any]] | None = None,
    again: tuple[dict[str, Any], ...] = (),
    orders: dict[str, float] | None = None,
) -> Outcome:
    events = [
        progress(0.1),
        {"event": "again", "hosts": again} | ({"orders": orders} if orders else {}),
        {"event": "profile", "profile": profile or document()},
        {"event": "collectives", "collectives": times or []},
        DONE,
    ]
    text = lines("facts", *(before or told())) + lines("link", *ways)
    text += said(*events) + lines("counters", *(after or counted()))
    start = launcher(folder / "bin", text, version="mpirun (Open MPI) 5.0.11")
    return eco("doctor", "--json", *words, "--", start.path)


def checks(result: Outcome) -> list[str]:
    """Names of all findings beside that no profile is stored."""
    found = [each["check"] for each in json.loads(result.stdout)["findings"]]
    return [check for check in found if check != "no-profile"]


def only(result: Outcome) -> dict[str, Any]:
    """The one finding beside that no profile is stored."""
    assert not result.stderr.count("eco: "), result.stderr
    found = [f for f in json.loads(result.stdout)["findings"] if f["check"] != "no-profile"]
    assert len(found) == 1, found
    assert isinstance(found[0], dict)
    for word in (found[0]["what"], found[0]["do"]):
        assert word in found[0]["sentence"]
    return found[0]
