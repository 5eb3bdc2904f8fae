# SPDX-License-Identifier: BSD-3-Clause
"""The whole way over an emulated network: measure, show, tune, bench."""

import json
import subprocess
from pathlib import Path

import pytest
from commands_harness import ECO

pytestmark = [pytest.mark.lab, pytest.mark.alone]
SUBNETS = [["n0", "n1", "n2"], ["n3", "n4", "n5"], ["n6", "n7"]]


def eco(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ECO, *words], capture_output=True, text=True, timeout=240)


def over(mpi: str, scenario: str = "three-segments") -> list[str | Path]:
    return ["--", ECO, "lab", "run", scenario, "--mpi", mpi, "--native", "--"]


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def measured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    mpi = str(request.param)
    path = tmp_path_factory.mktemp(mpi) / "net.json"
    done = eco("measure", "-o", path, "--no-tune", "--json", *over(mpi))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(json.loads(done.stdout)["hosts"]) == 8
    return mpi, path


# What takes long and hardly differs by library: the other where there is time.
ONE = ["openmpi", pytest.param("mpich", marks=pytest.mark.long)]
with_one = pytest.mark.parametrize("measured", ONE, indirect=True)


@with_one
def test_what_was_found(measured: tuple[str, Path]) -> None:
    mpi, path = measured
    summary = json.loads(eco("show", path, "--json").stdout)
    assert summary["mpi"]["family"] == mpi
    assert [subnet["hosts"] for subnet in summary["subnets"]] == SUBNETS
    assert all(subnet["gap"] > 1.2 for subnet in summary["subnets"])
    # 10 Mbit/s, less the frames' own bytes; nothing between segments is faster.
    for subnet in summary["subnets"]:
        assert 0.6e6 < subnet["bandwidth"] < 1.3e6
    assert all(link["bandwidth"] < 1.3e6 for link in summary["between"])
    ring = summary["ring"]
    borders = sum(
        next(s for s in SUBNETS if one in s) != next(s for s in SUBNETS if two in s)
        for one, two in zip(ring, ring[1:] + ring[:1], strict=True)
    )
    assert borders == 3


@with_one
def test_buses(measured: tuple[str, Path]) -> None:
    """Three buses of 10 Mbit/s; nothing is narrower between them."""
    summary = json.loads(eco("show", measured[1], "--json").stdout)
    media = [subnet["medium"] for subnet in summary["subnets"]]
    assert [medium["kind"] for medium in media] == ["bus"] * 3
    # Bytes on the wire, of 1.25 MB/s.
    assert all(1.15e6 < medium["rate"] < 1.35e6 for medium in media)
    assert [medium["uplink"] for medium in media] == [None] * 3
    model = summary["model"]
    assert [medium["hosts"] for medium in model["media"]] == SUBNETS
    # No host takes longer for itself than a whole message does.
    for overheads in (*model["send"], *model["receive"]):
        assert 0 <= overheads[0] < 1e-3
        assert sum(overheads) > 0
    assert model["error"] < 0.5


