# SPDX-License-Identifier: BSD-3-Clause
"""Collectives where routers stop IP multicast: inside areas by it, between them by messages."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import (
    DATA,
    MPICH5,
    OPENMPI5,
    Mpi,
    built,
    lab,
    natively,
    same_results,
    with_one,
)
from test_mcast import went_well

pytestmark = pytest.mark.lab

ROUTED = """
description: three segments of hosts, and routers that carry no multicasts
networks:
  a: {{kind: bus, rate: 10mbit, hosts: [n0, n1, n2]}}
  b: {{kind: bus, rate: 10mbit, hosts: [n3, n4, n5]}}
  c: {{kind: bus, rate: 10mbit, hosts: [n6, n7]}}
links:
  - {{between: [a, b, c], multicast: no{faults}}}
"""


def routed(folder: Path, faults: str = "") -> dict[str, Any]:
    """The network, and what `eco measure` knows of it."""
    scenario, profile = folder / "routed.yaml", folder / "routed.json"
    scenario.write_text(ROUTED.format(faults=faults))
    known = json.loads((DATA / "three-segments-mcast.json").read_text())
    known["mcast"]["areas"] = [
        {"level": 0, "cluster": cluster, "rate": 11e6, "loss": 0.0} for cluster in range(3)
    ]
    profile.write_text(json.dumps(known))
    return {"scenario": str(scenario), "profile": profile}


def datagrams(err: str) -> int:
    assert "do not reach" not in err, err
    found = re.search(r"eco: (\d+) datagrams multicast", err)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param("mcast:segments=1", marks=pytest.mark.long),
        "mcast:top=chain,segments=5",
        pytest.param("mcast:top=relay,inner=k2,segments=3", marks=pytest.mark.long),
    ],
)
@with_one(OPENMPI5, MPICH5)
def test_bit_for_bit(mpi: Mpi, choice: str, tmp_path: Path) -> None:
    """A rank multicasts several messages in one call, while others come from other areas."""
    where = routed(tmp_path)
    words = [
        built(mpi, "conformance"),
        "--light",
        "--sections",
        "bcast,allgather,vectors,allreduce",
    ]
    native = natively(mpi, *words, scale=100)
    eco = lab(mpi, *words, eco=True, choice=choice, scale=100, **where)
    same_results(native, eco, ["bcast", "allgather", "allgatherv", "allreduce"])
    assert datagrams(eco.err) > 0


@with_one(MPICH5, OPENMPI5)
def test_ranks_that_share_hosts(mpi: Mpi, tmp_path: Path) -> None:
    """In a random order, so that every host has ranks of every place in the ring."""
    where = routed(tmp_path)
    words = [built(mpi, "conformance"), "--light", "--sections", "bcast,allgather,allreduce"]
    hosts: dict[str, Any] = {"hosts": 5, "per_host": 2, "order": "random:1"}
    hosts["environment"] = {"OMPI_MCA_coll": "^han"}  # as in test_mcast.py
    native = natively(mpi, *words, scale=100, **hosts)
    choice = "mcast:top=chain,segments=2"
    eco = lab(mpi, *words, eco=True, choice=choice, scale=100, **where, **hosts)
    same_results(native, eco, ["bcast", "allgather", "allreduce"])
    assert datagrams(eco.err) > 0


@pytest.mark.parametrize("faults", ["", ", loss: 1%, delay: 2ms"])
@with_one(MPICH5, OPENMPI5)
def test_every_byte(mpi: Mpi, faults: str, tmp_path: Path) -> None:
    """From every root, and all to all, with losses on the way between areas too."""
    where = routed(tmp_path, faults)
    choice = "mcast:top=chain,segments=4"
    run = lab(mpi, built(mpi, "mcasts"), 16, 16000, eco=True, choice=choice, scale=10, **where)
    went_well(run, 16)
    assert datagrams(run.err) > 0
