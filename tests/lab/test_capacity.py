# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` finds what hosts share, also where single messages are equally quick everywhere:
beside what the scenarios say of themselves."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from eco.engine import engine
from eco.lab.load import SHIPPED, load
from eco.lab.profile import own_command
from lab_harness import LAB, needs_quiet_lab

pytestmark = needs_quiet_lab

long = pytest.mark.long
NEAR = 0.1  # of a rate


def _measured(scenario: str, mpi: str, path: Path, *options: str) -> Any:
    words = [*own_command("eco"), "measure", "--no-tune", "-o", path, *options, "--"]
    words += [*LAB, "run", scenario, "--native", "--mpi", mpi, "--"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text())


def _on_wire(rate: float | None) -> float | None:
    return rate and 8 * float(engine().on_wire(rate))


Rates = tuple[float | None, float | None]  # out and in, bit/s on the wire
Clusters = dict[frozenset[str], Rates]


def clusters_of(profile: Any, found_by: tuple[str, ...] = ("capacity",)) -> Clusters:
    """Hosts and uplinks of what was found so, but for that of all hosts."""
    hosts = profile["hosts"]
    found: Clusters = {}
    for medium in profile["model"]["media"]:
        if medium.get("found_by", "times") not in found_by:
            continue
        level = profile["levels"][medium["level"]]
        own = frozenset(h for h, c in zip(hosts, level, strict=True) if c == medium["cluster"])
        if own == frozenset(hosts):
            continue
        out = medium["uplink"]
        found[own] = (_on_wire(out), _on_wire(medium.get("uplink_in", out)))
    return found


def cuts_of(clusters: Clusters, hosts: list[str]) -> list[tuple[frozenset[str], Rates]]:
    """The side without the first host, and what leaves and enters it, of each cluster that has an
    uplink: a chain of switches may be cut into clusters in several ways."""
    found = []
    for own, (out, into) in clusters.items():
        if out or into:
            other = frozenset(hosts) - own
            found.append((other, (into, out)) if hosts[0] in own else (own, (out, into)))
    return found


def finest(clusters: Clusters) -> set[frozenset[str]]:
    return {own for own in clusters if not any(other < own for other in clusters)}


@pytest.mark.parametrize(
    ("scenario", "mpi"),
    [
        ("leaf-2x4", "openmpi"),
        pytest.param("leaf-2x4", "mpich", marks=long),
        pytest.param("slow-uplink", "mpich", marks=long),
        pytest.param("slow-uplink", "openmpi", marks=long),
        pytest.param("leaf-4x4", "openmpi", marks=long),
        pytest.param("leaf-4x4", "mpich", marks=long),
        pytest.param("chain-4", "openmpi", marks=long),
        pytest.param("chain-4", "mpich", marks=long),
        pytest.param("mixed-ports", "openmpi", marks=long),
        pytest.param("mixed-ports", "mpich", marks=long),
        pytest.param("office", "openmpi", marks=long),
        pytest.param("office", "mpich", marks=long),
        pytest.param("pods-64", "openmpi", marks=long),
    ],
)
def test_truth(scenario: str, mpi: str, tmp_path: Path) -> None:
    # Times of single messages then part nothing but a Wi-Fi cell, whatever disturbs them.
    profile = _measured(scenario, mpi, tmp_path / "p.json", "--tolerance", "1")
    truth = load(scenario).truth
    assert truth is not None
    true_clusters: Clusters = {
        frozenset(each.hosts): (
            each.uplink,
            each.uplink if each.uplink_in is None else each.uplink_in,
        )
        for each in truth
    }
    found, hosts = clusters_of(profile, ("capacity", "times")), profile["hosts"]
    assert finest(found) == finest(true_clusters)
    cuts, true_cuts = cuts_of(found, hosts), dict(cuts_of(true_clusters, hosts))
    assert {side for side, _ in cuts} == set(true_cuts)
    for side, rates in cuts:
        assert rates == pytest.approx(true_cuts[side], rel=NEAR)
    assert set(_connections(tmp_path / "p.json")) == {None}


def _connections(profile: Path) -> list[float | None]:
    """What one connection out of each subnet reaches, where that shows links side by side."""
    words = [*own_command("eco"), "show", "--json", profile]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    media = [subnet["medium"] for subnet in json.loads(done.stdout)["subnets"]]
    return [medium and medium["one_connection"] for medium in media]


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=long)])
def test_links_side_by_side(mpi: str, tmp_path: Path) -> None:
    """Two links of 10 Mbit/s between switches whose ports have 20: one connection takes one."""
    text = (SHIPPED / "leaf-2x4.yaml").read_text()
    cable = "between: [r0, r1], rate: 20mbit"
    assert cable in text
    (tmp_path / "bundle.yaml").write_text(text.replace(cable, f"{cable}, members: 2"))
    _measured(str(tmp_path / "bundle.yaml"), mpi, tmp_path / "p.json", "--tolerance", "1")
    for rate in _connections(tmp_path / "p.json"):
        assert rate is not None
        # Two of the eleven frames of a message pass a token bucket at once.
        assert 10e6 * (1 - NEAR) < 8 * rate < 10e6 * (1 + NEAR) * 11 / 9


def _uplinks(network: str | Path, mpi: str, profile: Path) -> tuple[int, Any]:
    words = [*own_command("eco"), "doctor", "--uplinks", "--json", "--topology", profile, "--"]
    words += [*LAB, "run", network, "--native", "--mpi", mpi, "--"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=200)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("scenario", "cable", "mpi"),
    [
        ("leaf-2x4", "[r0, r1]", "openmpi"),
        pytest.param("chain-4", "[s2, s3]", "mpich", marks=long),
    ],
)
def test_uplinks_of_a_profile(scenario: str, cable: str, mpi: str, tmp_path: Path) -> None:
    """`eco doctor --uplinks`: as they are, and with one that carries half."""
    profile = tmp_path / "p.json"
    _measured(scenario, mpi, profile, "--tolerance", "1")
    code, found = _uplinks(scenario, mpi, profile)
    assert (code, found["findings"]) == (0, [])
    assert len(found["uplinks"]) >= 2
    slower = f"between: {cable}, rate: 10mbit"
    text = (SHIPPED / f"{scenario}.yaml").read_text()
    changed = tmp_path / "changed.yaml"
    changed.write_text(text.replace(f"between: {cable}, rate: 20mbit", slower))
    assert slower in changed.read_text()
    code, found = _uplinks(changed, mpi, profile)
    assert code == 10
    assert {each["check"] for each in found["findings"]} == {"uplink"}


@long
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
@pytest.mark.parametrize("scenario", ["switched-8", "campus-20", "magpie", "old-hosts"])
def test_nothing_where_nothing_is_shared(scenario: str, mpi: str, tmp_path: Path) -> None:
    assert clusters_of(_measured(scenario, mpi, tmp_path / "p.json")) == {}
