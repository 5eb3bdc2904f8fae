# SPDX-License-Identifier: BSD-3-Clause
"""Collectives by IP multicast, in unmodified programs: right whatever is lost."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mpi_harness import (
    DATA,
    ECO,
    MPICH5,
    OPENMPI5,
    PROJECT,
    Mpi,
    Run,
    built,
    either,
    lab,
    natively,
    patient,
    same_results,
    with_one,
)

pytestmark = pytest.mark.lab
PROFILE = DATA / "three-segments-mcast.json"
SECTIONS = "bcast,allgather,vectors,allreduce,types,mixed"


def mcasts(mpi: Mpi, *words: object, choice: str = "mcast:segments=1", **options: Any) -> Run:
    """The program of this folder, with ECO."""
    program = built(mpi, "mcasts")
    options = {"profile": PROFILE, **options}
    return lab(mpi, program, *words, eco=True, choice=choice, **options)


def as_natively(mpi: Mpi, *words: object, **options: Any) -> Run:
    """The same words without ECO, where nothing is lost, end alike and print the same; what ECO's
    run was."""
    native = natively(mpi, built(mpi, "mcasts"), *words, scale=100)
    run = mcasts(mpi, *words, **options)
    assert (native.code == 0) == (run.code == 0), run.text
    assert [line for line in native.out.splitlines() if line.startswith("ok")] == run.results
    return run


def went_well(run: Run, calls: int) -> None:
    """Every byte was right, and it was multicasts that brought them."""
    assert run.code == 0, run.text
    assert f"ok {calls} calls" in run.out
    assert all(what.startswith("mcast") for what in run.used["bcast"])
    assert all(what.startswith("mcast") for what in run.used["allgather"])


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param("mcast:segments=1", marks=pytest.mark.long),
        "mcast:segments=5",
        pytest.param("mcast:inner=k2,segments=3", marks=pytest.mark.long),
    ],
)
@with_one(OPENMPI5, MPICH5)
def test_bit_for_bit(mpi: Mpi, choice: str) -> None:
    """What multicasts cannot do runs natively; both must end with the same bytes."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", SECTIONS]
    native = natively(mpi, *words, scale=100)
    eco = lab(mpi, *words, eco=True, choice=choice, profile=PROFILE)
    same_results(native, eco, ["bcast", "allgather", "allgatherv", "allreduce"])


@with_one(MPICH5, OPENMPI5)
def test_ranks_that_share_hosts(mpi: Mpi) -> None:
    """Several processes of a host hear the same datagrams."""
    program = built(mpi, "conformance")
    words = [program, "--light", "--sections", "bcast,allgather,allreduce"]
    hosts: dict[str, Any] = {"hosts": 4, "per_host": 2, "order": "random:1"}
    # Open MPI 5's han gathers wrongly where types have a lower bound and hosts several ranks.
    hosts["environment"] = {"OMPI_MCA_coll": "^han"}
    native = natively(mpi, *words, scale=100, **hosts)
    choice = "mcast:segments=2"
    eco = lab(mpi, *words, eco=True, choice=choice, profile=PROFILE, **hosts)
    same_results(native, eco, ["bcast", "allgather", "allreduce"])


@with_one(MPICH5, OPENMPI5)
def test_threads(mpi: Mpi) -> None:
    """Several threads' multicasts at once share the socket of their process."""
    program = built(mpi, "conformance")
    words = [program, "--threads", "--sections", "threads,barrier"]
    native = natively(mpi, *words, scale=100)
    eco = lab(mpi, *words, eco=True, choice="mcast:segments=1", profile=PROFILE)
    same_results(native, eco, ["bcast", "allreduce"])


@pytest.mark.parametrize(
    "faults",
    [
        "loss: 1%",
        "loss: 5%",
        "loss: 5%, burst: 20",
        "reorder: 10%",
        "loss: 1%, reorder: 5%, duplicate: 10%",
    ],
)
@with_one(MPICH5, OPENMPI5)
def test_faults(mpi: Mpi, faults: str, tmp_path: Path) -> None:
    """Between two segments, of TCP's frames as well."""
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY.format(faults=faults))
    went_well(as_natively(mpi, 24, 16000, scenario=str(scenario), scale=1), 24)


