# SPDX-License-Identifier: BSD-3-Clause
"""The worked examples of docs/extending: each patch touches few files, builds, is verified."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "extending"


def patched(example: str, folder: Path) -> Path:
    """A copy of the sources with the example's patch."""
    for name in ("src", "include", "bench", "cmake", "packaging", "python", "tests/fuzz"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("CMakeLists.txt", "CMakePresets.json"):
        shutil.copy(ROOT / name, folder / name)
    for name in (".deps", ".venv"):
        (folder / name).symlink_to(ROOT / name)
    subprocess.run(["git", "apply", EXAMPLES / example], cwd=folder, check=True)
    return folder


def build(folder: Path, *targets: str) -> Path:
    subprocess.run(["cmake", "--preset", "release"], cwd=folder, check=True)
    jobs = str(os.cpu_count() or 1)
    command = ["cmake", "--build", "--preset", "release", "--parallel", jobs, "--target", *targets]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "build" / "release"


@pytest.mark.parametrize(
    ("example", "files"), [("collective.patch", 3), ("planner_family.patch", 2)]
)
def test_few_files(example: str, files: int) -> None:
    lines = (EXAMPLES / example).read_text().splitlines()
    assert sum(line.startswith("diff --git") for line in lines) == files


@pytest.mark.parametrize("example", ["collective.patch", "planner_family.patch"])
def test_the_patches_apply(example: str) -> None:
    """In seconds, so that a change of the sources that breaks an example is seen at once."""
    command = ["git", "apply", "--check", EXAMPLES / example]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": ""})


def test_a_copy_has_all_that_is_built(tmp_path: Path) -> None:
    """The two tests below, which take minutes, begin with it."""
    copy = patched("collective.patch", tmp_path)
    folders = re.findall(r"add_subdirectory\((\S+)\)", (ROOT / "CMakeLists.txt").read_text())
    assert "src/eco" in folders
    assert [name for name in folders if not (copy / name / "CMakeLists.txt").exists()] == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_collective(tmp_path: Path) -> None:
    built = build(patched("collective.patch", tmp_path), "planners_test", "eco-openmpi")
    subprocess.run([built / "bin" / "planners_test"], check=True)
    symbols = subprocess.run(
        ["nm", "--dynamic", built / "lib" / "libeco-openmpi.so"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert " T eco_comm_announce" in symbols


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_planner_family(tmp_path: Path) -> None:
    built = build(patched("planner_family.patch", tmp_path), "planners_test", "selection_test")
    results = tmp_path / "results.json"
    command = [built / "bin" / "selection_test", "--gtest_filter=Variants.HaveWhat*"]
    subprocess.run([*command, f"--gtest_output=json:{results}"], check=True)
    test = json.loads(results.read_text())["testsuites"][0]["testsuite"][0]
    assert int(test["offered"]) > 0, "it is among what is predicted and timed"
    every = subprocess.run(
        [built / "bin" / "planners_test", "--gtest_filter=*EveryPlanner*:Choice*"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "PASSED" in every.stdout