@pytest.mark.parametrize("mpi", ONE)
def test_a_switch(mpi: str, tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    options = ["--no-tune"]
    done = eco("measure", "-o", path, *options, *over(mpi, "switched-8"))
    assert done.returncode == 0, done.stderr
    [medium] = json.loads(path.read_text())["model"]["media"]
    assert medium["kind"] == "switch"
    assert 1.0e6 < medium["rate"] < 1.25e6
    assert medium["uplink"] is None


def test_a_link_that_is_slower_one_way(tmp_path: Path) -> None:
    scenario = tmp_path / "uneven.yaml"
    scenario.write_text(
        "networks:\n"
        "  a: {kind: switch, rate: 100mbit, hosts: [n0, n1]}\n"
        "  b: {kind: switch, rate: 100mbit, hosts: [n2, n3]}\n"
        "links:\n"
        "  - {between: [a, b], rate: 20mbit, back: 4mbit, delay: 1ms}\n"
    )
    path = tmp_path / "net.json"
    options = ["--no-tune"]
    done = eco("measure", "-o", path, *options, *over("openmpi", str(scenario)))
    assert done.returncode == 0, done.stderr
    [found] = json.loads(path.read_text())["odd"]
    assert found["what"] == "asymmetric"
    assert found["hosts"][0] in (2, 3)
    assert found["hosts"][1] in (0, 1)
    assert 3 < found["factor"] < 7
    assert "times lower than back" in done.stdout


# One host's port has a fifth of the rate of the others'. At 500 Mbit/s, short messages do not show
# it; at 100 the host is alone in its subnet. Or it has that rate one way only.
SLOW_HOST = """
networks:
  a: {{kind: switch, rate: {rate}mbit, hosts: [n0, n1, n2, n3, n4]}}
  b: {{kind: switch, rate: {own}mbit, hosts: [n5]}}
links:
  - {{between: [a, b], rate: {rate}mbit{more}}}
"""


@pytest.mark.long
@pytest.mark.parametrize("rate", [500, 100])
def test_a_host_with_a_slow_card(rate: int, tmp_path: Path) -> None:
    scenario, path = tmp_path / "slow.yaml", tmp_path / "net.json"
    scenario.write_text(SLOW_HOST.format(rate=rate, own=rate // 5, more=""))
    options = ["--no-tune", "--no-multicast"]
    done = eco("measure", "-o", path, *options, *over("openmpi", str(scenario)))
    assert done.returncode == 0, done.stderr
    assert "n5 is slow: " in done.stdout
    assert "n5 is slow: " in eco("show", path).stdout
    [found] = json.loads(eco("show", path, "--json").stdout)["odd"]
    assert (found["hosts"], found["what"]) == (["n5"], "slow")
    assert 3 < found["factor"] < 15


@pytest.mark.long
def test_a_host_whose_card_is_slow_one_way(tmp_path: Path) -> None:
    """All hosts are in one subnet."""
    scenario, path = tmp_path / "slow.yaml", tmp_path / "net.json"
    scenario.write_text(SLOW_HOST.format(rate=100, own=100, more=", back: 20mbit"))
    options = ["--no-tune", "--no-multicast"]
    done = eco("measure", "-o", path, *options, *over("openmpi", str(scenario)))
    assert done.returncode == 0, done.stderr
    summary = json.loads(eco("show", path, "--json").stdout)
    assert len(summary["subnets"]) == 1
    [found] = summary["odd"]
    assert (found["hosts"][0], found["what"]) == ("n5", "asymmetric")
    assert 3 < found["factor"] < 7
    assert summary["subnets_not_tried"] == 0


@with_one
def test_known_hosts_are_not_measured_again(measured: tuple[str, Path]) -> None:
    mpi, path = measured
    before = json.loads(path.read_text())
    done = eco("measure", "-o", path, "--no-tune", *over(mpi))
    assert done.returncode == 0, done.stderr
    assert "contains these hosts already" in done.stdout
    after = json.loads(path.read_text())
    assert after["minimum"] == before["minimum"]
    assert after["model"] == before["model"]


@with_one
def test_tune_then_bench(measured: tuple[str, Path]) -> None:
    mpi, path = measured
    done = eco(
        "tune", path, "--operations", "bcast", "--sizes", "16384", "--per-cell", "1", *over(mpi)
    )
    assert done.returncode == 0, done.stderr
    tuning = json.loads(path.read_text())["tuning"]
    timed = [entry for entry in tuning if not entry["predicted"]]
    assert {(entry["operation"], entry["bytes"]) for entry in timed} == {("bcast", 16384)}
    assert {entry["layout"] for entry in timed} == {"near", "scattered"}
    predicted = [entry for entry in tuning if entry["predicted"]]
    assert {entry["mpi"] for entry in predicted} == {"any"}
    assert {entry["ranks_per_host"] > 1 for entry in predicted} == {False, True}
    assert {entry["operation"] for entry in predicted} > {"bcast", "allreduce", "alltoall"}
    options = ["--operations", "bcast", "--sizes", "16000", "--patterns", "native,eco,k2,star"]
    done = eco("bench", "--topology", path, *options, "--repeats", "4", "--json", *over(mpi))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["results"][0]
    assert result["ranks"] == 8
    assert [each["pattern"] for each in result["patterns"]] == ["native", "eco", "k2", "star"]
    # The message must cross each bus once at least: 12.8 ms at 10 Mbit/s.
    assert all(each["minimum"] > 0.0128 for each in result["patterns"])
    forms = ["--form", "persistent"] if mpi == "mpich" else ["--form", "nonblocking"]
    patterns = ["--patterns", "native,eco,tree:top=star,inner=star"]
    words = [*options[:4], *forms, *patterns, "--repeats", "2", "--json"]
    done = eco("bench", "--topology", path, *words, *over(mpi))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["results"][0]
    assert result["form"] == forms[1]
    assert len(result["patterns"]) == 3
    for each in result["patterns"]:
        assert each["minimum"] > 0.0128
        # Work and wait.
        assert each["work_with_tests"]["total"] > each["median"]
        assert 0 <= each["work_without_calls"]["overlap"] <= 1


@with_one
def test_tuning_on_some_of_the_hosts(measured: tuple[str, Path]) -> None:
    """What holds for three hosts is not kept as what holds for eight."""
    mpi, path = measured
    before = path.read_text()
    _, *launcher = over(mpi)
    launcher.insert(launcher.index("--mpi"), "--hosts=3")
    done = eco("tune", path, "--operations", "bcast", "--sizes", "16", "--", *launcher)
    assert done.returncode == 4
    assert "ranks run on 3 of the profile's 8 hosts" in done.stderr.splitlines()[-1]
    assert path.read_text() == before


def test_a_launcher_that_fails(tmp_path: Path) -> None:
    done = eco("measure", "-o", tmp_path / "net.json", *over("openmpi", "three-segmnts"))
    assert done.returncode == 4
    assert "three-segmnts" in done.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())
