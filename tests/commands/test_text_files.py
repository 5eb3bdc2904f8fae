# SPDX-License-Identifier: BSD-3-Clause
"""Files that were written on Windows: a mark at the beginning, other ends of lines, UTF-16."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands_harness import document, eco, launcher
from eco.launcher import understand
from test_learn import learned
from test_partial import PARTIAL
from test_show_report import report  # noqa: F401

from eco import launch_size, partial

Save = Callable[[str], bytes]
SAVES: dict[str, Save] = {
    "mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "windows": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "utf-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "utf-16 be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}
saved = pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    path.write_text(json.dumps(document()))
    return path


def same(path: Path, save: Save, *words: str | Path) -> str:
    """What the command prints, whichever way the file is saved."""
    before = eco(*words)
    assert before.returncode == 0, before.stderr
    path.write_bytes(save(path.read_text()))
    after = eco(*words)
    assert (after.returncode, after.stdout) == (0, before.stdout), after.stderr
    return after.stdout


@saved
def test_profile(profile: Path, save: Save) -> None:
    same(profile, save, "show", profile)


@saved
def test_names(tmp_path: Path, profile: Path, save: Save) -> None:
    names = tmp_path / "names"
    names.write_text("".join(f"n{at}\tnode-{at}\n" for at in range(8)))
    words = ("export", profile, "--format", "openmpi-hostfile", "--names", names)
    assert "node-0\n" in same(names, save, *words)


@saved
def test_graph(tmp_path: Path, profile: Path, save: Save) -> None:
    graph = tmp_path / "graph"
    graph.write_text("0 7 5\n1 6 3\n")
    same(graph, save, "export", profile, "--format", "openmpi-rankfile", "--graph", graph)


@saved
def test_learned_file(profile: Path, save: Save) -> None:
    path = profile.with_name("net.json.learned")
    path.write_text(json.dumps(learned()))
    assert "k2" in same(path, save, "learn", profile)


@saved
def test_report_of_a_program(report: Path, save: Save) -> None:  # noqa: F811
    same(report, save, "report", report)


@saved
def test_partial_measurement(tmp_path: Path, save: Save) -> None:
    path = tmp_path / "net.json.partial"
    path.write_bytes(save(json.dumps(PARTIAL)))
    kept = partial.Partial(path).before(lambda _: None)
    assert json.loads(kept)["hosts"] == PARTIAL["hosts"]


@saved
def test_host_file(tmp_path: Path, save: Save) -> None:
    path = tmp_path / "hosts"
    path.write_bytes(save("# all\nn0\nn1\n\nn2\n"))
    start = launcher(tmp_path / "bin", "", version="mpirun (Open MPI) 5.0.11")
    words = [str(start.path), "--hostfile", str(path)]
    assert launch_size.ranks_named(understand(words, None)) == 3
