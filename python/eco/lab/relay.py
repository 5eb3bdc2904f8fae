"""Delay and loss between two interfaces, for kernels without netem.

Frames are read from one interface, kept until they are due and sent on the other. Raw sockets do
this without /dev/net/tun, so an ordinary user can have a wide-area link as well. The rate is not
kept here: a token bucket in the kernel shapes the frames before they arrive.
"""

import random
import select
import socket
import time
from collections import deque
from dataclasses import dataclass

_ETH_P_ALL = 3
_SOL_PACKET = 263
_PACKET_IGNORE_OUTGOING = 23
_SO_RCVBUFFORCE = 33
_BUFFER = 8 << 20
_BURST = 64
# A scheduler that is late by more than this must not turn into a burst of frames at once, but a
# relay which sleeps for less than it costs to wake up would only burn the processor.
_EARLY = 50e-6


@dataclass(frozen=True)
class Pair:
    """Two interfaces to join; delay in seconds and loss as a fraction, each way."""

    left: str
    right: str
    delay: float
    loss: float


def _open(interface: str) -> socket.socket:
    handle = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
    handle.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    try:
        handle.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER)
    except OSError:  # only root may pass the system's limit
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
    handle.setblocking(False)
    handle.bind((interface, 0))
    return handle


class _Direction:
    def __init__(self, source: socket.socket, target: socket.socket, pair: Pair) -> None:
        self.source = source
        self.target = target
        self.delay = pair.delay
        self.loss = pair.loss
        self.waiting: deque[tuple[float, bytes]] = deque()

    def take(self, now: float) -> None:
        due = now + self.delay
        receive, keep, lose = self.source.recv, self.waiting.append, self.loss
        try:
            for _ in range(_BURST):
                frame = receive(2048)
                if lose == 0 or random.random() >= lose:
                    keep((due, frame))
        except BlockingIOError:
            pass

    def give(self, now: float) -> float:
        """Send what is due; returns when the next frame is."""
        waiting = self.waiting
        limit = now + _EARLY
        while waiting and waiting[0][0] <= limit:
            try:
                self.target.send(waiting.popleft()[1])
            except OSError:  # a full queue loses frames, as on a real wire
                pass
        return waiting[0][0] if waiting else float("inf")


def serve(pairs: list[Pair]) -> None:
    """Relay between all pairs for ever."""
    directions: dict[socket.socket, _Direction] = {}
    for pair in pairs:
        left, right = _open(pair.left), _open(pair.right)
        directions[left] = _Direction(left, right, pair)
        directions[right] = _Direction(right, left, pair)
    sources = list(directions)
    while True:
        now = time.monotonic()
        due = min(direction.give(now) for direction in directions.values())
        timeout = None if due == float("inf") else max(0.0, due - time.monotonic())
        ready, _, _ = select.select(sources, (), (), timeout)
        now = time.monotonic()
        for source in ready:
            directions[source].take(now)
