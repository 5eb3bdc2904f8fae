# SPDX-License-Identifier: BSD-3-Clause
"""The Linux calls that Python does not offer: namespaces, mounts, NIC features."""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
CLONE_NEWIPC = 0x08000000

MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

_PR_SET_PDEATHSIG = 1
_SIOCETHTOOL = 0x8946
# Transmit and receive checksums, scatter-gather, and the segmentation and receive offloads.
# With any of them on, frames of 64 KB would cross the emulated wires in one piece.
_OFFLOADS = (0x17, 0x1F, 0x24, 0x2C)

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Move this process (for CLONE_NEWPID: its next child) into new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def enter(path: str, kind: int) -> None:
    """Join the namespace which is mounted at `path`."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(_libc.setns(fd, kind), f"setns {path}")
    finally:
        os.close(fd)


def mount(source: str, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        None if kind is None else kind.encode(),
        ctypes.c_ulong(flags),
        data.encode(),
    )
    _check(result, f"mount {target}")


def set_host_name(name: str) -> None:
    """sethostname(2) in the current UTS namespace."""
    _check(_libc.sethostname(name.encode(), len(name)), "sethostname")


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send us a signal when the parent process ends, however it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")


def offloads_off(interface: str) -> None:
    """Let every frame pass `interface` (in the current network namespace) on its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        for command in _OFFLOADS:
            value = array.array("I", [command, 0])
            address, _ = value.buffer_info()
            request = struct.pack("16sP", interface.encode(), address) + bytes(16)
            fcntl.ioctl(handle, _SIOCETHTOOL, request)
