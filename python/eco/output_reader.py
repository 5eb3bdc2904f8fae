# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a process prints, line by line, also if something that it started and left behind
holds its output open."""

from __future__ import annotations

import codecs
import io
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO

_LEFT_OPEN = 5.0  # seconds of silence, of output that is held open after the process has ended
_LEFT_TALKING = 60.0  # seconds, if what holds it open goes on saying something


class OutputReader:
    """Gives each line of a stream to `take`, from a thread of its own."""

    def __init__(self, stream: IO[bytes], take: Callable[[str], None]) -> None:
        self._stream, self._take = stream, take
        self._begun: list[str] = []  # parts of a line whose end has not come yet
        self._over = False
        self._heard = 0.0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self, since: float, silence: float) -> None:
        """Once the stream has ended, or nothing has come for so long since then, or too much: then
        nothing more is taken."""
        while self._thread.is_alive():
            now = time.monotonic()
            if now - max(since, self._heard) >= silence or now - since >= _LEFT_TALKING:
                break
            self._thread.join(0.1)
        with self._lock:
            self._over = True
            if rest := "".join(self._begun):
                self._take(rest)

    def _run(self) -> None:
        utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        decoder = io.IncrementalNewlineDecoder(utf8, translate=True)
        with self._stream:
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                self._heard = time.monotonic()
                self._split(decoder.decode(chunk))
            self._split(decoder.decode(b"", final=True))

    def _split(self, text: str) -> None:
        first, *more = text.split("\n")
        with self._lock:
            if self._over:
                return
            self._begun.append(first)
            for part in more:
                self._take("".join(self._begun))
                self._begun = [part]


def when_ended(
    process: subprocess.Popen[bytes], readers: Sequence[OutputReader], then: Callable[[], None]
) -> None:
    """Waits in a thread until a process has ended and all it said is read. What it has started and
    left behind may hold its output open for ever, so that is waited for while it says something."""

    def run() -> None:
        process.wait()
        ended = time.monotonic()
        for reader in readers:
            reader.end(ended, _LEFT_OPEN)
        then()

    threading.Thread(target=run, daemon=True).start()
