# SPDX-License-Identifier: BSD-3-Clause
"""What the command prints to: streams that are there and take any text, or are given up."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from pathlib import Path
from typing import TextIO

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_SURROGATE = re.compile("[\ud800-\udfff]")


def prepare() -> None:
    """Before anything is printed."""
    if sys.stdout is None:  # closed by the shell: eco show … >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:  # print() would take standard output instead, and mix it into --json
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every locale has × and –


def discard(stream: TextIO) -> None:
    """Drop what it still holds; Python would complain of it at its end, and change the code."""
    with contextlib.suppress(OSError):  # a stream in memory is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def printable(text: str | Path) -> str:
    """Without surrogates, which stand for the bytes of a file's name that are not UTF-8; neither
    the engine nor every reader of JSON takes them."""
    return _SURROGATE.sub("\ufffd", str(text))


def refusal(error: OSError) -> str:
    """What the system did not do, as one sentence."""
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        return f"{error.filename}: {why}"
    if error.errno in _UNWRITABLE:
        return f"the result cannot be written: {why}"
    return f"the system refused: {why}"
