# SPDX-License-Identifier: BSD-3-Clause
"""The report of a job: what was counted, with ECO's schedules and without."""

import json
from pathlib import Path
from typing import Any

import pytest
from eco.prediction import Call
from mpi_harness import DATA, OPENMPI5, Mpi, Run, built, either, lab

_SECTIONS = ["--light", "--sections", "bcast,allreduce"]


def _run(mpi: Mpi, **settings: str) -> Run:
    program = built(mpi, "conformance")
    return lab(mpi, program, *_SECTIONS, eco=True, ranks=4, environment=settings)


def _calls(file: Path) -> dict[tuple[str, int], int]:
    counts: dict[tuple[str, int], int] = {}
    for row in _document(file)["calls"]:
        key = (row["operation"], row["bytes"])
        counts[key] = counts.get(key, 0) + row["calls"]
    return counts


def _document(file: Path) -> Any:
    return json.loads(file.read_text())


@pytest.mark.lab
@either
def test_with_eco_and_without(mpi: Mpi, tmp_path: Path) -> None:
    """The same calls are counted; without ECO all are native, and the results the library's."""
    files = [tmp_path / "eco.json", tmp_path / "native.json"]
    run = _run(mpi, ECO_REPORT=str(files[0]), ECO_VERBOSE="0")
    native = _run(mpi, ECO_REPORT=str(files[1]), ECO_VERBOSE="1", ECO_DISABLE="1")
    for each_run in (run, native):
        assert each_run.code == 0, each_run.text
        assert "all ok" in each_run.out
    found, off = map(_document, files)
    assert _calls(files[0]) == _calls(files[1])
    assert (found["with_eco"], off["with_eco"]) == (True, False)
    assert found["ranks"] == off["ranks"] == 4
    assert any(row["choice"] != "native" for row in found["calls"])
    for document in (found, off):
        timed = [row for row in document["calls"] if row["form"] == "blocking"]
        assert all(row["time"] > 0 for row in timed)
        assert document["time"] == pytest.approx(sum(row["time"] for row in timed))
        assert 0 < document["time"] < document["whole"]
    assert "eco: collectives " not in run.err
    assert "ECO off" in native.err
    assert "\neco: collectives " in native.err


@pytest.mark.lab
@either
def test_multicasts_that_would_run(mpi: Mpi, tmp_path: Path) -> None:
    """Without ECO's schedules no group is open, yet the report says what multicasts would gain."""
    profile = json.loads((DATA / "three-segments-mcast.json").read_text())
    profile["tuning"] = [
        {
            "mpi": f"{mpi.family} 5.0",
            "operation": "bcast",
            "layout": "near",
            "bytes": 16000,
            "choice": "mcast:segments=1",
            "native": 0.09,
            "eco": 0.02,
            "noise": 0,
            "ranks_per_host": 1,
        }
    ]
    tuned, report = tmp_path / "tuned.json", tmp_path / "report.json"
    tuned.write_text(json.dumps(profile))
    off = {"ECO_REPORT": str(report), "ECO_DISABLE": "1"}
    words = [built(mpi, "mcasts"), 8, 16000]
    run = lab(mpi, *words, eco=True, choice="auto", profile=tuned, environment=off)
    assert run.code == 0, run.text
    rows = [row for row in _document(report)["calls"] if row["operation"] == "bcast"]
    assert [row["choice"] for row in rows] == ["mcast:segments=1"]
    assert rows[0]["estimate"] == pytest.approx(rows[0]["calls"] * 0.02, rel=0.05)


@pytest.mark.lab
@either
def test_a_report_and_a_plan_say_the_same(mpi: Mpi, tmp_path: Path) -> None:
    """What the library takes: one source, for the same operation, size and root."""
    profile = json.loads((DATA / "three-segments.json").read_text())
    profile["mpi"]["family"] = mpi.family
    entry = {
        "mpi": f"{mpi.family} 5.0", "operation": "bcast", "layout": "near",
        "choice": "tree:top=star,inner=star", "eco": 0.02, "noise": 0, "ranks_per_host": 1,
    }  # fmt: skip
    # Of shorter and longer messages; and predictions for any library, which are no times.
    profile["tuning"] = [
        entry | {"bytes": 1000, "native": 0.009},
        entry | {"bytes": 64000, "native": 0.36},
        entry | {"mpi": "any", "bytes": 16000, "native": 3.0, "eco": 1.0, "predicted": True},
    ]
    tuned, report = tmp_path / "tuned.json", tmp_path / "report.json"
    tuned.write_text(json.dumps(profile))
    settings = {"ECO_REPORT": str(report), "ECO_LEARN": "off"}
    words = [built(mpi, "mcasts"), 8, 16000]
    run = lab(mpi, *words, eco=True, choice="auto", profile=tuned, environment=settings)
    assert run.code == 0, run.text
    document = _document(report)
    assert document["profile"] == str(tuned)
    assert f"eco: profile {tuned}" in run.err
    (row,) = [row for row in document["calls"] if row["operation"] == "bcast"]
    assert (row["basis"], row["calls"]) == ("timed", 8)
    plans = [Call(tuned, "bcast", 16000, root).native for root in range(8)]  # each root once
    for key, times in (
        ("estimate", [plan.likely for plan in plans]),
        ("least", [plan.least for plan in plans]),
        ("most", [plan.most for plan in plans]),
    ):
        if key == "estimate":
            assert row[key] == pytest.approx(sum(times), rel=1e-9)
        assert min(times) <= row[key] / 8 <= max(times)
    assert document["saved_most"] < row["most"] < 8


@pytest.mark.lab
@either
def test_eco_off_and_verbose_is_a_report(mpi: Mpi) -> None:
    run = _run(mpi, ECO_VERBOSE="1", ECO_DISABLE="1")
    assert run.code == 0, run.text
    assert "ECO off" in run.err
    assert "\neco: collectives " in run.err


@pytest.mark.lab
@pytest.mark.alone
@either
def test_nobody_waits_longer_than_the_call(mpi: Mpi, tmp_path: Path) -> None:
    """A root that runs ahead has left a broadcast long before the others come to it."""
    file = tmp_path / "report.json"
    run = lab(mpi, built(mpi, "runs_ahead"), 300, eco=True, environment={"ECO_REPORT": str(file)})
    assert run.code == 0 and "all ok" in run.out, run.text
    document = _document(file)
    assert 0 <= sum(row["waited"] for row in document["calls"]) < document["whole"] / 2


@pytest.mark.lab
def test_file_that_cannot_be_written(tmp_path: Path) -> None:
    """One line says why, and what would be in it is printed."""
    run = _run(OPENMPI5, ECO_REPORT=str(tmp_path / "none" / "report.json"), ECO_VERBOSE="0")
    assert run.code == 0, run.text
    assert run.err.count("cannot be written (No such file or directory)") == 1
    assert "\neco: collectives " in run.err