@pytest.mark.long
@pytest.mark.timeout(1900)
@either
def test_many_calls_with_losses(mpi: Mpi, tmp_path: Path) -> None:
    """Each byte of 15,000 broadcasts and 3,750 allgathers, in some five minutes."""
    scenario = tmp_path / "lossy.yaml"
    scenario.write_text(FAULTY.format(faults="loss: 1%"))
    run = mcasts(mpi, 15000, 16000, scenario=str(scenario), scale=1, seconds=1800)
    went_well(run, 15000)


# Named and numbered as the profile's hosts.
FAULTY = """
description: two fast segments and what happens to the frames between them
networks:
  a: {{kind: switch, rate: 100mbit, hosts: [n0, n1, n2, n3]}}
  b: {{kind: switch, rate: 100mbit, hosts: [n4, n5, n6, n7]}}
links:
  - {{between: [a, b], {faults}}}
"""


@with_one(OPENMPI5, MPICH5)
def test_a_stopped_receiver(mpi: Mpi) -> None:
    """Two seconds; what it missed it gets."""
    went_well(as_natively(mpi, 20, 60000, "stops", 3), 20)


@either
def test_a_late_receiver(mpi: Mpi) -> None:
    """More than its socket holds is sent meanwhile."""
    went_well(mcasts(mpi, 4, 400000, "waits", 5), 4)


@pytest.mark.parametrize(
    ("size", "faults"),
    [(16000, "loss: 5%"), pytest.param(400000, "loss: 0%", marks=pytest.mark.long)],
)
@with_one(MPICH5, OPENMPI5)
def test_a_root_that_leaves(mpi: Mpi, size: int, faults: str, tmp_path: Path) -> None:
    """Before one rank enters, which comes only when the others have done something else: they are
    not kept waiting, and what the late one misses is sent while they sit in native calls."""
    scenario = tmp_path / "faulty.yaml"
    scenario.write_text(FAULTY.format(faults=faults))
    modes = ["sends", "receives", "frees", "many", "ends"]
    eco = {"eco": True, "choice": "mcast:segments=1", "profile": PROFILE, "seconds": 60}
    run = lab(mpi, built(mpi, "leaves"), size, 6, *modes, scenario=str(scenario), scale=1, **eco)
    assert run.code == 0, run.text
    assert run.results == [f"ok {mode}" for mode in modes]
    assert all(what.startswith("mcast") for what in run.used["bcast"])


@either
def test_a_rank_that_dies(mpi: Mpi) -> None:
    """The job ends, as natively."""
    run = as_natively(mpi, 20, 60000, "dies", 2, seconds=60)
    assert run.code != 0
    assert "ok" not in run.out


@pytest.mark.parametrize(
    "words",
    [(24, 16000, "pauses", 3), pytest.param((120, 200000), marks=pytest.mark.long)],
    ids=["between calls", "in a call"],
)
@with_one(OPENMPI5, MPICH5)
def test_it_stops_working(mpi: Mpi, words: tuple[object, ...]) -> None:
    """A link loses all multicasts from a moment on: calls go on by messages, and it is said."""
    run = mcasts(mpi, *words, scale=10, at=("2s link a-b-c multicast=no",))
    went_well(run, int(str(words[0])))
    assert "do not reach" in run.err
    (sent,) = re.findall(r"eco: (\d+) datagrams multicast", run.err)
    assert int(sent) > 24


@either
def test_a_third_party_that_floods(mpi: Mpi) -> None:
    """Foreign, empty and cut datagrams in the job's group are dropped, counted, and said."""
    run = mcasts(mpi, 40, 60000, "floods", 3)
    went_well(run, 40)
    found = re.search(
        r"eco: \d+ datagrams multicast, \d+ sent again; (\d+) datagrams of others", run.err
    )
    assert found, run.err
    assert int(found[1]) > 100
    assert run.err.count("datagrams of others received") == 1


