# SPDX-License-Identifier: BSD-3-Clause
"""Files that cannot be written, or not even looked at: said early, or nothing is lost."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands_harness import DONE, Launcher, complaint, document, eco, launcher, tuned
from eco.doctor import kept
from eco.errors import EcoError
from eco.lab.program import inspect

from eco import profile
from eco import store as stored
from eco.lab import profile as lab_profile

pytestmark = pytest.mark.usefixtures("store")
PROFILE = {"event": "profile", "profile": document()}
TUNED = document() | {"tuning": [tuned()]}
TOO_LONG = "x" * 300


def vanishing(folder: Path, *events: dict[str, Any], name: str = "mpirun") -> Launcher:
    """A launcher during which the folder goes, as a server of files may."""
    inner = launcher(folder.parent / "bin", [*events, DONE])
    path = folder.parent / "outer" / name
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] || rm -rf {folder}\nexec {inner.path} "$@"\n')
    path.chmod(0o755)
    folder.mkdir()
    return Launcher(path)


def test_a_link_into_no_folder(tmp_path: Path) -> None:
    link = tmp_path / "net.json"
    link.symlink_to(tmp_path / "absent" / "net.json")
    start = launcher(tmp_path / "bin", [PROFILE, DONE])
    result = eco("measure", "-o", link, "--", start.path)
    assert result.returncode == 2
    assert complaint(result) == f"eco: {link}: there is no folder {tmp_path / 'absent'}"
    assert not (tmp_path / "bin" / "called.json").exists()


def test_a_link_into_a_closed_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, link = tmp_path / "closed", tmp_path / "net.json"
    closed.mkdir()
    (closed / "net.json").write_text(json.dumps(document()))
    link.symlink_to(closed / "net.json")
    access = os.access  # root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, how: Path(path) != closed and access(path, how))
    for words in (["measure", "-o", link], ["tune", link]):
        result = eco(*words, "--", "true")
        assert result.returncode == 2
        assert complaint(result) == f"eco: {link}: the folder {closed} cannot be written to"


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    result = eco("measure", "-o", tmp_path / "a", "--", "true")
    assert result.returncode == 2
    assert complaint(result).endswith("/a cannot be looked at: Too many levels of symbolic links")


def test_measured_but_the_file_cannot_be_written(tmp_path: Path, store: Path) -> None:
    out = tmp_path / "gone" / "net.json"
    result = eco("measure", "-o", out, "--", vanishing(out.parent, PROFILE).path)
    assert result.returncode == 5
    (path,) = store.iterdir()
    assert complaint(result) == (
        f"eco: {out} cannot be written: No such file or directory; the profile is in {path} instead"
    )
    assert path.suffix == ".json"
    assert json.loads(path.read_text()) == document()


def test_emulated_hosts_are_not_taken_for_others(tmp_path: Path, store: Path) -> None:
    """So nothing finds that profile that is not given its name."""
    out = tmp_path / "gone" / "net.json"
    start = vanishing(out.parent, PROFILE, name="eco")
    result = eco("measure", "-o", out, "--", start.path, "lab", "run", "net")
    assert result.returncode == 5
    (path,) = store.iterdir()
    assert path.name.endswith(".json.unwritten")
    assert complaint(result).endswith(f"; the profile is in {path} instead")
    assert json.loads(path.read_text()) == document()


def test_nor_can_the_store(tmp_path: Path, store: Path) -> None:
    out = tmp_path / "gone" / "net.json"
    (tmp_path / "data").write_text("no folder")
    result = eco("measure", "-o", out, "--", vanishing(out.parent, PROFILE).path)
    assert result.returncode == 5
    sentence = next(line for line in result.stderr.splitlines() if line.startswith("eco: "))
    assert sentence == (
        f"eco: {out} cannot be written: No such file or directory; nor could the profile be kept "
        f"elsewhere: {store} cannot be written: Not a directory"
    )


@pytest.mark.parametrize("other", [False, True])
def test_tuned_but_the_file_cannot_be_written(tmp_path: Path, store: Path, other: bool) -> None:
    out = tmp_path / "gone" / "net.json"
    start = vanishing(out.parent, {"event": "profile", "profile": TUNED})
    out.write_text(json.dumps(document()))
    store.mkdir(parents=True)
    if other:  # a later measurement of these hosts stays
        later = document() | {"created": "2026-02-02T03:04:05Z"}
        (store / stored.name(profile.read(out))).write_text(json.dumps(later))
    result = eco("tune", out, "--", start.path)
    assert result.returncode == 5
    (path,) = (path for path in store.iterdir() if json.loads(path.read_text()) == TUNED)
    assert complaint(result).endswith(f"; the profile is in {path} instead")
    assert len(list(store.iterdir())) == 1 + other


def test_what_cannot_be_looked_at(tmp_path: Path) -> None:
    result = eco("measure", "-o", tmp_path / TOO_LONG, "--", "true")
    assert result.returncode == 2
    assert complaint(result).endswith(f"/{TOO_LONG} cannot be looked at: File name too long")
    for name in (TOO_LONG, f"./{TOO_LONG}"):
        result = eco("lab", "show", name)
        assert result.returncode == 3
        assert complaint(result).endswith(f"{TOO_LONG} cannot be looked at: File name too long")
    none: Any = None
    with pytest.raises(EcoError, match="cannot be looked at") as caught:
        lab_profile.obtain(none, none, TOO_LONG, [])
    assert caught.value.code == 3


def test_a_long_name_that_a_file_may_have(tmp_path: Path) -> None:
    """What is beside it for a moment has a longer one."""
    stored.write(tmp_path / ("ä" * 127), "x")
    assert (tmp_path / ("ä" * 127)).read_text() == "x"
    result = eco("measure", "-o", tmp_path / ("x" * 250), "--", "true")
    assert result.returncode == 2
    assert complaint(result).endswith(".partial cannot be looked at: File name too long")


def test_a_folder_that_may_not_be_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", closed)
    for check in (stored.check_writable, lambda path: inspect(str(path), os.defpath)):
        looks: Callable[[Path], object] = check
        with pytest.raises(EcoError, match="net cannot be looked at: Permission denied"):
            looks(tmp_path / "net")


def test_links_to_nothing_among_the_profiles(tmp_path: Path, store: Path) -> None:
    store.mkdir(parents=True)
    (store / "dangling.json").symlink_to(tmp_path / "absent")
    (store / "folder.json").mkdir()
    assert stored.newest() is None
    older, newer = store / "older.json", store / "newer.json"
    for seconds, path in enumerate((older, newer)):
        path.write_text(json.dumps(document()))
        os.utime(path, (seconds, seconds))
    assert stored.newest() == newer
    assert kept.find(None, ("n0",), False) == newer
    assert kept.find(None, ("elsewhere",), False) is None


def test_programs_that_do_not_run(tmp_path: Path) -> None:
    """As of `eco exec`: 127 and 126."""
    plain = tmp_path / "plain"
    plain.write_text("")
    lab = ["lab", "run", "three-segments", "--native", "--"]
    for word, code, why in (
        ("nosuchprog", 127, "no program 'nosuchprog' here or on PATH"),
        (str(plain), 126, f"{plain} is not executable; try chmod +x {plain}"),
        (str(tmp_path), 126, f"{tmp_path} is a folder, not a program"),
        (TOO_LONG, 126, f"{TOO_LONG} cannot be looked at: File name too long"),
    ):
        result = eco(*lab, word)
        assert (result.returncode, complaint(result)) == (code, f"eco: {why}")
