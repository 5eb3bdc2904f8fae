# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios and probes' lines that are nearly right are taken or refused by one sentence; the same
draws each time. What C++ reads: tests/fuzz."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from coded_lines import coded
from commands_harness import DONE, document, eco, launcher, progress, result
from eco.errors import EcoError
from eco.lab.draw import tree
from eco.lab.load import SHIPPED, load
from eco.lab.wiring import wire

ODD_WORDS = (
    *("-1", "0", "1", "2", "1e308", "1e999", "99999999999999999999", "0.5", "nan", "inf", "null"),
    *("true", "''", "[]", "{}", "[[]]", "[1, 2]", "~", "*a", "&a", "!!python/object:os.system"),
    *("10mbit", "10kbit", "5ms", "1%", "\t", "\n", "é", "\u0085", "n0", "2026-01-01", "0x7f"),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 0.5, 1e308, -1e308, float("nan"), float("inf"), 2**63, 2**70),
    *("", "\n", "bcast", "native", [], {}, [[]], [1, 2], {"event": "done"}),
)
TEXTS = [path.read_text() for path in sorted(SHIPPED.glob("*.yaml"))]


def _changed_text(draw: random.Random) -> str:
    text = draw.choice(TEXTS)
    for _ in range(draw.randint(1, 4)):
        words = [at for at, each in enumerate(text) if each in " :,[]{}\n"]
        begin, end = sorted(draw.sample(words, 2))
        match draw.randrange(5):
            case 0:
                at = draw.choice(words)
                text = text[: at + 1] + draw.choice(ODD_WORDS) + text[at + 1 :]
            case 1:
                after = words[min(words.index(begin) + 1, len(words) - 1)]
                text = text[: begin + 1] + draw.choice(ODD_WORDS) + text[after:]
            case 2:
                text = text[:begin] + text[min(end, begin + 20) :]
            case 3:
                text = text[:end] + text[begin : begin + 30] + text[end:]
            case _:
                at = draw.randrange(len(text))
                text = text[:at] + chr(draw.randrange(1, 0x250)) + text[at + 1 :]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_scenarios(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = tmp_path / "net.yaml"
    taken = 0
    for _ in range(250):
        text = _changed_text(draw)
        path.write_text(text, encoding="utf-8")
        try:
            scenario = load(str(path))
        except EcoError as error:
            assert "\n" not in str(error), f"{text}\n{error}"
            assert len(str(error)) < 1000, f"{text}\n{error}"
            continue
        assert tree(scenario), text
        wire(scenario)
        taken += 1
    assert taken > 3


def _change(value: Any, draw: random.Random) -> Any:
    """A copy with one value inside changed, left out or doubled."""
    if isinstance(value, dict) and value and draw.random() < 0.85:
        key = draw.choice(list(value))
        if draw.random() < 0.15:
            return {name: each for name, each in value.items() if name != key}
        return value | {key: _change(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.85:
        at = draw.randrange(len(value))
        if draw.random() < 0.15:
            return value[:at] + value[at + 1 :]
        return [*value[:at], _change(value[at], draw), *value[at + 1 :]]
    return draw.choice(ODD_VALUES)


def _lines(events: list[Any], draw: random.Random) -> str:
    at = draw.randrange(len(events))
    events = [*events[:at], _change(events[at], draw), *events[at + 1 :]]
    lines = coded(*events).splitlines()
    if draw.random() < 0.2:
        line = draw.randrange(len(lines))
        cut = draw.randrange(len(lines[line]) + 1)
        lines[line] = lines[line][:cut] + draw.choice(["", "[1,0]<stdout>:", "\0", "\ufffd"])
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("verb", ["measure", "bench"])
def test_what_a_probe_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, seed: int
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    draw = random.Random(seed)
    profile = tmp_path / "net.json"
    for number in range(25):
        profile.write_text(json.dumps(document()))
        if verb == "measure":
            events = [progress(0.1), {"event": "profile", "profile": document()}, DONE]
            words: list[Any] = ["measure", "-o", tmp_path / "out.json", "--again"]
        else:
            events = [progress(0.1), result("bcast", 16, native=0.003, eco=0.002), DONE]
            words = ["bench", "--topology", profile]
        text = _lines(events, draw)
        start = launcher(tmp_path / f"{number}", text)
        found = eco(*words, "--", start.path)
        assert found.returncode in (0, 2, 3, 4, 5), text + found.stderr
        assert "Traceback" not in found.stderr, text + found.stderr
        if found.returncode:
            said = [line for line in found.stderr.splitlines() if line.startswith("eco: ")]
            assert said, text + found.stderr
