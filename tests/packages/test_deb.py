# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package, installed with dpkg into a root of its own, works without a network."""

import shutil
from pathlib import Path

import pytest
from package_harness import BUILD, PROFILE, ROOT, needs_build, run, without_network

pytestmark = [
    needs_build,
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="this is no Debian"),
]
# Debian's own Python, as /usr/bin/eco finds it: the scratch root has none beside the command.
DEBIAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deb")
    run(*without_network(ROOT / "scripts/deb.sh", "release", folder))
    (made,) = folder.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def root(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What dpkg makes of it; the packages it needs are those of this machine."""
    folder = tmp_path_factory.mktemp("root")
    for needed in ("updates", "info", "triggers"):
        (folder / "var/lib/dpkg" / needed).mkdir(parents=True)
    (folder / "var/lib/dpkg/status").touch()
    force = "--force-depends,not-root,script-chrootless"
    run("dpkg", force, f"--root={folder}", f"--log={folder}/log", "--install", package, env=DEBIAN)
    return folder


def test_it_says_what_it_needs(package: Path) -> None:
    told = run("dpkg-deb", "--field", package, "Depends", "Recommends", "Version").stdout
    assert "libc6 (>= 2." in told and "python3 (>= 3." in told
    assert "openmpi-bin | mpich" in told
    assert "root/root" in run("dpkg-deb", "--contents", package).stdout


def test_every_file_is_as_it_was_packed(root: Path) -> None:
    assert run("dpkg", f"--root={root}", "--verify", "eco-collectives", env=DEBIAN).stdout == ""
    known = f"--admindir={root}/var/lib/dpkg"
    state = run("dpkg-query", known, "--show", "--showformat=${Status}", "eco-collectives")
    assert state.stdout == "install ok installed"


def test_the_command_runs_without_a_network(root: Path) -> None:
    words = (root / "usr/bin/eco", "plan", PROFILE, "bcast", "--bytes", "16000")
    told = run(*without_network(*words), env=DEBIAN)
    assert "bcast of 16,000 B" in told.stdout


def test_only_eco_sees_its_python_packages(root: Path) -> None:
    public = {file.name for file in (root / "usr/lib/python3/dist-packages").iterdir()}
    assert public == {"eco_topology.py"}
    assert (root / "usr/lib/eco/python/typer").is_dir()


@pytest.mark.lab
def test_a_program_runs_with_it(root: Path) -> None:
    mpicc = ROOT / ".deps/openmpi/bin/mpicc"
    program = BUILD.parent / "demo/md"
    run("make", "-C", ROOT / "examples", f"MPICC={mpicc}", f"BUILD={program.parent}", program)
    words = ("lab", "run", "three-segments", "--topology", PROFILE, "--", program, "--steps", "2")
    own = DEBIAN | {"ECO_DEPS": str(ROOT / ".deps"), "ECO_VERBOSE": "1"}
    done = run(*without_network(root / "usr/bin/eco", *words), env=own)
    assert "eco: " in done.stdout + done.stderr and "native (no profile" not in done.stderr
