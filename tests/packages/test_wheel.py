# SPDX-License-Identifier: BSD-3-Clause
"""The wheel: one file, installed into a clean virtual environment, is all of ECO."""

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from package_harness import (
    BUILD,
    PROFILE,
    ROOT,
    environment,
    install,
    needs_build,
    python_of,
    run,
    without_network,
)

pytestmark = needs_build


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of the build, where nothing can be downloaded."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*without_network(ROOT / "scripts/wheel.sh", "release", folder))
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment's folder of commands."""
    python = environment(tmp_path_factory.mktemp("environment"))
    words = ("install", "--quiet", "--no-index", "--no-deps", wheel)
    run(sys.executable, "-m", "pip", "--python", python, *words)
    return python.parent


def test_the_command_and_the_engine_run(installed: Path) -> None:
    told = json.loads(
        run(installed / "eco", "plan", PROFILE, "bcast", "--bytes", "16000", "--json").stdout
    )
    assert told["operation"] == "bcast"
    preloaded = run(installed / "eco", "exec", "--mpi", "mpich", "sh", "-c", "echo $LD_PRELOAD")
    assert str(installed.parent / "lib/eco/libeco-mpich.so") in preloaded.stdout


def test_modules_are_where_python_looks(installed: Path) -> None:
    found = run(installed / "python", "-c", "import eco_topology, eco; print(eco.__file__)").stdout
    assert found.startswith(str(installed.parent))


def test_the_lab_needs_no_compiler(installed: Path) -> None:
    eco = installed / "eco"
    code = "from eco.lab import quirks; print(quirks.library())"
    found = run(installed / "python", "-c", code, env={"ECO_BIN": str(eco), "PATH": "/nowhere"})
    assert found.stdout.strip() == str(installed.parent / "lib/eco/libeco-lab-quirks.so")


def test_a_picture_without_matplotlib_says_what_to_install(installed: Path, tmp_path: Path) -> None:
    (link,) = installed.parent.glob("lib/python3*/site-packages/matplotlib")
    link.rename(link.with_name("hidden"))
    try:
        picture = tmp_path / "a.svg"
        done = run(installed / "eco", "show", PROFILE, "--plot", picture, code=5)
    finally:
        link.with_name("hidden").rename(link)
    assert "pip install matplotlib" in done.stderr and done.stderr.count("\n") == 1
    assert not picture.exists()


def test_it_holds_no_mpi_and_says_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        (metadata,) = (name for name in names if name.endswith("dist-info/METADATA"))
        needs = [
            line for line in file.read(metadata).decode().splitlines() if "Requires-Dist" in line
        ]
    assert not any("libmpi" in name for name in names)
    always = {line.split()[1].partition(">")[0] for line in needs if "extra" not in line}
    assert always == {"typer", "rich", "PyYAML"}
    assert any("matplotlib" in line and 'extra == "pictures"' in line for line in needs)
    assert wheel.stat().st_size < 12e6


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.lab
@pytest.mark.timeout(900)
def test_three_commands_from_the_wheel_to_a_program(wheel: Path, tmp_path: Path) -> None:
    """With packages from the index, and with Open MPI from where a user has it."""
    run("/usr/bin/python3", "-m", "venv", tmp_path / "venv")
    tools = tmp_path / "venv/bin"
    program = BUILD.parent / "demo/md"
    mpicc = ROOT / ".deps/openmpi/bin/mpicc"
    run("make", "-C", ROOT / "examples", f"MPICC={mpicc}", f"BUILD={program.parent}", program)
    network = tmp_path / "network.json"
    own = {"ECO_DEPS": str(ROOT / ".deps"), "HOME": str(tmp_path)}
    began = time.monotonic()
    install(tools / "python", wheel)
    lab = (tools / "eco", "lab", "run", "three-segments")
    run(tools / "eco", "measure", "-o", network, "--", *lab, "--native", "--", env=own)
    done = run(
        *lab, "--topology", network, "--", program, "--steps", "3", env=own | {"ECO_VERBOSE": "2"}
    )
    print(f"three commands took {time.monotonic() - began:.0f} s")
    assert "tree" in done.stdout + done.stderr
    size = subprocess.run(["du", "-sm", tmp_path / "venv"], capture_output=True, text=True).stdout
    assert int(size.split()[0]) - 30 <= 60, "pip and setuptools, 30 MB, are not ECO's"
    assert os.access(tools / "eco", os.X_OK)


@pytest.mark.long
@pytest.mark.lab
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("built_for", "tag", "users"),
    [
        ("3.9", "cp39-cp39", ("3.9",)),
        ("3.10", "cp310-cp310", ("3.10",)),
        ("3.11", "cp311-cp311", ("3.11",)),
        ("3.12", "cp312-abi3", ("3.12", "3.13")),
    ],
)
def test_a_wheel_for_another_python(
    built_for: str, tag: str, users: tuple[str, ...], tmp_path: Path
) -> None:
    """All that a user does, its engine included, with packages from the index."""
    builder = python_of(built_for)
    found = {version: python_of(version) for version in users}
    if builder is None or None in found.values():
        pytest.skip(f"this machine lacks one of Python {built_for}, {', '.join(users)}")
    run(ROOT / "scripts/wheel.sh", "release", tmp_path, builder, timeout=600)
    (made,) = tmp_path.glob("*.whl")
    assert f"-{tag}-manylinux" in made.name
    own = {"ECO_DEPS": str(ROOT / ".deps"), "HOME": str(tmp_path)}
    for version, python in found.items():
        venv = tmp_path / version
        run(str(python), "-m", "venv", venv)
        # By its name: pip must find that this file suits this Python.
        finds = ("--find-links", tmp_path, "--no-cache-dir", "eco-collectives")
        install(venv / "bin/python", *finds)
        eco = venv / "bin/eco"
        network = tmp_path / f"{version}.json"
        lab = (eco, "lab", "run", "three-segments", "--hosts", "4", "--native", "--")
        run(eco, "measure", "--no-tune", "-o", network, "--", *lab, env=own)
        assert "n0" in run(eco, "show", network).stdout
        assert "bcast of 16,000 B" in run(eco, "plan", network, "bcast", "--bytes", "16000").stdout
        for form, says in (("slurm-conf", "SwitchName=eco"), ("hydra-hostfile", "\nn0:1\n")):
            assert says in run(eco, "export", network, "--format", form).stdout
        # Options by their names, which Typer takes from annotations.
        assert "--topology" in run(eco, "doctor", "--help", env={"COLUMNS": "200"}).stdout
