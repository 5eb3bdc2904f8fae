# SPDX-License-Identifier: BSD-3-Clause
"""Exported choices of an MPI library's own algorithms: by the documented form of each file."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands_harness import PROJECT, complaint, document, eco
from eco.export import mpich, openmpi

from eco import algorithms

OPENMPI, MPICH = "openmpi 5.0.11", "mpich 5.0.2"


def timed(
    operation: str, size: int, best: str, mpi: str = OPENMPI, usual: float = 2.0, **times: float
) -> dict[str, Any]:
    """An entry of 8 ranks; the best takes a second."""
    return {
        "mpi": mpi,
        "operation": operation,
        "bytes": size,
        "ranks": 8,
        "hosts": 8,
        "usual": usual,
        "best": best,
        "times": {best: 1.0, **times} if best else times or {"ring": 3.0},
    }


def exported(folder: Path, kind: str, *entries: dict[str, Any]) -> str:
    profile = folder / "profile.json"
    profile.write_text(json.dumps(document([0] * 4 + [1] * 4) | {"native_algorithms": entries}))
    done = eco("export", profile, "--format", kind)
    assert done.returncode == 0, done.stderr
    assert f"eco: {kind} cannot express ECO's algorithms" in done.stderr
    return done.stdout


def read_classic(text: str) -> dict[int, dict[int, list[tuple[int, ...]]]]:
    """As Open MPI reads it: numbers alone count, `#` begins a comment."""
    words = iter(int(word) for line in text.splitlines() for word in line.split("#")[0].split())
    found: dict[int, dict[int, list[tuple[int, ...]]]] = {}
    for _ in range(next(words)):
        by_ranks = found.setdefault(next(words), {})
        for _ in range(next(words)):
            rules = by_ranks.setdefault(next(words), [])
            rules += [tuple(next(words) for _ in range(4)) for _ in range(next(words))]
            assert rules[0][0] == 0, "Open MPI refuses a file without a rule from 0 bytes on"
            assert sorted(rules) == rules
        assert sorted(by_ranks) == list(by_ranks)
    assert next(words, None) is None
    return found


def test_classic_rules(tmp_path: Path) -> None:
    """Sizes as Open MPI counts them; only for the number of ranks that was timed."""
    text = exported(
        tmp_path,
        "openmpi-rules",
        timed("bcast", 16000, "pipeline/4096"),
        timed("bcast", 10, "binomial"),
        timed("allgather", 100, ""),
        timed("allgather", 10000, "ring"),
        timed("alltoall", 100, ""),
    )
    usual = [(0, 0, 0, 0)]
    assert read_classic(text) == {
        0: {1: usual, 8: [(0, 0, 0, 0), (8000, 4, 0, 0)], 9: usual},
        7: {1: usual, 8: [(0, 6, 0, 0), (400, 3, 0, 4096)], 9: usual},
    }


def test_ranks_may_not_disagree(tmp_path: Path) -> None:
    """Only the root knows the size of a scatter for sure, so its rule is for all sizes or none."""
    profile = tmp_path / "profile.json"
    entries = [
        timed("scatter", 10, "binomial"),
        timed("scatter", 10000, "linear_nb"),
        timed("gather", 10, "binomial"),
        timed("gather", 10000, "binomial"),
    ]
    text = exported(tmp_path, "openmpi-rules", *entries)
    assert read_classic(text)[9][8] == [(0, 2, 0, 0)]
    assert 15 not in read_classic(text)
    report = json.loads(eco("export", profile, "--format", "openmpi-rules", "--json").stdout)
    assert any("sizes of scatter" in each for each in report["cannot"])


def test_json_rules(tmp_path: Path) -> None:
    """The names that Open MPI's parser takes (an unknown one loses the file), ranges without gaps
    or overlaps, and nothing where its own choice is best."""
    text = exported(
        tmp_path,
        "openmpi-rules-json",
        timed("reduce_scatter_block", 10, "butterfly"),
        timed("reduce_scatter_block", 1000, ""),
        timed("reduce_scatter_block", 100000, "recursive_halving"),
        timed("bcast", 16000, "pipeline/4096"),
        timed("allreduce", 16, ""),
    )
    root = json.loads(text)
    assert (root["rule_file_version"], root["module"]) == (3, "tuned")
    assert set(root["collectives"]) == {"reduce_scatter_block", "bcast"}
    (block,) = root["collectives"]["reduce_scatter_block"]
    assert (block["comm_size_min"], block["comm_size_max"]) == (8, 8)
    assert block["rules"] == [
        {"msg_size_min": 0, "msg_size_max": 99, "alg": 4},
        {"msg_size_min": 10000, "msg_size_max": "inf", "alg": 3},
    ]
    (bcast,) = root["collectives"]["bcast"]
    assert bcast["rules"] == [
        {"msg_size_min": 0, "msg_size_max": "inf", "alg": 3, "seg_size": 4096}
    ]


def test_every_operation_has_its_number() -> None:
    assert set(openmpi._NUMBERS) == set(algorithms.OPEN_MPI)


def test_mpich_takes_what_loses_at_no_size(tmp_path: Path) -> None:
    text = exported(
        tmp_path,
        "mpich-algorithms",
        timed("bcast", 16, "binomial", MPICH),
        timed("bcast", 16000, "", MPICH, binomial=1.9),
        timed("allgather", 16, "brucks", MPICH),
        timed("allgather", 16000, "", MPICH, brucks=3.0),
        timed("allreduce", 16, "ring", "openmpi 5.0.11"),
    )
    assert re.findall("^[^#].*", text, re.MULTILINE) == [
        "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial"
    ]
    assert "the best algorithm for allgather of 16 B" in text


def test_mpich_takes_the_first_of_equals() -> None:
    """Not the one that a run of Python happens to meet first: it shuffles sets of strings."""
    for n in range(16):
        times = {f"one-{n}": 1.0, f"two-{n}": 1.0}
        found = [SimpleNamespace(usual=2.0, best=name, times=times) for name in times]
        assert mpich._best_of_all(found) == f"one-{n}"


def test_ucc_by_its_grammar(tmp_path: Path) -> None:
    """Tokens of the documented form, for the algorithms that UCC has too."""
    text = exported(
        tmp_path,
        "ucc-tune",
        timed("bcast", 16, "binomial", scatter_allgather=2.0),
        timed("bcast", 16000, "chain", binomial=3.0, scatter_allgather=2.0),
        timed("allgather", 100, "", ring=2.0, bruck=3.0),
        timed("scan", 100, "linear"),
    )
    (value,) = re.findall("^export UCC_TL_UCP_TUNE='(.*)'$", text, re.MULTILINE)
    token = re.compile(r"[a-z]+:\d+-(?:\d+|inf):host:\[8-8\]:@[a-z_]+")
    tokens = value.split("#")
    assert all(token.fullmatch(each) for each in tokens)
    assert tokens == [
        "allgather:0-inf:host:[8-8]:@ring",
        "bcast:0-505:host:[8-8]:@knomial",
        "bcast:505-inf:host:[8-8]:@sag_knomial",
    ]


@pytest.mark.parametrize("kind", ["openmpi-rules", "openmpi-rules-json", "ucc-tune"])
def test_nothing_was_timed(kind: str) -> None:
    done = eco("export", PROJECT / "tests/data/three-segments-measured.json", "--format", kind)
    said = complaint(done)
    assert done.returncode == 3
    assert "--native-algorithms" in said


def test_nothing_is_better(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    entries = [timed("bcast", 16, "")]
    profile.write_text(json.dumps(document([0, 1]) | {"native_algorithms": entries}))
    done = eco("export", profile, "--format", "openmpi-rules")
    said = complaint(done)
    assert done.returncode == 3
    assert "Open MPI's own choice" in said


@pytest.mark.parametrize(
    "entries",
    [
        7,
        [7],
        [timed("bcast", 16, "binomial") | {"times": {}}],
        [timed("bcast", 16, "binomial") | {"usual": 0}],
        [timed("bcast", 16, "binomial") | {"times": {"binomial": "fast"}}],
    ],
)
def test_a_damaged_profile(entries: Any, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps(document([0, 1]) | {"native_algorithms": entries}))
    done = eco("export", profile, "--format", "openmpi-rules")
    said = complaint(done)
    assert done.returncode == 3
    assert "native_algorithms" in said


def test_what_was_timed_stays_in_a_profile(tmp_path: Path) -> None:
    """Also when the profile is read and written again."""
    from eco import profile as profiles

    root = document([0, 1]) | {"native_algorithms": [timed("bcast", 16, "binomial")]}
    text = profiles.to_json(profiles.parse(json.dumps(root), "a test"))
    assert json.loads(text)["native_algorithms"] == root["native_algorithms"]


@pytest.mark.parametrize("library", [OPENMPI, "openmpi 4.1.4", MPICH, "mpich 4.0.2"])
def test_runs_name_each_algorithm_once(library: str) -> None:
    """Each with a setting of its own."""
    seen = set()
    for run in algorithms.runs(library):
        assert run.algorithms
        for operation, algorithm in run.algorithms.items():
            assert (operation, algorithm) not in seen
            seen.add((operation, algorithm))
            assert any(operation in name.lower() for name in run.settings)
    if library == "mpich 4.0.2":
        assert ("bcast", "tree") not in seen, "4.0 does not start with an algorithm that it lacks"