@pytest.mark.alone
@with_one(MPICH5, OPENMPI5)
def test_behind_other_messages(mpi: Mpi) -> None:
    """In an allreduce of 96 kB the multicasts wait behind the messages that sum up: no link loses
    any, so few are sent again, mostly until the first call has shown how late they come, and none
    is given up for."""
    program = built(mpi, "md", PROJECT / "examples")
    words = [program, "--atoms", 4000, "--steps", 10]
    run = lab(mpi, *words, eco=True, choice="mcast:segments=3", profile=PROFILE, scale=1)
    assert run.code == 0, run.text
    assert "do not reach" not in run.err
    found = re.search(r"eco: (\d+) datagrams multicast, (\d+) sent again", run.err)
    assert found, run.err
    assert int(found[2]) < 0.4 * int(found[1]), run.err


def in_one_lab(mpi: Mpi, script: Path) -> subprocess.CompletedProcess[str]:
    """What a script says that runs on the first host and may use `mpirun`."""
    script.chmod(0o755)
    settings = {
        **mpi.environment,
        **patient(mpi),
        "ECO_CHOICE": "mcast:segments=1",
        "ECO_VERBOSE": "2",
    }
    command = [ECO, "lab", "shell", "three-segments", "--mpi", mpi.family, "--scale", 10]
    return subprocess.run(
        [*map(str, command), "--topology", str(PROFILE)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **settings, "SHELL": str(script)},
    )


@pytest.mark.parametrize("what", [pytest.param("", marks=pytest.mark.long), "dies 2"])
@with_one(OPENMPI5, MPICH5)
def test_nothing_is_left(mpi: Mpi, what: str, tmp_path: Path) -> None:
    """While the job runs its hosts are in its group; after it none is, and no process is left."""
    script = tmp_path / "job"
    words = f"{built(mpi, 'mcasts')} 400 60000 {what}"
    script.write_text(LEFT.format(words=words))
    done = in_one_lab(mpi, script)
    meanwhile, code, *left = done.stdout.strip().splitlines()[-3:]
    assert meanwhile == "meanwhile 8", done.stdout + done.stderr
    assert (code == "code 0") == (what == ""), done.stdout
    assert left == ["left 0"], done.stdout


LEFT = """#!/bin/sh
hosts=$(sort -u $ECO_LAB_HOSTFILE)
joined() {{
    for host in $hosts; do
        nsenter --net=/run/netns/$host grep -c 'C[0-3]EF ' /proc/net/igmp
    done | grep -c 1
}}
mpirun {words} >/dev/null &
job=$!
for n in $(seq 100); do
    found=$(joined)
    [ $found = 8 ] && break
    sleep 0.1
done
echo meanwhile $found
wait $job
echo code $?
for n in $(seq 50); do
    left=$(($(joined) + $(cat /proc/[0-9]*/comm 2>/dev/null | grep -c mcasts)))
    [ $left = 0 ] && break
    sleep 0.1
done
echo left $left
"""


@either
def test_two_jobs_at_once(mpi: Mpi, tmp_path: Path) -> None:
    """On one network, each in a group of its own."""
    script = tmp_path / "jobs"
    words = f"{built(mpi, 'mcasts')} 12 16000"
    script.write_text(f"#!/bin/sh\nmpirun {words} &\nmpirun {words}\nwait\n")
    done = in_one_lab(mpi, script)
    assert done.stdout.count("ok 12 calls") == 2, done.stdout + done.stderr
    assert len(re.findall(r"datagrams multicast, \d+ sent again$", done.stderr, re.M)) == 2


SNOOPING = """
description: two switches that copy multicasts only to who listens
networks:
  a: {{kind: switch, rate: 100mbit, snooping: {memory}, hosts: [n0, n1, n2, n3]}}
  b: {{kind: switch, rate: 100mbit, snooping: {memory}, hosts: [n4, n5, n6, n7]}}
links:
  - {{between: [a, b]}}
"""


