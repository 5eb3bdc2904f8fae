# SPDX-License-Identifier: BSD-3-Clause
"""The probe's lines, whatever a launcher writes around them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from coded_lines import coded, lines_of
from commands_harness import DONE, complaint, document, eco, launcher, progress
from eco.errors import EcoError
from eco.line_code import Event, EventReader

PROFILE = {"event": "profile", "profile": document()}
Dress = Callable[[str], str]


def _xml(line: str) -> str:
    line = line.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return f'<stdout rank="0">{line}&#010;</stdout>'


def _words(line: str) -> str:
    """As tools that colour what they know: figures, names."""
    return "".join(f"\x1b[36m{each}\x1b[0m" if each in "0123456789" else each for each in line)


def _hard_wrapped(columns: int, tag: str = "", end: str = "") -> Dress:
    def dress(line: str) -> str:
        parts = [line[at : at + columns] for at in range(0, len(line), columns)] or [""]
        return "\n".join(f"{tag}{part}{end}" for part in parts)

    return dress


def _both(first: Dress, second: Dress) -> Dress:
    return lambda line: "\n".join(second(each) for each in first(line).split("\n"))


DRESSES: dict[str, Dress] = {
    "plain": str,
    "label": lambda line: f"0: {line}",
    "tag": lambda line: f"[1,0]<stdout>:{line}",
    "prterun": lambda line: f"[prterun-n0-4711@1,0]<stdout>: {line}",
    "time": lambda line: f"[2026-01-01 10:00:00] {line}",
    "colour": lambda line: f"\x1b[32m{line}\x1b[0m",
    "colours": _words,
    "title": lambda line: f"\x1b]0;rank 0\x07\x1b[K{line}\0",
    "suffix": lambda line: f"{line}  [rank 0@n0]",
    "close suffix": lambda line: f"{line}rank0",
    "close prefix": lambda line: f"rank0@{line}",
    "xml": _xml,
    "html": lambda line: _xml(f"<pre>{line}</pre>"),
    "quoted": lambda line: json.dumps({"rank": 0, "line": line}),
    "wrapped": _hard_wrapped(80),
    "tagged, then wrapped": _both(lambda line: f"[2026-01-01 10:00:00] {line}", _hard_wrapped(80)),
    "wrapped, then tagged": _both(_hard_wrapped(40), lambda line: f"[1,0]<stdout>:{line}"),
    "wrapped, with xml": _both(_hard_wrapped(50), _xml),
    "wrapped, with a suffix": _both(_hard_wrapped(50), lambda line: f"{line}  [rank 0]"),
    "wrapped at each mark": lambda line: line.replace("@eco", "@e\nco"),
    "two": _both(_xml, lambda line: f"\x1b[1m[1,0]<stdout>:{line}\x1b[0m rank 0"),
    "where a buffer ends": lambda line: f"{line[:40]}[1,3]<stdout>:{line[40:]}",
    "two buffers": lambda line: f"[1,3]<stdout>:{line[:3]}[1,3]<stdout>:{line[3:]} [1,3]",
    "between": lambda line: f"{line[:30]}\nhello from rank 3\n{line[30:]}",
}


def _read(text: str) -> list[Event]:
    reader, events = EventReader(), []
    for line in text.split("\n"):
        events += reader.take(line) or []
    assert reader.damage() is None
    return events


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
def test_dressed_lines(dress: Dress) -> None:
    events = [progress(0.5), PROFILE, {"event": "note", "text": 'ä "<&>" @eco. 100 %'}, DONE]
    lines = coded(*events).splitlines()
    assert max(map(len, lines)) <= 72
    text = "\n".join(dress(line) for line in lines)
    assert _read(text) == events


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
def test_a_measurement_through_dressed_lines(tmp_path: Path, dress: Dress) -> None:
    lines = ["Hi @eco", *coded(progress(0.1), PROFILE, DONE).splitlines()]
    start = launcher(tmp_path / "bin", "\n".join(dress(line) for line in lines))
    out = tmp_path / "net.json"
    result = eco("measure", "-o", out, "--", start.path)
    assert result.returncode == 0, result.stderr
    assert json.loads(out.read_text())["hosts"] == PROFILE["profile"]["hosts"]
    assert "Hi" in result.stderr
    assert "@eco." not in result.stderr


def test_what_the_engine_writes() -> None:
    """The lines of src/eco/measure/line_code_test.cpp."""
    reader = EventReader()
    for number in range(7):
        (line,) = lines_of(f"BAAAAA.r{number}", {})
        assert reader.take(line) == [{}]
    assert not reader.take("@eco.BAAAAA.r7.0.eyJldmVudCI6Im5vdGUiLCJ0ZXh0IjoiOTAuNSAl.VgeMrB.")
    events = reader.take("@eco.BAAAAA.r7.1z.IMOkIn0.vJ-WXC.")
    assert events == [{"event": "note", "text": "90.5 % ä"}]


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_a_damaged_result(tmp_path: Path, at: int) -> None:
    """One sentence; not what is left of it."""
    lines = coded(PROFILE, DONE).splitlines()
    line = lines[3]
    lines[3] = line[:at] + ("~" if line[at] != "~" else "#") + line[at + 1 :]
    start = launcher(tmp_path / "bin", "\n".join(lines))
    result = eco("measure", "-o", tmp_path / "net.json", "--", start.path)
    assert result.returncode == 4
    assert "the probe's output was damaged on its way" in complaint(result)
    assert not (tmp_path / "net.json").exists()


def test_a_lost_result(tmp_path: Path) -> None:
    lines = coded(PROFILE, {"event": "note", "text": "x"}, DONE).splitlines()
    for gone in (0, 5, len(lines) - 2):
        start = launcher(tmp_path / "bin", "\n".join(lines[:gone] + lines[gone + 1 :]))
        result = eco("measure", "--", start.path)
        assert (result.returncode, "damaged on its way" in result.stderr) == (4, True)
    start = launcher(tmp_path / "bin", "\n".join([*lines[:-1], lines[-1][:20]]))
    result = eco("measure", "--", start.path)
    assert (result.returncode, "damaged on its way" in result.stderr) == (4, True)


def test_lost_news_are_news_that_are_lost() -> None:
    first, second = progress(0.1), progress(0.2) | {"what": "x" * 60}
    lines = coded(first, second, PROFILE).splitlines()
    reader = EventReader()
    begin = next(number for number, line in enumerate(lines) if ".n1." in line)
    damaged = [*lines[: begin + 1], *lines[begin + 2 :]]
    assert [event for line in damaged for event in reader.take(line) or []] == [first, PROFILE]


def test_nothing_is_made_of_halves() -> None:
    lines = coded(PROFILE).splitlines()
    reader = EventReader()
    with pytest.raises(EcoError):
        for line in (lines[0][:30], lines[1][30:], lines[1], lines[2]):
            assert not reader.take(line)
