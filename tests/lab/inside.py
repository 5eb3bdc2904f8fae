# SPDX-License-Identifier: BSD-3-Clause
"""Runs in a lab: measures what its wires do with plain sockets.

`inside.py SCENARIO.yaml|NAME REQUEST` builds the scenario and prints the answer as JSON. A request
is {"flows": [[from, to], …], "seconds": s}, where a flow may name the broadcast domain as well,
{"echo": [from, to], "times": n}, {"groups": from, "members": [host, …], "again": s, "times": n},
 {"frames": [from, to], "times": n}, {"order": [from, to],
"times": n}, {"multicasts": from, "times": n, "bytes": b} or {"salvo": [[from, to], …], "bytes": n}.
"""

import json
import os
import socket
import statistics
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eco.lab.load import load
from eco.lab.scenario import Scenario
from eco.lab.wiring import address

from eco.lab import build, sandbox

PORT = 7000
ROUNDS = 5
SETTLE = 0.5


def on_host(host: str, work: Callable[[], Any]) -> int:
    """Fork a process on `host`; the read end of a pipe with its JSON result."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            build.enter_host(host)
            os.write(writer, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    return reader


def result(reader: int) -> Any:
    with os.fdopen(reader) as pipe:
        return json.loads(pipe.read())


def receive(port: int, seconds: float) -> float:
    """Goodput in bit/s between SETTLE seconds after the first byte and the end."""
    with socket.create_server(("", port)) as server:
        connection, _ = server.accept()
        connection.recv(65536)
        start = time.monotonic() + SETTLE
        end = start + seconds
        total = 0
        while (now := time.monotonic()) < end:
            got = len(connection.recv(1 << 20))
            if now >= start:
                total += got
        return total * 8 / (time.monotonic() - start)


def connect(target: str, port: int) -> socket.socket:
    """Once somebody listens there."""
    while True:
        try:
            return socket.create_connection((target, port), timeout=10)
        except ConnectionRefusedError:
            time.sleep(0.01)


def send(target: str, port: int) -> None:
    block = bytes(65536)
    connection = connect(target, port)
    try:
        while True:
            connection.sendall(block)
    except OSError:
        pass


def echo_server(port: int, times: int) -> None:
    with socket.create_server(("", port)) as server:
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(times):
            connection.sendall(connection.recv(64))


def echo_client(target: str, port: int, times: int) -> list[float]:
    connection = connect(target, port)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    trips = []
    for _ in range(times):
        start = time.monotonic()
        connection.sendall(b"x")
        connection.recv(64)
        trips.append(time.monotonic() - start)
    return trips


def frames(source: str, target: str, scenario: Scenario, count: int) -> list[int]:
    """The numbers of `count` datagrams as they arrive."""
    target_address = address(scenario.hosts.index(target))
    listens, ready = os.pipe()

    def arrivals() -> list[int]:
        handle = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        handle.bind(("", PORT))
        handle.settimeout(1.0)
        os.write(ready, b"x")
        arrived = []
        try:
            while True:
                arrived.append(struct.unpack("I", handle.recv(2048))[0])
        except TimeoutError:
            return arrived

    def shoot() -> None:
        handle = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        os.read(listens, 1)
        for n in range(count):
            handle.sendto(struct.pack("I", n), (target_address, PORT))
            time.sleep(0.001)

    heard = on_host(target, arrivals)
    result(on_host(source, shoot))
    return [int(number) for number in result(heard)]


GROUP = "239.255.0.7"
TICK = 0.1


def membership(host: str, scenario: Scenario) -> bytes:
    """Of the group, by this host's card."""
    return socket.inet_aton(GROUP) + socket.inet_aton(address(scenario.hosts.index(host)))


def group_sender(host: str, scenario: Scenario) -> socket.socket:
    handle = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own = socket.inet_aton(address(scenario.hosts.index(host)))
    handle.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
    return handle


def groups(
    source: str, members: list[str], again: float, scenario: Scenario, times: int
) -> dict[str, list[int]]:
    """Which of `times` multicasts, one each TICK, come to each host's card: members have joined the
    group, and do so again `again` seconds later, or never if that is 0."""
    start = time.monotonic() + 0.5

    def arrivals(host: str) -> list[int]:
        # Hosts report a group that they joined once more, up to 10 s later.
        Path("/proc/sys/net/ipv4/igmp_qrv").write_text("1")
        card = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
        card.settimeout(TICK / 4)
        mine = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        member = membership(host, scenario)
        if host in members:
            mine.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        left = again if host in members else 0.0
        arrived = []
        while (now := time.monotonic()) < start + times * TICK + 0.3:
            if left and now >= start + left:
                left = 0.0
                mine.setsockopt(socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP, member)
                mine.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            try:
                frame, (*_, kind, _, _) = card.recvfrom(2048)
            except TimeoutError:
                continue
            to_group = frame[16:20] == socket.inet_aton(GROUP) and frame[9] == socket.IPPROTO_UDP
            if to_group and kind != socket.PACKET_OUTGOING:
                arrived.append(struct.unpack("I", frame[28:32])[0])
        return arrived

    def shoot() -> None:
        handle = group_sender(source, scenario)
        for n in range(times):
            time.sleep(max(0.0, start + n * TICK - time.monotonic()))
            handle.sendto(struct.pack("I", n), (GROUP, PORT))

    others = [host for host in scenario.hosts if host != source]
    heard = {host: on_host(host, lambda host=host: arrivals(host)) for host in others}
    result(on_host(source, shoot))
    return {host: result(reader) for host, reader in heard.items()}


