# SPDX-License-Identifier: BSD-3-Clause
"""The documentation builds as a site without a dead link; the commands of its tutorials run."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from eco.cli import VERBS
from package_harness import BUILD, ROOT, needs_build, run

pytestmark = needs_build
TUTORIALS = ROOT / "docs/tutorials"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    run(ROOT / "scripts/docs.sh", folder)
    return folder


def test_the_reference_has_every_command(site: Path) -> None:
    text = (site / "reference/commands.html").read_text()
    for verb in VERBS:
        assert f'id="eco-{verb.name}"' in text, verb.name
    assert "--budget" in text and "--profile FILE" in text


def test_the_site_needs_no_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text()
        )
        assert loaded == [], page


# One task on each of N nodes is N ranks for mpirun, which needs no plugin of Slurm.
AS_MPIRUN = """#!/bin/bash
words=()
for word; do
    case $word in
        --mpi=pmix | --ntasks-per-node=1) ;;
        -N) words+=(-n) ;;
        *) words+=("$word") ;;
    esac
done
exec mpirun "${words[@]}"
"""


def commands(page: Path) -> list[str]:
    """The lines of a page that a reader copies."""
    blocks = re.findall(r"^```bash\n(.*?)^```$", page.read_text(), re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.fixture
def reader(tmp_path: Path) -> dict[str, str]:
    """The settings of somebody who has done what the pages ask for first."""
    mpicc = ROOT / ".deps/openmpi/bin/mpicc"
    run("make", "-C", ROOT / "examples", f"MPICC={mpicc}", f"BUILD={BUILD}/bin", BUILD / "bin/md")
    (tmp_path / "hosts").write_text("".join(f"n{host}\n" for host in range(8)))
    return {
        "PATH": f"{tmp_path}:{BUILD}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(tmp_path),
        "ECO_DEPS": str(ROOT / ".deps"),
    }


def follow(lines: list[str], folder: Path, env: dict[str, str], *shell: str) -> str:
    """All lines in one shell, which stops at the first that fails. They are in a file, as mpirun
    would read those that follow from standard input."""
    script = folder / "lines"
    script.write_text("\n".join(["#!/bin/bash", "set -eux", f"cd {folder}", *lines, ""]))
    script.chmod(0o755)
    done = subprocess.run(
        shell or [script],
        env=env | {"SHELL": str(script)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.long
@pytest.mark.lab
@pytest.mark.timeout(900)
def test_the_tutorial_of_the_lab(tmp_path: Path, reader: dict[str, str]) -> None:
    out = follow(commands(TUTORIALS / "lab.md"), tmp_path, reader)
    assert "three-segments" in out and (tmp_path / "network.json").exists()


@pytest.mark.long
@pytest.mark.lab
@pytest.mark.timeout(900)
def test_the_tutorial_of_a_cluster(tmp_path: Path, reader: dict[str, str]) -> None:
    """The cluster is the lab: its shell has an mpirun that starts ranks on all hosts."""
    shell = ("eco", "lab", "shell", "three-segments", "--native")
    eco = shutil.which("eco", path=reader["PATH"]) or ""
    follow(commands(TUTORIALS / "cluster.md"), tmp_path, reader, eco, *shell[1:])
    assert (tmp_path / "cluster.json").exists()


@pytest.mark.long
@pytest.mark.lab
@pytest.mark.timeout(900)
def test_the_tutorial_of_slurm(tmp_path: Path, reader: dict[str, str]) -> None:
    """What ECO does in it; a script of this name says to the lab's mpirun what it says to srun
    (tests/site has a real one)."""
    srun = tmp_path / "srun"
    srun.write_text(AS_MPIRUN)
    srun.chmod(0o755)
    eco = shutil.which("eco", path=reader["PATH"]) or ""
    lines = commands(TUTORIALS / "slurm.md")
    follow(lines, tmp_path, reader, eco, "lab", "shell", "three-segments", "--native")
    assert (tmp_path / "cluster.json").exists()
