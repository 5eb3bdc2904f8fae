# SPDX-License-Identifier: BSD-3-Clause
"""`eco plan` and `eco simulate`: text, JSON, pictures and complaints."""

import itertools
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from commands_harness import PROJECT, buses, complaint, document, eco, rails
from eco.engine import engine

MEASURED = PROJECT / "tests" / "data" / "three-segments-measured.json"
MCAST = PROJECT / "tests" / "data" / "three-segments-mcast.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(json.loads(MEASURED.read_text()) | {"model": buses(3)}))
    return path


def _plan(file: Path, *words: str | int) -> dict[str, Any]:
    result = eco("plan", file, *words, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def _simulate(file: Path, *words: str | int) -> dict[str, Any]:
    result = eco("simulate", file, *words, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_a_plan_explains_itself(file: Path) -> None:
    text = eco("plan", file, "bcast", "--bytes", 16000, "--root", 6).stdout
    assert "bcast of 16,000 B from rank 6 on n6: 8 ranks on 8 hosts" in text
    assert "├── n" in text
    assert "bus of n0 … n2 must carry 51726 bytes" in text
    assert "× bound" in text
    assert "busiest   bus of n" in text
    assert "why" in text
    assert "none was measured" not in text


def test_a_tree_for_each_segment_says_which_is_drawn() -> None:
    buses = PROJECT / "tests" / "data" / "three-segments-measured.json"
    text = eco("plan", buses, "allreduce", "--bytes", 16384).stdout
    assert "segments=24,split=1,rotate=all" in text
    assert "the first segment's tree" in text
    assert "first segment" not in eco("plan", buses, "bcast", "--bytes", 16384).stdout


def test_on_a_switch_a_broadcast_takes_the_fewest_rounds() -> None:
    switch = PROJECT / "tests" / "data" / "switched-8-measured.json"
    for operation in ("bcast", "reduce", "allreduce"):
        text = eco("plan", switch, operation, "--bytes", 16384).stdout
        assert "by circulant" in text, operation


def test_the_first_segments_tree_is_what_runs_first(file: Path) -> None:
    choice = "tree:top=star,inner=star,segments=2,rotate=all"
    profile = engine().parse_profile(file.read_bytes(), "a profile")
    hierarchy = engine().build_hierarchy(profile, list(range(8)))
    parents, _ = engine().tree(hierarchy, "bcast", choice, 4)
    found = _simulate(file, "bcast", "--root", 4, "--choice", choice)["timeline"]
    sent = {(message["from"], message["to"]) for message in found["messages"]}
    assert {(parent, rank) for rank, parent in enumerate(parents) if parent >= 0} <= sent


def test_what_runs_is_what_was_timed(file: Path) -> None:
    untuned = {
        "library": "openmpi 5.0.11", "choice": "native", "known_by": "nothing", "at": None,
    }  # fmt: skip
    assert _plan(file, "alltoall")["runs"] == untuned
    assert "runs      native, with" in eco("plan", file, "alltoall").stdout
    root = json.loads(file.read_text())
    entry = {
        "mpi": "openmpi 5.0.11", "operation": "bcast", "layout": "near", "bytes": 16000,
        "choice": "tree:top=star,inner=star", "native": 2.0, "eco": 1.0, "noise": 0.0,
        "ranks_per_host": 1, "predicted": False,
    }  # fmt: skip
    file.write_text(json.dumps(root | {"tuning": [entry]}))
    assert _plan(file, "bcast")["runs"]["choice"] == "tree:top=star,inner=star"
    text = eco("plan", file, "bcast").stdout
    assert "with openmpi 5.0.11 (timed at 16,000 B: native 2.00 s, ECO 1.00 s)" in _line(text)
    assert _plan(file, "bcast", "--bytes", 10**9)["runs"]["known_by"] == "too long"


def _line(text: str) -> str:
    """Without the terminal's line breaks."""
    return " ".join(text.split())


def test_native_was_timed_at_another_size(file: Path) -> None:
    """Then a plan says at which, and that what runs was not timed at this one."""
    entry = {
        "mpi": "openmpi 5.0.11", "operation": "allreduce", "layout": "near", "bytes": 131072,
        "choice": "native", "native": 0.85, "eco": 0.9, "noise": 0.0, "ranks_per_host": 1,
        "predicted": True, "derived": True,
    }  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | {"tuning": [entry]}))
    call = "allreduce", "--bytes", 1048576
    found = _plan(file, *call)
    assert found["runs"]["known_by"] == "predicted"
    assert found["runs"]["at"] == {"bytes": 131072, "native": 0.85, "eco": 0.9}
    # Nobody timed the library's call either.
    assert found["native"]["known_by"] == "predicted"
    assert found["native"]["least"] < found["native"]["time"] < found["native"]["most"]
    text = _line(eco("plan", file, *call).stdout)
    assert "runs native, with openmpi 5.0.11 (predicted at 131,072 B: native 850 ms" in text
    assert "native 6." in text and "openmpi 5.0.11, predicted" in text


