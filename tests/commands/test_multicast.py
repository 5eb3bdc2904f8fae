# SPDX-License-Identifier: BSD-3-Clause
"""Multicast from Python and from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_harness import complaint, eco
from eco.errors import EcoError, ExitCode

from eco import multicast

# Send 1, transfer 2, receive 1 s: rank 0 to 1 and 2, rank 1 to 2.
PATTERN: dict[str, Any] = {
    "eco_multicast": 1,
    "send": [[1, 0]] * 3,
    "receive": [[1, 0]] * 3,
    "transfer": {"fixed": 2, "per_byte": 0},
    "messages": [
        {"source": 0, "bytes": 5, "destinations": [1, 2]},
        {"source": 1, "bytes": 5, "destinations": [2]},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pattern.json"
    path.write_text(json.dumps(PATTERN))
    return path


def test_a_pattern_of_two_sources(file: Path) -> None:
    pattern = multicast.read(file)
    assert (pattern.ranks, pattern.deliveries) == (3, 3)
    assert pattern.messages[1] == multicast.Message(1, 5, [2])
    assert multicast.bound(pattern).paper == 5
    for name in multicast.planners():
        schedule = multicast.plan(pattern, name)
        assert multicast.verify(pattern, schedule) == ""
        assert schedule.completion >= 5
        last = max(task.end for tasks in schedule.tasks for task in tasks if not task.sends)
        assert last == schedule.completion


def test_other_messages_on_the_same_ranks() -> None:
    pattern = multicast.draw(8, lengths="small", seed=3)
    one = pattern.with_messages(pattern.messages[:1])
    assert one.deliveries == 7
    wrong = multicast.verify(pattern, multicast.plan(one, "ecf"))
    assert "never delivered" in wrong
    with pytest.raises(EcoError, match="among its destinations"):
        pattern.with_messages([multicast.Message(0, 1, [0])])


def test_bad_words_and_files() -> None:
    for wrong in ({"reach": "far"}, {"lengths": "huge"}, {"spacing": "odd"}, {"ranks": 1}):
        with pytest.raises(EcoError) as caught:
            multicast.draw(**wrong)  # type: ignore[arg-type]
        assert caught.value.code == ExitCode.USAGE
    with pytest.raises(EcoError, match="cut off"):
        multicast.parse(json.dumps(PATTERN)[:90])


def test_the_command(file: Path, tmp_path: Path) -> None:
    picture, kept = tmp_path / "schedules.svg", tmp_path / "kept.json"
    shown = eco("multicast", str(file), "--plot", str(picture), "--save", str(kept))
    assert shown.returncode == 0
    assert "3 ranks, 2 of them sources" in shown.stdout
    assert "work racing, preemptive" in shown.stdout
    assert "× bound" in shown.stdout
    assert "work racing" in picture.read_text()
    assert json.loads(kept.read_text())["messages"] == PATTERN["messages"]


def test_the_command_as_json() -> None:
    words = ("multicast", "--random", "5", "--heuristic", "wrp,ecf", "--json", "--lengths", "mixed")
    found = json.loads(eco(*words).stdout)
    assert list(found["schedules"]) == ["wrp", "ecf"]
    assert len(found["schedules"]["wrp"]["ranks"]) == 5
    assert found["schedules"]["wrp"]["completion"] >= found["bound"]["least"]
    again = json.loads(eco(*words).stdout)
    assert again["pattern"] == found["pattern"]


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        ((), "--random N", ExitCode.USAGE),
        (("--random", "5", "--heuristic", "fast"), "'fast' is unknown", ExitCode.USAGE),
        (("--random", "5", "--sources", "9"), "9 sources", ExitCode.USAGE),
        (("--random", "5", "--seed", "-1"), "--seed -1: must be a number", ExitCode.USAGE),
        (("--random", "9" * 30), "must be 2 to 1024 ranks", ExitCode.USAGE),
        (("--random", "5", "--plot", "x.xyz"), "must end in .svg, .png or .pdf", ExitCode.USAGE),
        (("p.json", "--sources", "2"), "--sources is only for --random", ExitCode.USAGE),
        (("--random", "5", "--rate", "1e-300"), "rate must be from 1 to", ExitCode.USAGE),
        (("none\udcff.json",), "cannot be read", ExitCode.BAD_INPUT),
        (("p.json", "--random", "5"), "not both", ExitCode.USAGE),
        (("nowhere.json",), "cannot be read", ExitCode.BAD_INPUT),
        (("/tmp",), "/tmp cannot be read", ExitCode.BAD_INPUT),
    ],
)
def test_complaints(words: tuple[str, ...], sentence: str, code: ExitCode) -> None:
    shown = eco("multicast", *words)
    assert shown.returncode == code
    assert sentence in complaint(shown)


def test_a_source_among_its_destinations(file: Path) -> None:
    wrong = json.loads(file.read_text())
    wrong["messages"][1]["destinations"] = [1, 2]
    file.write_text(json.dumps(wrong))
    shown = eco("multicast", str(file))
    assert shown.returncode == ExitCode.BAD_INPUT
    assert "pattern.json: message 1 has its source, rank 1, among its destinations" in shown.stderr
