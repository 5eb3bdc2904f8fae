# SPDX-License-Identifier: BSD-3-Clause
"""`eco learn`: what programs learned, and forgetting it."""

import json
import os
from pathlib import Path

import pytest
from commands_harness import complaint, document, eco
from eco.learned import path_of as of_profile

CREATED = "2026-01-02T03:04:05Z"


def learned(best: str = "k2", network: str = CREATED) -> dict[str, object]:
    arms = [
        {"choice": "native", "runs": 11, "mean": 0.003},
        {"choice": "k2", "runs": 11, "mean": 0.002},
    ]
    entry = {
        "mpi": "openmpi 5.0.11",
        "operation": "bcast",
        "layout": "near",
        "hosts_shared": False,
        "ranks": 8,
        "bytes": 14336,
        "best": best,
        "arms": arms,
    }
    return {"eco_learned": 1, "network": network, "classes": [entry]}


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document()))
    return path


def beside(profile: Path) -> Path:
    return profile.with_name("net.json.learned")


def test_nothing_yet(profile: Path) -> None:
    assert eco("learn", profile).stdout == f"nothing was learned yet of {profile}\n"
    assert "nothing was learned yet" in eco("learn", "--forget", profile).stdout


def test_lists_and_forgets(profile: Path) -> None:
    beside(profile).write_text(json.dumps(learned()))
    for verb in ("learn", "show"):
        text = eco(verb, profile).stdout
        assert "learned while programs ran with openmpi 5.0.11" in text
        assert "bcast" in text
        assert "1.50× k2  (22 calls)" in text
    found = json.loads(eco("learn", profile, "--json").stdout)
    assert found["classes"][0]["arms"][1]["choice"] == "k2"
    assert json.loads(eco("show", profile, "--json").stdout)["learned"] == found["classes"]
    assert found["classes"][0]["program"] == ""
    removed = json.loads(eco("learn", profile, "--forget", "--json").stdout)
    assert removed == {"file": str(beside(profile)), "removed": True}
    assert not beside(profile).exists()


def test_of_another_measurement_is_not_listed(profile: Path) -> None:
    beside(profile).write_text(json.dumps(learned(network="2020-01-01T00:00:00Z")))
    assert "nothing was learned yet" in eco("learn", profile).stdout


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"eco_learned": 2}', '{"eco_learned": 1, "network": "x", "classes": [3]}'],
)
def test_a_damaged_file_is_one_sentence_and_stays(profile: Path, text: str) -> None:
    text = text.replace('"x"', json.dumps(CREATED))
    beside(profile).write_text(text)
    line = complaint(bad := eco("learn", profile))
    assert bad.returncode == 3
    assert str(beside(profile)) in line
    assert "8 hosts" in eco("show", profile).stdout
    assert "eco learn --forget" in line
    assert beside(profile).read_text() == text


def test_no_profile_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "eco measure" in complaint(eco("learn"))


def test_names_the_program_of_non_blocking_calls(profile: Path) -> None:
    document = learned()
    (entry,) = document["classes"]  # type: ignore[misc]
    entry |= {"operation": "ibcast", "program": "train.py"}
    beside(profile).write_text(json.dumps(document))
    assert "8 ranks, train.py  1.50× k2" in eco("learn", profile).stdout


def test_names_the_graph_of_neighbourhood_collectives(profile: Path) -> None:
    whole = learned("spread:segments=1")
    (entry,) = whole["classes"]  # type: ignore[misc]
    entry |= {"operation": "neighbor_allgather", "graph": "759419d471659955"}
    beside(profile).write_text(json.dumps(whole))
    for verb in ("learn", "show"):
        assert "8 ranks, graph 7594" in eco(verb, profile).stdout
    found = json.loads(eco("learn", profile, "--json").stdout)
    assert found["classes"][0]["graph"] == "759419d471659955"


def test_in_the_users_folder(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot be beside the profile. Clusters that share a home may each have one of this
    name, so the date of the measurement is in it."""
    monkeypatch.setenv("XDG_DATA_HOME", "/d")
    assert of_profile(profile) == beside(profile)
    own = Path("/d/eco/profiles/net.json.20260102T030405Z.learned")
    beside(profile).write_text("")
    allowed = os.access
    closed = {beside(profile)}
    monkeypatch.setattr(os, "access", lambda path, mode: path not in closed and allowed(path, mode))
    assert of_profile(profile) == own
    closed = {profile.parent}
    assert of_profile(profile) == own
