# SPDX-License-Identifier: BSD-3-Clause
"""The stubs that programs call, on this processor and, under emulation, on AArch64."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
OWN = platform.machine()
TOOLS = {
    "x86_64": ("x86_64-linux-gnu-gcc", "qemu-x86_64"),
    "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
}


@pytest.mark.parametrize("large_counts", [0, 1])
@pytest.mark.parametrize("processor", sorted({OWN, "aarch64"}))
def test_arguments_arrive(tmp_path: Path, processor: str, large_counts: int) -> None:
    compiler, emulator = TOOLS[processor]
    needed = [compiler] if processor == OWN else [compiler, emulator]
    for tool in needed:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing")
    program = tmp_path / "calls"
    words = [compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-static", f"-I{PROJECT / 'src'}"]
    words += [f"-DECO_HAS_COUNT={large_counts}", "-o", str(program), str(HERE / "calls.c")]
    built = subprocess.run(
        [*words, str(PROJECT / "src/eco/preload/stubs.S")], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    front = [] if processor == OWN else [emulator]
    run = subprocess.run([*front, str(program)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "all ok\n"), run.stdout + run.stderr
