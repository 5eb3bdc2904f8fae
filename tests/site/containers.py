# SPDX-License-Identifier: BSD-3-Clause
"""Containers of podman on the lab's hosts: an image made of this machine's own files, and the lines
of docs/sites.md, which are run as they stand there."""

import contextlib
import os
import re
import resource
import shutil
import subprocess
from pathlib import Path

from eco.lab.mpi import PROJECT, dependencies

PAGE = PROJECT / "docs" / "sites.md"
_BUILD = PROJECT / "build" / "release"
_TEMPORARY = "/run/eco-lab/tmp"  # the hosts' /tmp is that of this machine
_CGROUPS = Path("/sys/fs/cgroup")
_PARENT = f"eco-test-{os.getpid()}"
_LIMITS = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}


def _page() -> list[str]:
    """What the page's section on containers has a reader type."""
    section = PAGE.read_text().split("\n## Containers\n")[1].split("\n## ")[0]
    found: list[str] = re.findall(r"^ {4,}(.+)$", section, re.M)
    return [line.replace("/tmp:/tmp", f"{_TEMPORARY}:{_TEMPORARY}") for line in found]


def settings() -> str:
    """The page's shell variables."""
    return "".join(f"{line}\n" for line in _page() if re.match(r"\w+=|export ", line))


def line(*words: str) -> str:
    """The page's one command with these words."""
    (text,) = [line for line in _page() if all(word in line.split() for word in words)]
    return text


def with_words(text: str, changes: dict[str, str]) -> str:
    """Each of which must be there to change."""
    for before, after in changes.items():
        assert before in text, f"{before} is not in {text}"
        text = text.replace(before, after)
    return text


def _needed(objects: list[Path]) -> set[str]:
    """The libraries that these load, from outside the project."""
    listed = subprocess.run(["ldd", *objects], capture_output=True, text=True).stdout
    return {path for path in re.findall(r"(/\S+) \(0x", listed) if "/.deps/" not in path}


def make_image(folder: Path, family: str, programs: list[Path]) -> Path:
    """A shell, the C library, an MPI library (prepared() puts it in) and programs; no Python, no
    hwloc, nothing of ECO."""
    root = folder / "image"
    libraries = [*(dependencies() / family / "lib").rglob("*.so*")]
    shell = Path(shutil.which("dash") or "/bin/sh")
    for path in {*_needed([*libraries, shell, *programs]), str(shell)}:
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    for name in ("bin", "dev", "etc", "opt", "proc", "run", "sys", "tmp"):
        (root / name).mkdir(exist_ok=True)
    (root / "bin" / "sh").symlink_to(shell)
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    for program in programs:
        shutil.copy(program, root)
    return root


def install(folder: Path) -> None:
    """ECO without its commands; and the same as if it had been built with a C library that is not
    there yet."""
    for component in ("runtime", "engine"):
        words = ["--install", _BUILD, "--strip", "--component", component, "--prefix"]
        subprocess.run(
            ["cmake", *words, folder / "installed"], check=True, stdout=subprocess.DEVNULL
        )
    later = shutil.copytree(folder / "installed", folder / "later")
    for path in (later / "lib" / "eco").glob("libeco-*.so"):
        path.write_bytes(re.sub(rb"GLIBC_2\.\d(\d)\0", rb"GLIBC_2.9\1\0", path.read_bytes()))


def prepared(folder: Path, family: str, image: Path, preloaded: str) -> str:
    """The beginning of a script: image, ECO and podman are on all hosts, whose files are one.
    preloaded: into all programs."""
    mpi = dependencies() / family
    podman = folder / "bin" / "podman"
    podman.parent.mkdir()
    bound = f"-v {preloaded}:{preloaded}:ro" if preloaded else ""
    limits = " ".join(f"--ulimit={name}={_limit(which)}" for name, which in _LIMITS.items())
    # Before a user's words comes what this machine may lack: control groups, the right to raise
    # limits, a file system for layers. The image is a folder.
    podman.write_text(
        "#!/bin/sh\nshift\n"
        f"exec {shutil.which('podman')} --root={folder}/store --runroot=/run/store "
        "--storage-driver=vfs --cgroup-manager=cgroupfs --events-backend=none run "
        f"--cgroup-parent=/{_PARENT} {limits} --security-opt=seccomp=unconfined {bound} "
        '--read-only --workdir=/ --rootfs "$@"\n'
    )
    podman.chmod(0o755)
    # crun knows no mixture of the two kinds of control groups.
    return (
        "umount /sys/fs/cgroup/unified 2>/dev/null || :\n"
        "mount -t tmpfs none /opt\nmkdir /opt/eco /opt/later\n"
        f"mount --bind {folder}/installed /opt/eco\n"
        f"mount --bind {folder}/later /opt/later\n"
        f"mkdir -p {image}{mpi}\nmount --bind {mpi} {image}{mpi}\n"
        f"export LD_PRELOAD={preloaded} PATH={folder}/bin:$PATH HOME={folder}/home\n"
        "export PRTE_MCA_plm_ssh_agent=/run/eco-lab/agent\n"
        "export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=/run/eco-lab/agent\n"
        "mkdir -p $HOME/.local/share/eco/profiles\n"
        "printf '%s\\n' $LAB_HOSTS >hosts\n" + settings()
    )


def remove_cgroups() -> None:
    """What podman leaves there outlives the lab."""
    for top in (*_CGROUPS.glob(_PARENT), *_CGROUPS.glob(f"*/{_PARENT}")):
        for folder, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError):  # of a run that was stopped, and is still ending
                Path(folder).rmdir()


def _limit(which: int) -> str:
    most = resource.getrlimit(which)[1]
    most = 1000 if most == resource.RLIM_INFINITY else min(most, 1000)
    return f"{most}:{most}"
