# SPDX-License-Identifier: BSD-3-Clause
"""The launcher command and its environment: which rank runs on which host, over which network."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab.build import NETNS, STATE, UTSNS
from eco.lab.mpi import Installation
from eco.lab.wiring import MANAGEMENT, launch_address
from eco.zipped import zipped

AGENT = STATE / "agent"
HOST_FILE = STATE / "hosts-of-ranks"
RANK = STATE / "rank"
CARD = STATE / "card"
INPUT = STATE / "stdin"
FAILED = STATE / "failed"
MOST_RANKS = 4096
_INTERFACES = "OMPI_MCA_btl_tcp_if_include"


@dataclass(frozen=True)
class Placement:
    """The host of every rank, all hosts there are, and the interfaces they may have."""

    hosts: tuple[str, ...]
    all_hosts: tuple[str, ...]
    interfaces: tuple[str, ...] = ("eth0",)
    addresses: tuple[str, ...] = ()  # of all hosts, where MPICH must be told which NIC joins them
    ipv6: bool = False  # the interfaces have no IPv4 addresses

    @property
    def launches_by(self) -> str:
        """The interface over which programs are started."""
        return MANAGEMENT if self.ipv6 else "eth0"

    @property
    def first(self) -> str:
        """Where the launcher runs: the host of rank 0."""
        return self.hosts[0]


def place(hosts: Sequence[str], per_host: int, ranks: int | None, order: str) -> Placement:
    """Map ranks to hosts; `order` is block, round-robin or random:SEED."""
    ranks = len(hosts) * per_host if ranks is None else ranks
    if not 1 <= ranks <= MOST_RANKS:
        raise EcoError(f"{ranks} ranks: 1 to {MOST_RANKS} can be started", ExitCode.USAGE)
    per_host = max(per_host, -(-ranks // len(hosts)))
    blocks = [host for host in hosts for _ in range(per_host)]
    kind, _, seed = order.partition(":")
    if order == "block":
        slots = blocks
    elif order == "round-robin":
        slots = list(hosts) * per_host
    elif kind == "random" and seed.isdecimal() and len(seed) < 20:
        slots = blocks
        random.Random(int(seed)).shuffle(slots)
    else:
        raise EcoError(
            f"--order {order!r}: must be block, round-robin or random:SEED (as random:1)",
            ExitCode.USAGE,
        )
    return Placement(tuple(slots[:ranks]), tuple(hosts))


def environment(
    installation: Installation,
    placement: Placement,
    base: Mapping[str, str],
    quirks: Path | None,
) -> dict[str, str]:
    """The caller's environment with what the MPI library needs to use the emulated network."""
    env = dict(base)
    env["PATH"] = f"{installation.prefix}/bin:{base.get('PATH', os.defpath)}"
    env["TMPDIR"] = str(STATE / "tmp")
    env["ECO_LIBMPI"] = str(installation.preloadable)
    env["ECO_LAB_HOSTFILE"] = str(HOST_FILE)
    if installation.family == "openmpi":
        # Who names interfaces knows why.
        own = base.get(_INTERFACES) or ",".join(placement.interfaces)
        env |= _open_mpi(installation, own, placement.launches_by)
    else:
        env |= _mpich()
    if quirks is not None:
        env["ECO_LAB_PRELOAD_BEFORE"] = env.get("LD_PRELOAD", "")
        env["LD_PRELOAD"] = _preload(quirks, env)
        # Else AddressSanitizer refuses what comes before its runtime.
        flags = env.get("ASAN_OPTIONS", "")
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0" + (f":{flags}" if flags else "")
    if not installation.library.is_relative_to("/usr"):
        # A program may have been built elsewhere, without the way to its library.
        folders = [str(installation.library.parent), env.get("LD_LIBRARY_PATH", "")]
        env["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
    return env


def _open_mpi(installation: Installation, interfaces: str, launches_by: str) -> dict[str, str]:
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_pml": "ob1",
        _INTERFACES: interfaces,
        # Many ranks share few processors here: one that waits must let the others run.
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    if installation.modern:
        settings |= {
            "OMPI_MCA_btl": "tcp,self,sm",
            "PRTE_MCA_plm_ssh_agent": str(AGENT),
            "PRTE_MCA_prte_if_include": launches_by,
            "PRTE_MCA_prte_silence_shared_fs": "1",
        }
    else:
        settings |= {
            "OMPI_MCA_btl": "tcp,self,vader",
            "OMPI_MCA_plm_rsh_agent": str(AGENT),
            "OMPI_MCA_oob_tcp_if_include": launches_by,
        }
    return settings


def _mpich() -> dict[str, str]:
    return {
        "MPIR_CVAR_CH4_NETMOD": "ofi",
        "FI_PROVIDER": "tcp",
        # UCX recognises the machine by its boot id and would use shared memory past the network.
        "UCX_TLS": "tcp,self",
        # MPICH polls; a rank that polled in vain must let the others run.
        "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
        "MPIR_CVAR_POLLS_BEFORE_YIELD": "20",
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "20",
    }


def _preload(quirks: Path, env: Mapping[str, str]) -> str:
    before = env.get("LD_PRELOAD", "")
    return f"{quirks}:{before}" if before else str(quirks)


# A launcher's options after which it takes no hosts from a second file.
NAME_HOSTS = frozenset(
    (
        *("-host", "--host", "-H", "-hosts", "--hosts", "-f", "-hostfile", "--hostfile"),
        *("-machinefile", "--machinefile"),
    )
)


def command(
    installation: Installation,
    placement: Placement,
    quirks: Path | None,
    here: str,
    own_options: Sequence[str] = (),
) -> list[str]:
    """The launcher's words on host `here`; the program's follow."""
    words = [str(installation.launcher)]
    all_hosts = not NAME_HOSTS & set(own_options)
    if installation.family == "openmpi":
        words += ["--hostfile", str(HOST_FILE)] if all_hosts else []
        words += ["--map-by", "seq", "--bind-to", "none"]
    else:
        index = placement.all_hosts.index(here)
        words += ["-launcher", "ssh", "-launcher-exec", str(AGENT)]
        words += ["-f", str(HOST_FILE)] if all_hosts else []
        words += ["-iface", placement.launches_by]
        words += ["-localhost", launch_address(index, placement.ipv6)]
        if quirks is not None:
            # Only MPICH 4's ranks need the object which the launcher has.
            own = _preload(quirks, os.environ) if installation.system else ""
            words += ["-genv", "LD_PRELOAD", own or os.environ.get("LD_PRELOAD", "")]
    if not {"-n", "-np", "--n", "--np", "-c"} & set(own_options):
        words += ["-n", str(len(placement.hosts))]
    words += own_options
    if placement.addresses and installation.family != "openmpi":
        words.append(str(CARD))
    return words


def write_files(placement: Placement) -> None:
    """The hostfile, the remote shell that reaches a host, what gives rank 0 its input, and what
    tells MPICH its NIC."""
    AGENT.write_text(
        "#!/bin/sh\n"
        'while :; do case "$1" in -l|-p|-o) shift 2;; -*) shift;; *) break;; esac; done\n'
        "host=$1; shift\n"
        f'exec nsenter --net="{NETNS}/$host" --uts="{UTSNS}/$host" -- /bin/sh -c "$*"\n',
        encoding="ascii",
    )
    AGENT.chmod(0o755)
    INPUT.symlink_to(os.devnull)
    RANK.write_text(
        "#!/bin/sh\n"
        f'[ "${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}" = 0 ] && exec <{INPUT}\n'
        '"$@"\n'
        "code=$?\n"
        f"[ $code = 0 ] || {{ set -C; echo $code >{FAILED}; }} 2>/dev/null\n"
        "[ $code -le 128 ] || kill -$((code - 128)) $$ 2>/dev/null\n"
        "exit $code\n",
        encoding="ascii",
    )
    RANK.chmod(0o755)
    if placement.addresses:
        # Of several NICs MPICH takes the one with the address by which the launcher knows the host,
        # else the first. FI_TCP_IFACE would keep ECO from the others as well.
        cases = "".join(
            f"{host}) PMI_HOSTNAME={own};;\n"
            for host, own in zipped(placement.all_hosts, placement.addresses)
        )
        CARD.write_text(
            f'#!/bin/sh\ncase $(uname -n) in\n{cases}esac\nexport PMI_HOSTNAME\nexec "$@"\n',
            encoding="ascii",
        )
        CARD.chmod(0o755)
    HOST_FILE.write_text("".join(f"{host}\n" for host in placement.hosts), encoding="ascii")


def has_input() -> bool:
    """Whether our standard input could hold anything."""
    try:
        mode, null = os.fstat(0), Path(os.devnull).stat()
        # In the background a terminal has nothing for us: reading it would stop the whole job.
        if os.isatty(0) and os.tcgetpgrp(0) != os.getpgrp():
            return False
    except OSError:
        return False
    return (mode.st_dev, mode.st_ino) != (null.st_dev, null.st_ino)


def feed_rank_zero() -> None:
    """Bring standard input to rank 0 ourselves.

    Open MPI 5's launcher loses or repeats parts of it and does not always tell its end, not even
    that of /dev/null; MPICH's gives up when the program reads slowly.
    """
    INPUT.unlink()
    os.mkfifo(INPUT)
    if os.fork() == 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        try:
            with open(INPUT, "wb", buffering=0) as pipe:
                while chunk := os.read(0, 65536):
                    pipe.write(chunk)
        finally:
            os._exit(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def outcome(code: int) -> int:
    """The job's exit code. Open MPI 5's launcher may crash after a rank that failed."""
    if code == 128 + signal.SIGSEGV and FAILED.exists():
        return int(FAILED.read_text())
    return code
