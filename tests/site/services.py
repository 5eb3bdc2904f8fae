# SPDX-License-Identifier: BSD-3-Clause
"""Real services on the lab's hosts: Slurm's daemons, and a secure shell server on each.

Each `start_…` is called in the lab's first process, once the hosts stand. Files are in the lab's
own /run, which goes with it.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from eco.errors import EcoError, ExitCode
from eco.lab.wiring import address

from eco.lab import build

CONF = build.STATE / "slurm" / "slurm.conf"
SSH = build.STATE / "ssh"
_SLURM = f"""\
ClusterName=lab
SlurmctldHost={{first}}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={CONF.parent}/state
SlurmdSpoolDir={CONF.parent}/spool-%n
TmpFS={CONF.parent}/tmp-%n
SlurmctldPidFile={CONF.parent}/slurmctld.pid
SlurmdPidFile={CONF.parent}/slurmd-%n.pid
SlurmctldLogFile={{logs}}/slurmctld.log
SlurmdLogFile={{logs}}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MpiParams=ports=12000-12999
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
TopologyPlugin=topology/{{topology}}
{{nodes}}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def start_slurm(hosts: Sequence[str], logs: Path, topology: str | None, processors: int) -> None:
    """slurmctld on the first host, a slurmd on each; topology: the text of topology.conf."""
    own = (f"{name}-{host}" for host in hosts for name in ("spool", "tmp"))
    for name in ("state", *own):
        (CONF.parent / name).mkdir(parents=True)
    nodes = [
        f"NodeName={host} NodeAddr={address(n)} CPUs={processors} State=UNKNOWN"
        for n, host in enumerate(hosts)
    ]
    CONF.write_text(
        _SLURM.format(
            first=hosts[0],
            logs=logs,
            topology="tree" if topology else "none",
            nodes="\n".join(nodes),
        )
    )
    if topology:
        (CONF.parent / "topology.conf").write_text(topology)
    os.environ["SLURM_CONF"] = str(CONF)
    _on(hosts[0], ["slurmctld", "-D"], logs / "slurmctld.out")
    for host in hosts:
        _on(host, ["slurmd", "-D", "-N", host], logs / f"slurmd-{host}.out")
    words = ["sinfo", "--noheader", "--Node", "--format=%T"]
    _until(
        lambda: _ask(hosts[0], words).split().count("idle") == len(hosts),
        f"Slurm's nodes are not idle; see {logs}",
    )


def start_ssh(hosts: Sequence[str], logs: Path) -> None:
    """A server on each host, and a client that needs no password."""
    SSH.mkdir()
    Path("/run/sshd").mkdir(exist_ok=True)
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(SSH / name)]
        subprocess.run(words, check=True)
    shutil.copy(SSH / "user.pub", SSH / "authorized")
    for n, host in enumerate(hosts):
        (SSH / f"{host}.conf").write_text(
            f"HostKey {SSH}/host\nListenAddress {address(n)}\nPidFile {SSH}/{host}.pid\n"
            f"AuthorizedKeysFile {SSH}/authorized\nStrictModes no\nPermitRootLogin yes\n"
            "UsePAM no\nPasswordAuthentication no\nMaxStartups 100\n"
        )
        words = ["/usr/sbin/sshd", "-D", "-e", "-f", str(SSH / f"{host}.conf")]
        _on(host, words, logs / f"sshd-{host}.log")
    (SSH / "client.conf").write_text(
        f"IdentityFile {SSH}/user\nAddressFamily inet\nStrictHostKeyChecking no\n"
        "UserKnownHostsFile /dev/null\nGSSAPIAuthentication no\n"
        "LogLevel ERROR\n"
    )
    # Launchers start plain `ssh`; what a user has in ~/.ssh is another's.
    client = SSH / "bin" / "ssh"
    client.parent.mkdir()
    client.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {SSH}/client.conf "$@"\n')
    client.chmod(0o755)
    os.environ["PATH"] = f"{client.parent}:{os.environ['PATH']}"
    for n, host in enumerate(hosts):
        reached = ["bash", "-c", f"echo </dev/tcp/{address(n)}/22 && echo open"]
        _until(
            lambda words=reached, host=host: "open" in _ask(host, words),  # type: ignore[misc]
            f"no secure shell on {host}",
        )


def _on(host: str, words: list[str], log: Path) -> None:
    """A daemon of one host."""
    where = shutil.which(words[0], path=f"{os.environ['PATH']}:/usr/sbin") or words[0]
    with log.open("a") as file:
        subprocess.Popen(
            [where, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            preexec_fn=lambda: build.enter_host(host),
        )


def _ask(host: str, words: list[str]) -> str:
    """What a command says there."""
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: build.enter_host(host),
    )
    return done.stdout


def _until(holds: Callable[[], bool], otherwise: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise EcoError(f"{otherwise} (after {seconds:g} s)", ExitCode.ENVIRONMENT)
        time.sleep(0.2)
