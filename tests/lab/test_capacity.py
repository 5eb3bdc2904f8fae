# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` finds what hosts share, also where single messages are equally quick everywhere:
beside what the scenarios say of themselves."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eco.engine import engine
from eco.lab.load import load
from eco.lab.profile import own_command
from lab_harness import LAB, needs_quiet_lab

pytestmark = needs_quiet_lab

long = pytest.mark.long
NEAR = 0.1  # of a rate


def _measured(scenario: str, mpi: str, path: Path, *options: str) -> Any:
    words = [*own_command("eco"), "measure", "--no-tune", "-o", path, *options, "--"]
    words += [*LAB, "run", scenario, "--native", "--mpi", mpi, "--"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text())


def _on_wire(rate: float | None) -> float | None:
    return rate and 8 * float(engine().on_wire(rate))


Clusters = dict[frozenset[str], tuple[float | None, float | None]]


def clusters_of(profile: Any) -> Clusters:
    """Hosts and uplinks, out and in, in bit/s on the wire, of what was found by capacity."""
    hosts = profile["hosts"]
    found: Clusters = {}
    for medium in profile["model"]["media"]:
        if medium.get("found_by") != "capacity":
            continue
        level = profile["levels"][medium["level"]]
        own = frozenset(h for h, c in zip(hosts, level, strict=True) if c == medium["cluster"])
        out = medium["uplink"]
        found[own] = (_on_wire(out), _on_wire(medium.get("uplink_in", out)))
    return found


@pytest.mark.parametrize(
    ("scenario", "mpi"),
    [
        ("leaf-2x4", "openmpi"),
        pytest.param("leaf-2x4", "mpich", marks=long),
        pytest.param("slow-uplink", "mpich", marks=long),
        pytest.param("slow-uplink", "openmpi", marks=long),
        pytest.param("leaf-4x4", "openmpi", marks=long),
        pytest.param("leaf-4x4", "mpich", marks=long),
        pytest.param("mixed-ports", "openmpi", marks=long),
        pytest.param("mixed-ports", "mpich", marks=long),
    ],
)
def test_truth(scenario: str, mpi: str, tmp_path: Path) -> None:
    # Times of single messages then part nothing, whatever disturbs them.
    found = clusters_of(_measured(scenario, mpi, tmp_path / "p.json", "--tolerance", "1"))
    truth = load(scenario).truth
    assert truth is not None
    assert set(found) == {frozenset(cluster.hosts) for cluster in truth}
    for cluster in truth:
        out, into = found[frozenset(cluster.hosts)]
        assert out == pytest.approx(cluster.uplink, rel=NEAR)
        wanted = cluster.uplink if cluster.uplink_in is None else cluster.uplink_in
        assert into == pytest.approx(wanted, rel=NEAR)


@long
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("scenario", ["switched-8", "campus-20", "magpie"])
def test_nothing_where_nothing_is_shared(scenario: str, mpi: str, tmp_path: Path) -> None:
    assert clusters_of(_measured(scenario, mpi, tmp_path / "p.json")) == {}
