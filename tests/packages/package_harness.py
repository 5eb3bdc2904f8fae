# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of packages share: the build as a package, a virtual environment, the hand."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PROFILE = ROOT / "tests" / "data" / "three-segments-measured.json"

needs_build = pytest.mark.skipif(
    not (BUILD / "lib" / "libeco-openmpi.so").exists(), reason="ECO is not built: run make"
)


def run(
    *words: str | Path, code: int = 0, env: dict[str, str] | None = None, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """A command as somebody gives it who has no checkout, in a folder of no project."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("ECO_")}
    done = subprocess.run(
        list(map(str, words)),
        cwd="/",
        env=own | (env or {}),
        capture_output=True,
        text=True,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done


def install(python: str | Path, *words: str | Path) -> None:
    """With packages from the index, which may be far and busy."""
    run(python, "-m", "pip", "install", "--quiet", *words, timeout=600)


def without_network(*words: str | Path) -> list[str | Path]:
    """The command in a network namespace that has nothing but itself."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "--", *words]


def python_of(version: str) -> str | None:
    """A Python of this machine of that version, as "3.9"."""
    managed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    # First, as pyenv puts names on PATH that may lead nowhere.
    return str(managed[-1]) if managed else shutil.which(f"python{version}")


def environment(folder: Path) -> Path:
    """A virtual environment that sees the packages which .venv has pinned, so that a test needs no
    network; ECO itself is not among them. Returns its python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    site = next(folder.glob("lib/python3*/site-packages"))
    pinned = Path(sysconfig.get_path("purelib"))
    for entry in pinned.iterdir():
        if entry.suffix != ".pth" and not entry.name.startswith("eco"):
            (site / entry.name).symlink_to(entry)
    return folder / "bin" / "python"


def needed(file: Path) -> set[str]:
    """The libraries that a file is linked with."""
    lines = run("objdump", "-p", file).stdout.splitlines()
    return {line.split()[1] for line in lines if "NEEDED" in line}
