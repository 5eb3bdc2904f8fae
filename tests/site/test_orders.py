# SPDX-License-Identifier: BSD-3-Clause
"""Exported orders of hosts, read by the real launchers, which reach the lab's hosts by ssh."""

from pathlib import Path

import pytest
from lab_harness import needs_lab
from site_harness import PROFILE, built, export, hosts_in, needs, on_site, own

pytestmark = [*needs_lab, pytest.mark.long, needs("sshd", "ssh-keygen")]


def order(text: str, rank_order: list[str]) -> None:
    """Each line of hosts that `where.c` printed is this order."""
    found = [line.split() for line in text.splitlines() if line.startswith("n")]
    assert found and all(each == rank_order for each in found), text


def graph(folder: Path) -> tuple[str, Path]:
    """An order that no ring has."""
    path = folder / "graph"
    path.write_text("".join(f"{rank} {rank + 4} 10\n" for rank in range(4)))
    return "--graph", path


def test_openmpi_5_takes_rankfile_and_hostfile(tmp_path: Path) -> None:
    program = built(str(own("openmpi", "mpicc")), tmp_path)
    export(PROFILE, "openmpi-rankfile", tmp_path / "ranks", *graph(tmp_path))
    export(PROFILE, "openmpi-hostfile", tmp_path / "hosts", *graph(tmp_path))
    done = on_site(
        f"mpirun --hostfile hosts --map-by seq --bind-to none -n 8 {program}\n"
        f"mpirun --hostfile hosts --map-by rankfile:file=ranks -n 8 {program}\n",
        tmp_path,
        services=("ssh",),
    )
    assert done.returncode == 0, done.stderr
    wanted = hosts_in(tmp_path / "hosts")
    assert [line.split("=")[1].split()[0] for line in hosts_in(tmp_path / "ranks")] == wanted
    order(done.stdout, wanted)


@needs("mpirun.openmpi", "mpicc.openmpi")
def test_openmpi_4_takes_rankfile_and_hostfile(tmp_path: Path) -> None:
    program = built("mpicc.openmpi", tmp_path)
    export(PROFILE, "openmpi-rankfile", tmp_path / "ranks", *graph(tmp_path))
    export(PROFILE, "openmpi-hostfile", tmp_path / "hosts", *graph(tmp_path))
    done = on_site(
        "unset LD_LIBRARY_PATH\nexport OMPI_MCA_btl=tcp,self,vader\n"
        f"mpirun.openmpi --hostfile hosts --mca rmaps seq -n 8 {program}\n"
        f"mpirun.openmpi --rankfile ranks -n 8 {program}\n",
        tmp_path,
        services=("ssh",),
    )
    assert done.returncode == 0, done.stderr
    order(done.stdout, hosts_in(tmp_path / "hosts"))


@needs("mpiexec.mpich")
def test_hydra_takes_the_hostfile(tmp_path: Path) -> None:
    program = built(str(own("mpich", "mpicc")), tmp_path)
    export(PROFILE, "hydra-hostfile", tmp_path / "hosts", *graph(tmp_path))
    done = on_site(
        f"mpiexec -f hosts -n 8 {program}\nmpiexec.mpich -f hosts -n 8 {program}\n",
        tmp_path,
        family="mpich",
        services=("ssh",),
    )
    assert done.returncode == 0, done.stderr
    order(done.stdout, hosts_in(tmp_path / "hosts"))


def test_mpich_takes_coordinates_and_settings(tmp_path: Path) -> None:
    program = built(str(own("mpich", "mpicc")), tmp_path)
    export(PROFILE, "hydra-hostfile", tmp_path / "hosts")
    export(PROFILE, "mpich-coordinates", tmp_path / "coordinates")
    export(PROFILE, "mpich-cvars", tmp_path / "settings")
    done = on_site(
        "MPIR_CVAR_COORDINATES_FILE=$PWD/coordinates\n. ./settings\n"
        f"mpiexec -f hosts -n 8 {program}\n"
        # It is read: with a line less, MPI_Init fails.
        "head -n 8 coordinates > short\n"
        f"MPIR_CVAR_COORDINATES_FILE=$PWD/short mpiexec -f hosts -n 8 {program} && exit 9 || :\n",
        tmp_path,
        family="mpich",
        services=("ssh",),
    )
    assert done.returncode == 0, done.stderr
    order(done.stdout, hosts_in(tmp_path / "hosts"))