def multicasts(source: str, scenario: Scenario, times: int, size: int) -> dict[str, list[float]]:
    """Of `times` multicasts, sent as fast as the card takes them: how many came to each host, and
    how long after its first its last one came."""
    start = time.monotonic() + 0.5

    def arrivals(host: str) -> list[float]:
        handle = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        handle.bind(("", PORT))
        member = membership(host, scenario)
        handle.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        handle.settimeout(2.0)
        when = []
        try:
            while True:
                handle.recv(2048)
                when.append(time.monotonic())
        except TimeoutError:
            return [len(when), when[-1] - when[0]]

    def shoot() -> None:
        handle = group_sender(source, scenario)
        handle.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        time.sleep(max(0.0, start - time.monotonic()))
        for _ in range(times):
            handle.sendto(bytes(size), (GROUP, PORT))

    others = [host for host in scenario.hosts if host != source]
    heard = {host: on_host(host, lambda host=host: arrivals(host)) for host in others}
    result(on_host(source, shoot))
    return {host: result(reader) for host, reader in heard.items()}


def salvo(pairs: list[list[str]], size: int, index: dict[str, int]) -> float:
    """Seconds until the last of `size` bytes from and to each of `pairs`, all sent at once on a
    network that was quiet, has arrived: the median of ROUNDS."""
    starts = [time.monotonic() + 1.5 + 0.3 * n for n in range(ROUNDS)]

    def catch(port: int) -> list[float]:
        with socket.create_server(("", port)) as server:
            connection, _ = server.accept()
            taken = []
            for start in starts:
                left = size
                while left > 0:
                    left -= len(connection.recv(left))
                taken.append(time.monotonic() - start)
            return taken

    def shoot(targets: list[tuple[str, int]]) -> None:
        connections = [connect(*target) for target in targets]
        for start in starts:
            time.sleep(max(0.0, start - time.monotonic()))
            for connection in connections:
                connection.sendall(bytes(size))
        time.sleep(1)

    caught = [on_host(to, lambda n=n: catch(PORT + n)) for n, (_, to) in enumerate(pairs)]
    for source in {source for source, _ in pairs}:
        targets = [
            (address(index[to]), PORT + n) for n, (own, to) in enumerate(pairs) if own == source
        ]
        on_host(source, lambda targets=targets: shoot(targets))
    return statistics.median(max(taken) for taken in zip(*map(result, caught), strict=True))


def answer(scenario: Scenario, request: dict[str, Any]) -> Any:
    index = {host: i for i, host in enumerate(scenario.hosts)}
    if "flows" in request:
        readers = []
        for n, (source, target, *domain) in enumerate(request["flows"]):
            readers.append(on_host(target, lambda n=n: receive(PORT + n, request["seconds"])))
            reached = address(index[target], *domain)
            on_host(source, lambda n=n, t=reached: send(t, PORT + n))
        return [result(reader) for reader in readers]
    if "salvo" in request:
        return salvo(request["salvo"], request["bytes"], index)
    if "multicasts" in request:
        return multicasts(request["multicasts"], scenario, request["times"], request["bytes"])
    if "groups" in request:
        members, again = request["members"], request.get("again", 0.0)
        return groups(request["groups"], members, again, scenario, request["times"])
    if "frames" in request:
        source, target = request["frames"]
        return len(frames(source, target, scenario, request["times"]))
    if "order" in request:
        source, target = request["order"]
        return frames(source, target, scenario, request["times"])
    source, target = request["echo"]
    on_host(target, lambda: echo_server(PORT, request["times"]))
    return result(
        on_host(source, lambda: echo_client(address(index[target]), PORT, request["times"]))
    )


def main() -> None:
    scenario = load(sys.argv[1]).scaled(float(os.environ.get("SCALE", "1")))

    def prepare() -> None:
        build.private_mounts()
        build.build(scenario)
        print(json.dumps(answer(scenario, json.loads(sys.argv[2]))), flush=True)

    sys.exit(sandbox.run(prepare, lambda: None, ["true"], interactive=False))


if __name__ == "__main__":
    main()
