# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure` within a time: what it says it did is what the profile holds."""

import json
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from eco.lab.mpi import PROJECT
from eco.line_code import EventReader
from lab_harness import LAB, needs_lab

pytestmark = needs_lab
ECO = PROJECT / "build/release/bin/eco"
PROFILE = PROJECT / "tests/data/three-segments.json"


def output_of(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_short_time(tmp_path: Path) -> None:
    """Too short for all choices: those that are left open are the library's."""
    out = tmp_path / "net.json"
    document = json.loads(PROFILE.read_text())
    document["tuning"] = []
    out.write_text(json.dumps(document))
    command = [ECO, "tune", out, "--budget", 2, "--operations", "bcast,gatherv", "--json"]
    launcher = [*LAB, "run", "three-segments", "--native", "--scale", 100, "--"]
    printed = output_of(*command, "--", *launcher)
    entries = [entry for entry in json.loads(out.read_text())["tuning"] if entry["mpi"] != "any"]
    asked = {-1, 16, 1024, 16384, 131072}  # others: just below, where the library changes
    kinds = Counter((e["operation"], e["layout"]) for e in entries if e["bytes"] in asked)
    assert kinds == {
        (operation, layout): count
        for layout in ("near", "scattered")
        for operation, count in (("bcast", 4), ("gatherv", 1))
    }
    chosen = json.loads(printed)["chosen"]
    assert sum(chosen.values()) == len(entries)
    assert sum(not entry["predicted"] for entry in entries) == chosen["timed"]
    assert chosen["open"] >= 2, "gatherv follows gather, of which nothing was asked"
    for entry in entries:
        if entry["predicted"] and entry["choice"] != "native":
            assert entry["native"] > 1.05 * entry["eco"] > 0
        if entry["operation"] == "gatherv":
            assert entry["choice"] == "native"


@pytest.mark.long
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_calls_that_do_not_block(mpi: str, tmp_path: Path) -> None:
    """They get entries of their own, beside those of the blocking calls."""
    out = tmp_path / "net.json"
    out.write_text(PROFILE.read_text())
    before = json.loads(PROFILE.read_text())["tuning"]
    options = ["--operations", "bcast,gatherv", "--sizes", "16384", "--per-cell", "0.2"]
    launcher = [*LAB, "run", "three-segments", "--mpi", mpi, "--native", "--scale", 100, "--"]
    command = [ECO, "tune", out, "--form", "nonblocking", *options, "--json", "--", *launcher]
    output_of(*command)
    tuning = json.loads(out.read_text())["tuning"]
    assert [entry for entry in tuning if not entry["operation"].startswith("i")] == before
    fresh = [entry for entry in tuning if entry not in before]
    kinds = {(entry["operation"], entry["layout"], entry["bytes"]) for entry in fresh}
    assert kinds >= {
        (operation, layout, size)
        for layout in ("near", "scattered")
        for operation, size in (("ibcast", 16384), ("igatherv", -1))
    }
    assert {entry["operation"] for entry in fresh} == {"ibcast", "igatherv"}
    for entry in fresh:
        assert entry["native"] > 0 and entry["eco"] > 0 and not entry["predicted"]
        assert "native" not in entry["choice"].partition(":")[2]
        assert "rails" not in entry["choice"]
    assert "ibcast" in output_of(ECO, "show", out)


@pytest.mark.alone
def test_where_the_library_changes(tmp_path: Path) -> None:
    """Open MPI scatters 16,384 bytes as fast as the links allow, and 16,000 by a tree that sends
    over the bridge what need not cross it: what holds at the one size does not hold just below."""
    out = tmp_path / "net.json"
    document = json.loads(PROFILE.read_text())
    document["tuning"] = []
    out.write_text(json.dumps(document))
    command = [ECO, "tune", out, "--budget", 15, "--operations", "scatter", "--sizes", 16384]
    launcher = [*LAB, "run", "three-segments", "--mpi", "openmpi", "--native", "--"]
    output_of(*command, "--json", "--", *launcher)
    entries = [entry for entry in json.loads(out.read_text())["tuning"] if entry["mpi"] != "any"]
    chosen = {entry["bytes"]: entry for entry in entries if entry["layout"] == "near"}
    (below,) = set(chosen) - {16384}
    assert 16000 < below < 16384
    assert chosen[16384]["choice"] == "native" != chosen[below]["choice"]
    assert chosen[below]["native"] > 1.3 * chosen[16384]["native"]


def test_no_time_left(tmp_path: Path) -> None:
    """Finding the network takes longer than all that was given: nothing more is begun."""
    launcher = [*LAB, "run", "three-segments", "--native", "--"]
    probe = [ECO, "probe", "measure", "--within", 1, "--launched", time.time() - 1]
    printed = output_of(*launcher, *probe)
    reader = EventReader()
    events = [event for line in printed.splitlines() for event in reader.take(line) or []]
    begun = [str(event.get("what", "")).split(" ")[0] for event in events]
    assert not {"connecting", "timing", "comparing"} & set(begun[-20:]), begun
    (chosen,) = (event for event in events if event["event"] == "chosen")
    assert chosen["timed"] == 0 < chosen["open"]
    assert chosen["network"] > 1
    (found,) = (event["profile"] for event in events if event["event"] == "profile")
    assert len(found["hosts"]) == 8


def test_the_network_alone_without_time(tmp_path: Path) -> None:
    """What can be shortened is: repeats, and pairs of NICs after the first."""
    out = tmp_path / "net.json"
    launcher = [*LAB, "run", "two-rails", "--native", "--scale", 100, "--"]
    options = ["--no-tune", "--no-multicast", "--repeats", 8, "--budget", 1, "--json"]
    printed = output_of(ECO, "measure", "-o", out, *options, "--", *launcher)
    document = json.loads(out.read_text())
    repeats = document["parameters"]["repeats"]
    assert repeats < 8
    said = f"--repeats 8: the time was enough for {repeats}; a longer --budget makes more"
    assert said in json.loads(printed)["notes"]
    rails = document["rails"]["rails"]
    assert len(rails) == 2
    for rail in rails:
        table = rail["bandwidth"]
        hosts = range(len(document["hosts"]))
        assert len({table[a][b] for a in hosts for b in range(a)}) == 1


SIDES = [", ".join(f"{side}{host}" for host in range(7)) for side in "ab"]
TWO_NICS = f"""
networks:
  left: {{kind: switch, rate: 100mbit, hosts: [{SIDES[0]}]}}
  right: {{kind: switch, rate: 100mbit, hosts: [{SIDES[1]}]}}
  left2: {{kind: switch, rate: 40mbit, hosts: [{SIDES[0]}]}}
  right2: {{kind: switch, rate: 40mbit, hosts: [{SIDES[1]}]}}
links:
  - {{between: [left, right], rate: 20mbit, delay: 4ms}}
  - {{between: [left2, right2], rate: 20mbit, delay: 4ms}}
"""


@pytest.mark.long
@pytest.mark.alone
def test_nics_of_many_hosts(tmp_path: Path) -> None:
    """Few pairs are timed over them; of the others what is known of their subnets."""
    scenario, out = tmp_path / "nics.yaml", tmp_path / "net.json"
    scenario.write_text(TWO_NICS)
    launcher = [*LAB, "run", scenario, "--native", "--"]
    options = ["--no-tune", "--no-multicast", "--repeats", 2, "--json"]
    printed = output_of(ECO, "measure", "-o", out, *options, "--", *launcher)
    said = "--repeats 2: of so many hosts most pairs are timed once; --all-pairs times all, and "
    assert said + "repeats it" in json.loads(printed)["notes"]
    document = json.loads(out.read_text())
    hosts = document["hosts"]
    first, second = document["rails"]["rails"]
    for rail in (first, second):
        for key in ("latency", "bandwidth"):
            for a, one in enumerate(hosts):
                for b, two in enumerate(hosts):
                    joined = a != b and rail["cards"][a] and rail["cards"][b]
                    assert (rail[key][a][b] > 0) == bool(joined), (key, one, two)
    for rail in (first, second):
        for a, one in enumerate(hosts):
            for b, two in enumerate(hosts):
                if a != b:
                    assert (rail["latency"][a][b] > 4e-3) == (one[0] != two[0]), (one, two)
        assert len({rail["latency"][a][b] for a in range(14) for b in range(a)}) < 30


SITES = """
networks:
  middle: {kind: switch, rate: 1gbit}
  left: {kind: switch, rate: 100mbit, hosts: [a0, a1]}
  right: {kind: switch, rate: 100mbit, hosts: [b0, b1]}
links:
  - {between: [middle, left], rate: 40mbit, delay: 6ms}
  - {between: [middle, right], rate: 40mbit, delay: 6ms}
"""


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.parametrize("every", [False, True])
def test_sites_far_apart(every: bool, tmp_path: Path) -> None:
    """Each pair is timed, but long messages only where they tell something new; or all of it."""
    scenario, out = tmp_path / "sites.yaml", tmp_path / "net.json"
    scenario.write_text(SITES)
    launcher = [*LAB, "run", scenario, "--native", "--"]
    options = ["--no-tune", "--no-multicast", *(["--all-pairs"] if every else [])]
    command = [ECO, "measure", "-o", out, *options, "--json", "--", *launcher]
    output_of(*command)
    document = json.loads(out.read_text())
    assert "mcast" not in document
    sites = [{"a": 0, "b": 1}[host[0]] for host in document["hosts"]]
    assert [int(level != document["levels"][-1][0]) for level in document["levels"][-1]] == [
        int(site != sites[0]) for site in sites
    ]
    if every:
        assert "survey" not in document
        return
    short, _, long = (
        list(zip(each[::2], each[1::2], strict=True)) for each in document["survey"]["measured"]
    )
    assert len(short) == 6
    between = [(a, b) for a, b in long if sites[a] != sites[b]]
    assert 0 < len(between) < 4
    assert len(long) - len(between) == 2
    matrix = document["minimum"][2]
    assert all(matrix[a][b] > 12e-3 for a in range(4) for b in range(4) if sites[a] != sites[b])
