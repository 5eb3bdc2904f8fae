# SPDX-License-Identifier: BSD-3-Clause
"""Profiles in Python: what is read is written again, and what is not sound is refused."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from commands_harness import PROJECT, document, model, tuned
from eco.errors import EcoError, ExitCode
from eco.odd import describe_odd

from eco import profile, store, structure


def edited(*keys: Any, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document())
    place: Any = changed
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return changed


def without(*keys: str) -> dict[str, Any]:
    changed = copy.deepcopy(document())
    place = changed
    for key in keys[:-1]:
        place = place[key]
    del place[keys[-1]]
    return changed


def test_round_trip() -> None:
    written = document() | {"tuning": [tuned(), tuned("gatherv", -1, "native")]}
    first = profile.from_document(written, "x")
    assert first.document() == written
    assert profile.parse(profile.to_json(first), "x") == first


def test_earlier_tuning_is_of_one_rank_per_host() -> None:
    entry = tuned()
    del entry["ranks_per_host"], entry["predicted"]
    (found,) = profile.from_document(document() | {"tuning": [entry]}, "x").tuning
    assert (found.ranks_per_host, found.predicted) == (1, False)


def test_a_model_is_optional() -> None:
    written = document() | {"model": model()}
    first = profile.from_document(written, "x")
    assert first.document() == written
    assert profile.parse(profile.to_json(first), "x") == first
    assert profile.from_document(document() | {"model": None}, "x").model is None
    assert "model" not in profile.from_document(document(), "x").document()


def in_blocks() -> dict[str, Any]:
    """`document` with each matrix in block form, and figures that differ from their block."""
    found = document() | {"model": model()}
    across = found["minimum"][0][0][3]
    found["minimum"][0] = {
        "blocks": [[across / 2 if a == b else across for b in range(3)] for a in range(3)],
        "pairs": [0, 2, 7e-3, 1, 7, 8],
    }
    found["spread"] = [{"blocks": [[0.0] * 3] * 3, "pairs": []} for _ in range(3)]
    del found["model"]["transfer"]
    return found


def test_a_matrix_by_subnets_and_pairs_that_differ() -> None:
    rows = document()
    for a, b, figure in ((0, 2, 7e-3), (1, 7, 8.0)):
        rows["minimum"][0][a][b] = rows["minimum"][0][b][a] = figure
    written = in_blocks()
    first = profile.from_document(written, "x")
    assert first.minimum == profile.from_document(rows, "x").minimum
    assert first.spread == profile.from_document(rows, "x").spread
    assert first.document() == written
    text = profile.to_json(first)
    assert profile.to_json(profile.parse(text, "x")) == text
    assert structure.summary(first)["model"]["error"] == 0.0625


def blocks(*keys: Any, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(in_blocks())
    place = changed["minimum"][0]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return changed


def with_model(*keys: Any, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document() | {"model": model()})
    place: Any = changed["model"]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    return changed


def test_processors_that_hosts_share() -> None:
    shared = with_model("shared_gap", value=1.1e-4)
    assert profile.from_document(shared, "x").document()["model"] == shared["model"]
    own = profile.from_document(document() | {"model": model()}, "x")
    assert "shared_gap" not in own.document()["model"]


def test_the_projects_own_profile() -> None:
    found = profile.read(PROJECT / "tests" / "data" / "three-segments.json")
    assert len(found.hosts) == 8
    assert profile.parse(profile.to_json(found), found.origin) == found


def multicast(level: int, cluster: int) -> dict[str, Any]:
    area = {"level": level, "cluster": cluster, "rate": 1e6, "loss": 0}
    mcast = {"interfaces": ["eth0"] * 8, "payload": 1400, "areas": [area]}
    return document() | {"mcast": mcast}


BROKEN: list[tuple[Any, str]] = [
    ({}, "not an ECO profile"),
    ([1], "not an ECO profile"),
    (edited("eco_profile", value=2), "is of profile version 2, this ECO reads 1"),
    (edited("eco_profile", value="1"), 'is of profile version "1", this ECO reads 1'),
    (without("hosts"), "missing key hosts"),
    (without("parameters", "sizes"), "missing key sizes"),
    (without("mpi", "family"), "missing key family"),
    (edited("hosts", value="n0"), "hosts has the wrong type"),
    (edited("hosts", 1, value="n0"), "a host is named twice"),
    (document([]) | {"hosts": []}, "no hosts"),
    (edited("minimum", 1, 0, 1, value=-1e-3), "minimum gives -0.001 between hosts 0 and 1"),
    (edited("minimum", 0, 2, 1, value=0), "minimum gives 0 between hosts 2 and 1"),
    (edited("minimum", 0, 2, 1, value=1e9), "minimum gives 1e+09 between hosts 2 and 1"),
    (edited("minimum", 0, 2, 1, value=math.nan), "not a complete JSON document"),
    (edited("minimum", 0, 2, 1, value=10**400), "has a number that is out of range"),
    (edited("parameters", "tolerance", value=10**400), "has a number that is out of range"),
    (edited("minimum", 0, 2, 1, value="x"), "minimum has the wrong type"),
    (edited("minimum", 0, 2, 1, value=True), "minimum has the wrong type"),
    (edited("spread", 0, 2, 1, value=-1), "spread gives -1 between hosts 2 and 1"),
    (edited("minimum", 0, value=[]), "minimum has 0 rows, not one per host"),
    (edited("minimum", 0, 3, value=[1.0]), "minimum is not square"),
    (edited("minimum", value=[]), "minimum needs one matrix per size"),
    (edited("minimum", 0, value={}), "missing key blocks"),
    (blocks("blocks", value=[[1.0]]), "minimum.blocks does not have 3 rows of 3, one per subnet"),
    (blocks("blocks", 0, 1, value=0), "minimum.blocks is not symmetric between subnets 1 and 0"),
    (blocks("blocks", 0, 0, value=0), "minimum gives 0 between hosts 0 and 1"),
    (blocks("pairs", value=[0, 1]), "minimum.pairs has an incomplete pair"),
    (blocks("pairs", 1, value=8), "minimum.pairs names hosts 0 and 8, which are not a pair"),
    (blocks("pairs", 2, value=-1), "minimum.pairs gives -1 between hosts 0 and 2"),
    (edited("parameters", "tolerance", value=-1), "tolerance is out of range"),
    (edited("parameters", "partition_bytes", value=5), "partition_bytes, 5, is not among the"),
    (edited("parameters", "sizes", value=[1, 1, 2]), "sizes are not ascending"),
    (edited("levels", value=[]), "levels is empty"),
    (edited("levels", 0, value=[0]), "a level does not name every host once"),
    (edited("levels", 0, 2, value=99), "a level holds the cluster id 99"),
    (edited("levels", value=[[0] * 4 + [1] * 4, [0] * 3 + [1] * 5]), "levels are not nested"),
    (edited("ring", value=[0] * 8), "ring does not name every host once"),
    (edited("tuning", value=[tuned() | {"native": -1}]), "tuning has an invalid time"),
    (edited("tuning", value=[{"mpi": "x"}]), "missing key"),
    (edited("tuning", value=[tuned() | {"ranks_per_host": 0}]), "tuning is for 0 ranks per host"),
    (edited("tuning", value=[tuned() | {"layout": "nearby"}]), "tuning is for the layout 'nearby'"),
    (edited("tuning", value=[tuned() | {"bytes": -77}]), "tuning is for messages of -77 bytes"),
    (edited("model", value=[]), "model has the wrong type"),
    (with_model("send", 1, 0, value=-1e-5), "model: send of host 1 is -1e-05, which is out"),
    (with_model("receive", 3, 1, value=7), "model: receive per byte of host 3 is 7"),
    (with_model("send", value=[]), "model: send has 0 entries, not one per host"),
    (with_model("send", 0, value=[1]), "model: send must have two numbers per host"),
    (with_model("transfer", "fixed", 0, 2, value=-1), "model: transfer.fixed gives -1 between"),
    (with_model("error", value=-1), "model: error is -1, which is out of range"),
    (with_model("shared_gap", value=-1e-5), "model: shared_gap is -1e-05, which is out of range"),
    (with_model("media", 0, "kind", value="hub"), "model: the medium of level 0, cluster 0 is a"),
    (with_model("media", 0, "rate", value=0), "model: the rate of medium of level 0, cluster 0"),
    (with_model("media", 1, "uplink", value=-2), "model: the uplink of medium of level 0"),
    (with_model("media", 1, "cluster", value=0), "model: level 0, cluster 0 has two media"),
    (with_model("media", 1, "level", value=-1), "model: the medium of level -1, cluster 1: there"),
    (with_model("media", 1, "cluster", value=9), "model: the medium of level 0, cluster 9: "),
    *((multicast(*area), "mcast: an area is of no cluster") for area in ((-2, 0), (1, 0), (0, 9))),
    (multicast(-1, 1), "mcast: an area is of no cluster"),
]


@pytest.mark.parametrize(("broken", "why"), BROKEN, ids=[why for _, why in BROKEN])
def test_what_is_not_sound(broken: Any, why: str) -> None:
    with pytest.raises(EcoError) as caught:
        profile.parse(json.dumps(broken), "net.json")
    assert caught.value.message.startswith(f"net.json: {why}")
    assert caught.value.message.endswith("; measure again with 'eco measure'")
    assert caught.value.code == ExitCode.BAD_INPUT


def test_cut_off_anywhere(tmp_path: Path) -> None:
    text = profile.to_json(profile.from_document(document(), ""))
    for end in range(0, len(text) - 2, 97):
        with pytest.raises(EcoError, match="not a complete JSON document"):
            profile.parse(text[:end], "cut.json")


def test_more_than_the_document() -> None:
    text = profile.to_json(profile.from_document(document(), ""))
    for more, why in (("\0", "has zero bytes"), ("x", "not a complete JSON document")):
        with pytest.raises(EcoError, match=why):
            profile.parse(text + more, "more.json")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(EcoError, match=r"cannot be read .*; name a profile"):
            profile.read(path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EcoError, match="not a complete JSON document"):
        profile.read(tmp_path / "binary")


def test_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.json"
    path.write_text("before")
    path.chmod(0o640)
    monkeypatch.setattr(store.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(EcoError, match="cannot be written: full"):
        store.write(path, "after")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    store.write(path, "after")
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "net.json", tmp_path / "link.json"
    target.write_text("before")
    link.symlink_to(target)
    store.write(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"


def test_names_in_the_store() -> None:
    first = profile.from_document(document(), "")
    turned = document() | {"hosts": [f"n{7 - host}" for host in range(8)]}
    strange = document() | {"hosts": ["../x"] + [f"n{host}" for host in range(1, 8)]}
    name = store.name(first)
    assert name.startswith("n0-8-")
    assert store.name(profile.from_document(turned, ""))[2:] == name[2:]
    assert "/" not in store.name(profile.from_document(strange, ""))


def test_structure() -> None:
    levels = [[0] * 6 + [1] * 2, [0, 0, 0, 1, 1, 1, 2, 2]]
    found = profile.from_document(document() | {"levels": levels}, "")
    root = structure.tree(found)
    assert [part.hosts for part in root.parts] == [(0, 1, 2, 3, 4, 5), (6, 7)]
    assert [part.hosts for part in root.parts[0].parts] == [(0, 1, 2), (3, 4, 5)]
    assert [subnet.number for subnet in root.subnets] == [0, 1, 2]
    assert structure.gap(found, (0, 1, 2)) == pytest.approx(2.0)
    assert structure.gap(found, range(8)) is None
    link = structure.link(found, [(0, 1), (0, 2)])
    assert link is not None
    assert link.latency == pytest.approx(3e-4 * (1 + 1 / 400))
    assert link.bandwidth == found.network.rate(0, 1) == found.network.rate(0, 2)


def test_fast_hosts_are_near_to_slow_ones_too() -> None:
    """Two hosts on a fast switch reach a slow bus in the time of one crossing of the bus."""
    written = document([0, 0, 0, 1, 1])
    for matrix in written["minimum"]:
        for a in range(5):
            for b in range(5):
                if (a < 3) != (b < 3):
                    matrix[a][b] = matrix[0][1]
        matrix[3][4] = matrix[4][3] = matrix[0][1] / 10
    found = profile.from_document(written, "")
    assert structure.gap(found, (0, 1, 2)) == pytest.approx(10)
    assert structure.gap(found, (3, 4)) == pytest.approx(10)


def test_a_lone_host() -> None:
    found = profile.from_document(document([0, 0, 1]), "")
    assert structure.gap(found, (2,)) == pytest.approx(2)
    assert structure.gap(profile.from_document(document([0, 1]), ""), (0,)) is None


def test_one_wrong_time_hides_no_boundary() -> None:
    written = document()
    for matrix in written["minimum"]:
        matrix[0][1] = matrix[1][0] = 50.0
    assert structure.gap(profile.from_document(written, ""), (0, 1, 2)) == pytest.approx(2.0)


def test_what_was_noted_beside() -> None:
    pairs = [0, 1, 0, 2]
    noted = document() | {
        "survey": {"checks": 4, "not_compared": 0.25, "measured": [pairs, pairs, [0, 1]]},
        "odd": [
            {"hosts": [2], "what": "slow", "factor": 1.5},
            {"hosts": [0, 3], "what": "asymmetric", "factor": 2.0},
        ],
        "subnets_not_tried": 1,
        "others_traffic": [
            {"host": 0, "sent": 625e3, "received": 1e3},
            {"host": 4, "sent": 0.0, "received": 600e3},
        ],
    }
    found = profile.parse(json.dumps(noted), "f")
    assert found.document() == noted
    assert found.survey is not None
    assert found.survey.pairs == 2
    assert structure.describe_survey(found) == (
        "2 pairs were timed (7%), the others have medians of similar pairs; the probability to "
        "miss a host that differs from half of its subnet is 1/16; 25% of the pairs of "
        "subnets were not compared"
    )
    assert describe_odd(found) == [
        "n2 is slow: up to 1.5 times what its neighbours take",
        "the rate from n0 to n3 is 2.0 times lower than back",
        "others use this network too: n0 sends 5.00 Mbit/s, n4 receives 4.80 Mbit/s that is not "
        "ECO's",
        "links of 1 of 3 subnets were not timed in both directions: there was no time",
    ]
    assert structure.summary(found)["subnets_not_tried"] == 1
    assert structure.summary(found)["odd"][0]["hosts"] == ["n2"]
    assert structure.summary(found)["others_traffic"][1]["host"] == "n4"
    every = [host for a in range(8) for b in range(a + 1, 8) for host in (a, b)]
    noted["survey"] = {"checks": 0, "not_compared": 0.0, "measured": [every, every, pairs]}
    found = profile.parse(json.dumps(noted), "f")
    assert structure.describe_survey(found) == (
        "every pair of hosts was timed, 2 of them with long messages too"
    )


def survey(**changes: Any) -> dict[str, Any]:
    return {"checks": 4, "not_compared": 0.0, "measured": [[0, 1], [0, 1], []]} | changes


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("survey", {"checks": 4}, "survey has the wrong type"),
        ("survey", survey(checks=2000), "survey has 2000 checks for each host"),
        ("survey", survey(checks=-1), "survey has -1 checks for each host"),
        ("survey", survey(not_compared=1.5), "survey's share that was not compared is 1.5"),
        ("survey", survey(not_compared=-1), "survey's share that was not compared is -1"),
        ("survey", survey(measured=[[0, 1, 2]]), "survey lists no pairs of hosts"),
        ("survey", survey(measured=[[0, 8]]), "survey lists no pairs of hosts"),
        ("odd", None, "odd has the wrong type"),
        ("odd", 3, "odd has the wrong type"),
        ("survey", 3, "survey has the wrong type"),
        ("odd", [{"hosts": [9], "what": "slow", "factor": 2}], "neither a slow host nor a link"),
        ("odd", [{"hosts": [1], "what": "green", "factor": 2}], "neither a slow host nor a link"),
        ("odd", [4], "odd has the wrong type"),
        ("others_traffic", [{"host": 8, "sent": 1, "received": 1}], "others_traffic has an imp"),
        ("others_traffic", [{"host": 0, "sent": -1, "received": 1}], "others_traffic has an imp"),
        ("others_traffic", [{"host": 0}], "others_traffic has the wrong type"),
        ("subnets_not_tried", -1, "subnets_not_tried is no number of things"),
        ("subnets_not_tried", "all", "subnets_not_tried is no number of things"),
    ],
)
def test_notes_that_are_not_sound(key: str, value: Any, why: str) -> None:
    with pytest.raises(EcoError, match=f"^f: .*{why}") as caught:
        profile.parse(json.dumps(document() | {key: value}), "f")
    assert caught.value.code == ExitCode.BAD_INPUT


def test_a_survey_of_one_host() -> None:
    found = profile.from_document(document([0]) | {"survey": survey(measured=[[], [], []])}, "f")
    assert structure.describe_survey(found) == "every pair of hosts was timed"
