"""The launcher command and its environment: which rank runs on which host, over which network."""

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab.build import NETNS, STATE, UTSNS
from eco.lab.mpi import Installation
from eco.lab.wiring import address

AGENT = STATE / "agent"
HOST_FILE = STATE / "hosts-of-ranks"
MOST_RANKS = 4096


@dataclass(frozen=True)
class Placement:
    """The host of every rank."""

    hosts: tuple[str, ...]
    all_hosts: tuple[str, ...]

    @property
    def first(self) -> str:
        """Where the launcher runs: the host of rank 0."""
        return self.hosts[0]


def place(
    hosts: Sequence[str], per_host: int, ranks: int | None, order: str
) -> Placement:
    """Map ranks to hosts; `order` is block, round-robin or random:SEED."""
    slots = len(hosts) * per_host
    ranks = slots if ranks is None else ranks
    if not 1 <= ranks <= MOST_RANKS:
        raise EcoError(f"{ranks} ranks: 1 to {MOST_RANKS} can be started", ExitCode.USAGE)
    per_host = max(per_host, -(-ranks // len(hosts)))
    kind, _, seed = order.partition(":")
    if kind == "block" and not seed:
        slot_hosts = [host for host in hosts for _ in range(per_host)]
    elif kind == "round-robin" and not seed:
        slot_hosts = list(hosts) * per_host
    elif kind == "random" and seed.isdecimal():
        slot_hosts = [host for host in hosts for _ in range(per_host)]
        random.Random(int(seed)).shuffle(slot_hosts)
    else:
        raise EcoError(
            f"--order {order!r}: must be block, round-robin or random:SEED (as random:1)",
            ExitCode.USAGE,
        )
    return Placement(tuple(slot_hosts[:ranks]), tuple(hosts))


def environment(
    installation: Installation, placement: Placement, base: Mapping[str, str]
) -> dict[str, str]:
    """The caller's environment with what the MPI library needs to use the emulated network."""
    env = dict(base)
    env["PATH"] = f"{STATE}/bin:{installation.prefix}/bin:{base.get('PATH', os.defpath)}"
    env["TMPDIR"] = str(STATE / "tmp")
    env["ECO_LIBMPI"] = str(installation.library)
    env["ECO_LAB_HOSTFILE"] = str(HOST_FILE)
    if installation.family == "openmpi":
        env |= _open_mpi(installation)
    else:
        env |= _mpich()
    return env


def _open_mpi(installation: Installation) -> dict[str, str]:
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl_tcp_if_include": "eth0",
        # Many ranks share few processors here: one that waits must let the others run.
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    if installation.modern:
        settings |= {
            "OMPI_MCA_btl": "tcp,self,sm",
            "PRTE_MCA_plm_ssh_agent": str(AGENT),
            "PRTE_MCA_prte_if_include": "eth0",
            "PRTE_MCA_prte_silence_shared_fs": "1",
        }
    else:
        settings |= {
            "OMPI_MCA_btl": "tcp,self,vader",
            "OMPI_MCA_plm_rsh_agent": str(AGENT),
            "OMPI_MCA_oob_tcp_if_include": "eth0",
            "OMPI_MCA_orte_tmpdir_base": str(STATE / "tmp"),
        }
    return settings


def _mpich() -> dict[str, str]:
    return {
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": str(AGENT),
        "HYDRA_IFACE": "eth0",
        "MPIR_CVAR_CH4_NETMOD": "ofi",
        "FI_PROVIDER": "tcp",
        # UCX recognises the machine by its boot id and would use shared memory past the network.
        "UCX_TLS": "tcp,self",
    }


def command(
    installation: Installation, placement: Placement, program: Sequence[str]
) -> list[str]:
    """The launcher's words, then the program's."""
    count = len(placement.hosts)
    if installation.family == "openmpi":
        mapping = ["--hostfile", str(HOST_FILE), "--map-by", "seq", "--bind-to", "none"]
        return [str(installation.launcher), "-n", str(count), *mapping, *program]
    first = placement.all_hosts.index(placement.first)
    start = [str(installation.launcher), "-localhost", address(first), "-iface", "eth0"]
    start += ["-launcher", "ssh", "-launcher-exec", str(AGENT)]
    return [*start, "-f", str(HOST_FILE), "-n", str(count), *program]


def write_files(installation: Installation, placement: Placement) -> None:
    """The host file and the remote shell that reaches a host, inside the lab."""
    AGENT.write_text(
        "#!/bin/sh\n"
        'while :; do case "$1" in -l|-p|-o) shift 2;; -*) shift;; *) break;; esac; done\n'
        "host=$1; shift\n"
        f'exec nsenter --net="{NETNS}/$host" --uts="{UTSNS}/$host" -- /bin/sh -c "$*"\n',
        encoding="ascii",
    )
    AGENT.chmod(0o755)
    suffix = "" if installation.family == "openmpi" else ":1"
    HOST_FILE.write_text(
        "".join(f"{host}{suffix}\n" for host in placement.hosts), encoding="ascii"
    )


def working_folder() -> Path:
    """Where the program starts: the caller's folder, which all hosts see."""
    return Path.cwd()
