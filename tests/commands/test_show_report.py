# SPDX-License-Identifier: BSD-3-Clause
"""`eco report`: as text, as JSON, as a picture; files that are none."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import complaint, eco


def _row(operation: str, time: float, estimate: float, **more: Any) -> dict[str, Any]:
    return {
        "operation": operation,
        "form": "blocking",
        "bytes": 1024,
        "site": "md+0x10",
        "choice": "k2",
        "calls": 10,
        "time": time,
        "waited": 0.25,
        "estimate": estimate,
        "least": 0.9 * estimate,
        "most": 1.1 * estimate,
        "basis": "timed",
    } | more


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "md.json"
    document = {
        "eco_report": 2,
        "with_eco": True,
        "library": "openmpi 5.0.11",
        "network": "2026",
        "profile": "/profiles/net.json",
        "ranks": 8,
        "hosts": 8,
        "whole": 12.3,
        "start": 0.05,
        "calls": [_row("allreduce", 4.0, 6.5), _row("bcast", 0.1, 0.6, basis="predicted")],
    }
    path.write_text(json.dumps(document))
    return path


def test_text_and_json(report: Path) -> None:
    text = eco("report", report).stdout
    assert text.endswith("collectives 4.1 s of 12.3 s; about 3.0 s saved (2.3 s to 3.6 s)\n")
    assert "waiting for late ranks 500 ms" in text
    assert max(map(len, text.splitlines())) <= 75
    found = json.loads(eco("report", report, "--json").stdout)
    assert found["saved"] == pytest.approx(2.95)
    assert found["saved_least"] == pytest.approx(2.95 - (0.65**2 + 0.06**2) ** 0.5)
    assert found["profile"] == "/profiles/net.json"
    assert [row["operation"] for row in found["calls"]] == ["allreduce", "bcast"]


def test_what_is_not_known_is_not_claimed(report: Path) -> None:
    document = json.loads(report.read_text())
    document["calls"][0] |= {"basis": "not known", "estimate": None, "least": None, "most": None}
    report.write_text(json.dumps(document))
    text = eco("report", report).stdout
    assert "what ECO saved is not known" in text
    assert "of 4.0 s it is not known what the library takes" in text
    found = json.loads(eco("report", report, "--json").stdout)
    assert (found["calls"][0]["estimate"], found["unknown"]) == (None, 4.0)
    assert found["saved"] == pytest.approx(0.45)


def test_picture(report: Path, tmp_path: Path) -> None:
    eco("report", report, "--plot", tmp_path / "md.svg")
    picture = (tmp_path / "md.svg").read_text()
    for words in ("allreduce", "ECO, timed", "native, estimate", "waiting for late ranks"):
        assert words in picture


def test_what_is_none(report: Path, tmp_path: Path) -> None:
    def refused(*words: str | Path) -> str:
        result = eco("report", *words)
        assert result.returncode == 3, result.stderr
        return complaint(result)

    assert "cannot be read: No such file" in refused(tmp_path / "none")
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert f"{other} is not a report" in refused(other)
    other.write_text(report.read_text().replace('"eco_report": 2', '"eco_report": 7'))
    assert "another version of reports" in refused(other)
    other.write_text(report.read_text().replace('"timed"', '"guessed"'))
    assert "is damaged: 'guessed'" in refused(other)
    assert ".svg, .png or .pdf" in complaint(eco("report", report, "--plot", "x.txt"))