def test_what_runs_is_among_the_candidates(file: Path) -> None:
    choice = "tree:top=star,inner=star,segments=3"
    entry = {
        "mpi": "any", "operation": "bcast", "layout": "near", "bytes": 16000, "choice": choice,
        "native": 9.0, "eco": 1.0, "noise": 0.0, "ranks_per_host": 1, "predicted": True,
    }  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | {"tuning": [entry]}))
    found = _plan(file, "bcast", "--bytes", 16000)
    assert found["runs"]["choice"] == choice
    (row,) = [one for one in found["candidates"] if one["choice"] == choice]
    text = _line(eco("plan", file, "bcast", "--bytes", 16000).stdout)
    assert f"runs {choice}, {row['time'] * 1e3:.1f} ms predicted, with openmpi 5.0.11" in text
    assert "(predicted at 16,000 B: native 9.00 s, ECO 1.00 s)" in text


@pytest.mark.parametrize("data", ["three-segments-measured.json", "switched-8-measured.json"])
def test_all_take_predictions_from_one_source(data: str, tmp_path: Path) -> None:
    """The plan, the simulated timeline, and what tuning and programs choose by."""
    path = PROJECT / "tests" / "data" / data
    for operation, size in (("bcast", 16384), ("allreduce", 16384), ("allgather", 1024)):
        found = _plan(path, operation, "--bytes", size)
        checked = engine().parse_profile(path.read_bytes(), "a profile")
        network = engine().build_network(checked)
        ranks = list(range(found["ranks"]))
        hierarchy = engine().build_hierarchy(checked, ranks)
        call = network, ranks, hierarchy, operation, 0, size
        for one in found["candidates"]:
            if "rails" in one["choice"]:
                continue
            assert one["time"] == engine().predict(*call, one["choice"])
            shown = _simulate(path, operation, "--bytes", size, "--choice", one["choice"])
            assert shown["timeline"]["time"] == one["time"]


def test_a_profile_from_a_pipe(file: Path) -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as pipe:
        threading.Thread(target=lambda: (pipe.write(file.read_text()), pipe.close())).start()
        assert eco("plan", f"/dev/fd/{read}", "bcast").returncode == 0
    os.close(read)


def test_three_buses_need_three_crossings(file: Path) -> None:
    for root in range(8):
        found = _plan(file, "bcast", "--bytes", 16000, "--root", root)
        assert found["bound"]["time"] == pytest.approx(41.4e-3, rel=0.01)
        times = [one["time"] for one in found["candidates"]]
        assert times == sorted(times)
        best = found["candidates"][0]
        assert best["choice"].startswith("tree:top=")
        assert 1 <= best["times_bound"] < 1.35
        assert best["bottleneck"]["name"].startswith("bus of")
        slow = next(one for one in found["candidates"] if one["choice"] == "binomial")
        assert slow["textbook"]
        assert slow["times_bound"] > 2
        assert found["parents"][root] == -1


def test_the_bound_knows_multicast(tmp_path: Path) -> None:
    """With it one crossing of each bus is enough; what held without it is said beside."""
    file = tmp_path / "net.json"
    file.write_text(json.dumps(json.loads(MCAST.read_text()) | {"model": buses(3)}))
    found = _plan(file, "bcast", "--bytes", 16000)
    assert found["bound_by_messages"]["time"] > 2.5 * found["bound"]["time"]
    assert found["candidates"][0]["choice"] == "mcast:segments=1"
    assert 1 <= found["candidates"][0]["times_bound"] < 1.35
    shown = eco("simulate", file, "bcast", "--bytes", 16000)
    assert re.search(r"bound +1\d[.\d]* ms: .*\n +4\d[.\d]* ms without multicast: ", shown.stdout)


def test_why_names_the_rival_and_what_is_worse_there(file: Path) -> None:
    why = _plan(file, "bcast", "--bytes", 16000, "--root", 6)["why"]
    assert "as fast" in why or "It beats" in why
    assert "It beats" in _plan(file, "alltoall", "--bytes", 16)["why"]


def test_without_a_model_media_are_switches_and_it_says_so() -> None:
    text = eco("plan", MEASURED, "bcast").stdout
    assert "none was measured" in text
    assert "port of n" in text
    assert _plan(MEASURED, "bcast")["model"]["assumed"]


@pytest.mark.parametrize("operation", engine().operations())
def test_every_operation(file: Path, operation: str) -> None:
    found = _plan(file, operation, "--bytes", 1000, "--root", 1)
    assert all(one["time"] >= found["bound"]["time"] > 0 for one in found["candidates"])
    shown = _simulate(file, operation, "--bytes", 1000, "--root", 1)
    assert shown["choice"] == found["winner"]
    assert (
        shown["timeline"]["time"] == found["candidates"][0]["time"]
        or found["candidates"][0]["textbook"]
    )


