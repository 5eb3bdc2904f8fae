# SPDX-License-Identifier: BSD-3-Clause
"""Text files that people write, or send through other systems, as text: a mark at the beginning,
as Windows' editors put there, is no part of it, and lines may end in any way."""

import codecs
import io
from pathlib import Path

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(path: Path, errors: str = "strict") -> str:
    """UTF-8, with or without a mark, or UTF-16 with one; `errors` as in bytes.decode. Throws
    OSError and UnicodeDecodeError."""
    return decode(path.read_bytes(), errors)


def decode(content: bytes, errors: str = "strict") -> str:
    """The same of a file's content."""
    encoding = "utf-16" if content.startswith(_UTF16) else "utf-8-sig"
    # Half a character of UTF-16 has no surrogate that stands for it.
    if encoding == "utf-16" and errors == "surrogateescape":
        errors = "replace"
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), True)
    return decoder.decode(content, final=True)