@either
def test_switches_that_snoop(mpi: Mpi, tmp_path: Path) -> None:
    """Two ranks of a host hear by one membership."""
    scenario = tmp_path / "snooping.yaml"
    scenario.write_text(SNOOPING.format(memory="yes"))
    run = mcasts(mpi, 12, 16000, scenario=str(scenario), scale=1, hosts=6, per_host=2)
    went_well(run, 12)
    assert "do not reach" not in run.err


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.timeout(1300)
@either
def test_switches_that_forget(mpi: Mpi, tmp_path: Path) -> None:
    """After a pause in which all groups were forgotten, and in a job that goes on for longer than a
    group is remembered, multicasts reach all. 1.1 GB come to each host, at 100 Mbit/s."""
    scenario = tmp_path / "snooping.yaml"
    scenario.write_text(SNOOPING.format(memory="13s"))
    for words in [(8, 400000, "pauses", 16), (1000, 400000)]:
        run = mcasts(mpi, *words, scenario=str(scenario), scale=1, seconds=600)
        went_well(run, int(words[0]))
        assert "do not reach" not in run.err


SIX = """
description: two segments whose hosts have no IPv4
addresses: ipv6
networks:
  a: {{kind: switch, rate: 100mbit, {more}hosts: [n0, n1, n2, n3]}}
  b: {{kind: switch, rate: 100mbit, {more}hosts: [n4, n5, n6, n7]}}
links:
  - {{between: [a, b]{faults}}}
"""


def by_six(folder: Path, more: str = "", faults: str = "") -> dict[str, Any]:
    """A network without IPv4, and the usual profile for it."""
    scenario, profile = folder / "six.yaml", folder / "six.json"
    scenario.write_text(SIX.format(more=more, faults=faults))
    known = json.loads(PROFILE.read_text())
    known["mcast"] |= {"family": "ipv6", "payload": 1400}
    profile.write_text(json.dumps(known))
    return {"scenario": str(scenario), "scale": 1, "profile": profile}


@with_one(OPENMPI5, MPICH5)
def test_by_ipv6_bit_for_bit(mpi: Mpi, tmp_path: Path) -> None:
    """Where hosts have no IPv4, also for MPI's own messages."""
    where = by_six(tmp_path)
    words = [built(mpi, "conformance"), "--light", "--sections", "bcast,allgather,allreduce"]
    native = natively(mpi, *words, scale=1, scenario=where["scenario"])
    eco = lab(mpi, *words, eco=True, choice="mcast:segments=2", **where)
    same_results(native, eco, ["bcast", "allgather", "allreduce"])
    assert sent(eco) > 0


@pytest.mark.parametrize("case", ["losses", "snooping", "flood"])
@with_one(MPICH5, OPENMPI5)
def test_by_ipv6(mpi: Mpi, case: str, tmp_path: Path) -> None:
    """As by IPv4: what is lost comes again, switches know who listens, strangers are dropped."""
    where = by_six(
        tmp_path,
        more="snooping: yes, " if case == "snooping" else "",
        faults=", loss: 2%" if case == "losses" else "",
    )
    words = (20, 16000, "floods", 2) if case == "flood" else (24, 16000)
    run = mcasts(mpi, *words, per_host=2 if case == "snooping" else 1, **where)
    went_well(run, words[0])
    assert sent(run) > 0
    assert "do not reach" not in run.err
    if case == "flood":
        assert "datagrams of others received, and dropped" in run.err


def sent(run: Run) -> int:
    """Datagrams, as ECO says at the end."""
    found = re.search(r"eco: (\d+) datagrams multicast", run.err)
    return int(found[1]) if found else 0


@either
def test_switched_off(mpi: Mpi) -> None:
    """Then nothing is multicast, whatever the profile says."""
    run = mcasts(mpi, 4, 16000, choice="auto", environment={"ECO_MULTICAST": "off"})
    assert run.code == 0, run.text
    assert not any(what.startswith("mcast") for use in run.used.values() for what in use)