def test_a_timeline_holds_every_rank_message_and_cause(file: Path) -> None:
    shown = _simulate(file, "bcast", "--bytes", 16000, "--choice", "star")
    timeline = shown["timeline"]
    assert [one["host"] for one in timeline["ranks"]] == [f"n{host}" for host in range(8)]
    assert len(timeline["messages"]) == 7
    chain = timeline["chain"]
    assert chain[0]["start"] == 0
    assert chain[-1]["end"] == timeline["time"]
    for before, after in itertools.pairwise(chain):
        assert after["start"] == pytest.approx(before["end"])
    # Seven messages leave n0's bus or cross it.
    link = timeline["links"][timeline["bottleneck"]]
    assert link["bytes"] > 7 * 16000
    assert link["busy"] <= timeline["time"]
    text = eco("simulate", file, "bcast", "--bytes", 16000, "--choice", "star").stdout
    assert "by star" in text
    assert "what the end waited for" in text
    assert "n0 →" in text


def test_two_rails_carry_more_than_one(file: Path) -> None:
    """12 and 3 MB/s, of which the last host has the first: bounds count both, whoever plans."""
    one = _simulate(file, "gather", "--bytes", 1000000, "--choice", "star")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"rails": rails()}))
    call = "gather", "--bytes", 1000000, "--choice"
    two = _simulate(file, *call, "tree:inner=star,rails=2,on=ranks")
    assert two["bound"]["time"] < one["bound"]["time"]
    assert two["bound"]["time"] <= two["timeline"]["time"] < one["timeline"]["time"]
    assert _simulate(file, *call, "star")["timeline"]["time"] == one["timeline"]["time"]
    assert any("rails=2" in each["choice"] for each in _plan(file, *call[:3])["candidates"])
    refusal = _refused("simulate", file, *call, "tree:inner=star,rails=3,on=ranks")
    assert "3 rails, and these hosts have 2" in refusal


def test_ranks_on_one_host_use_no_link(file: Path) -> None:
    shown = _simulate(file, "bcast", "--ranks-per-host", 2)
    assert len(shown["timeline"]["ranks"]) == 16
    assert shown["timeline"]["ranks"][3]["host"] == "n1"
    text = eco("plan", file, "allreduce", "--ranks-per-host", 2).stdout
    assert "16 ranks on 8 hosts" in text


@pytest.mark.parametrize("verb", ["plan", "simulate"])
@pytest.mark.parametrize(("ending", "sign"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_pictures(file: Path, verb: str, ending: str, sign: bytes) -> None:
    picture = file.with_suffix(ending)
    result = eco(verb, file, "reduce", "--plot", picture)
    assert result.returncode == 0, result.stderr
    assert f"wrote {picture}" in result.stdout.replace("\n", "")
    assert picture.read_bytes().startswith(sign)


@pytest.mark.parametrize("subnets", [[0], [0, 0], [0, 1], [host // 6 for host in range(70)]])
def test_networks_of_all_sizes(tmp_path: Path, subnets: list[int]) -> None:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document(subnets)))
    for operation in ("bcast", "allgather", "barrier"):
        shown = eco("plan", path, operation, "--bytes", 64, "--plot", tmp_path / "net.png")
        assert shown.returncode == 0, shown.stderr
        assert shown.stderr == ""


def _refused(*words: str | Path | int) -> str:
    result = eco(*words)
    assert result.returncode in (2, 3)
    return complaint(result)


def test_bad_input_gets_one_sentence(file: Path) -> None:
    assert "'cast' is an unknown collective" in _refused("plan", file, "cast")
    assert "--root 8: must be 0 to 7" in _refused("plan", file, "bcast", "--root", 8)
    assert "--bytes -1: must be 0" in _refused("simulate", file, "bcast", "--bytes", -1)
    assert "--ranks-per-host 0" in _refused("simulate", file, "bcast", "--ranks-per-host", 0)
    assert "does not know their schedules" in _refused(
        "simulate", file, "bcast", "--choice", "native"
    )
    assert "cannot do bcast" in _refused("simulate", file, "bcast", "--choice", "direct")
    assert "is an unknown choice" in _refused("simulate", file, "bcast", "--choice", "best")
    assert ".svg, .png or .pdf" in _refused("plan", file, "bcast", "--plot", "x.txt")
    assert "cannot be read" in _refused("plan", file.with_name("none.json"), "bcast")
    assert "is an unknown choice" in _refused("simulate", file, "bcast", "--choice", "")
    assert "is an unknown choice" in _refused("simulate", file, "bcast", "--choice", "tr\udcffee")
    assert "cannot be read" in _refused("plan", "bad\udcff.json", "bcast")
    deep = file.with_name("deep\udcff.json")
    deep.write_text(f'{{"eco_profile": {"[" * 100000 + "]" * 100000}}}')
    assert "is of profile version a list" in _refused("plan", deep, "bcast")
    many = ("alltoall", "--ranks-per-host", 128)
    refused = _refused("simulate", file, *many, "--choice", "direct")
    assert "alltoall on 1,024 ranks by direct has about 1,048,576 messages" in refused
    damaged = json.loads(file.read_text())
    damaged["model"]["media"][0]["rate"] = -5
    file.write_text(json.dumps(damaged))
    assert "rate of medium of level 0, cluster 0 is -5" in _refused("plan", file, "bcast")
