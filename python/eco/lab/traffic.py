# SPDX-License-Identifier: BSD-3-Clause
"""Background traffic: one TCP stream from host to host that sends no faster than it was asked to.

It keeps to congestion control as everybody's does: on a wire that others fill it gets its share,
and what it could not send is not made up for.
"""

import os
import socket
import time
from collections.abc import Callable

from eco.errors import EcoError, ExitCode
from eco.lab import build
from eco.lab.change import Stream
from eco.lab.scenario import Scenario
from eco.lab.wiring import address

_SEGMENT = 1448
_PIECE_TIME = 2e-3
_MOST_AT_ONCE = 1 << 18  # bytes
_MOST_BEHIND = 20e-3
_PATIENCE = 30.0


def start(scenario: Scenario, stream: Stream) -> list[int]:
    """Start the stream between the hosts' first NICs; its processes, once bytes flow."""
    port, tell_port = os.pipe()
    target = address(scenario.hosts.index(stream.target), ipv6=scenario.ipv6)
    family = socket.AF_INET6 if scenario.ipv6 else socket.AF_INET
    receiver = _on_host(stream.target, lambda: _receive(tell_port, family))
    os.close(tell_port)
    number = int(os.read(port, 16) or b"0")
    os.close(port)
    ready, tell_ready = os.pipe()
    sender = _on_host(stream.source, lambda: _send(target, number, stream.rate, tell_ready))
    os.close(tell_ready)
    flowing = os.read(ready, 1)
    os.close(ready)
    if not flowing:
        raise EcoError("the hosts could not be connected", ExitCode.ENVIRONMENT)
    return [receiver, sender]


def _on_host(host: str, work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            build.enter_host(host)
            work()
        except OSError:
            pass
        finally:
            os._exit(1)
    return child


def _receive(tell_port: int, family: socket.AddressFamily) -> None:
    with socket.create_server(("", 0), family=family) as server:
        os.write(tell_port, str(server.getsockname()[1]).encode())
        os.close(tell_port)
        connection, _ = server.accept()
    while connection.recv(1 << 20):
        pass


def _send(target: str, port: int, rate: float, tell_ready: int) -> None:
    connection = socket.create_connection((target, port), timeout=_PATIENCE)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    block = bytes(min(max(_SEGMENT, int(rate / 8 * _PIECE_TIME)), _MOST_AT_ONCE))
    connection.sendall(block[:_SEGMENT])
    os.write(tell_ready, b"x")
    os.close(tell_ready)
    due = time.monotonic()
    while True:
        due = max(due + len(block) * 8 / rate, time.monotonic() - _MOST_BEHIND)
        time.sleep(max(0.0, due - time.monotonic()))
        connection.sendall(block)
