# SPDX-License-Identifier: BSD-3-Clause
"""`zip(…, strict=True)`, which Python has from 3.10 on."""

import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, TypeVar, overload

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_END = object()


@overload
def zipped(a: Iterable[_A], b: Iterable[_B], /) -> Iterator[tuple[_A, _B]]: ...
@overload
def zipped(a: Iterable[_A], b: Iterable[_B], c: Iterable[_C], /) -> Iterator[tuple[_A, _B, _C]]: ...
@overload
def zipped(*lists: Iterable[_A]) -> Iterator[tuple[_A, ...]]: ...
def zipped(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """The lists' entries side by side; ValueError if one of them is longer."""
    if sys.version_info >= (3, 10):
        return zip(*lists, strict=True)  # novermin
    return _checked(lists)


def _checked(lists: tuple[Iterable[Any], ...]) -> Iterator[tuple[Any, ...]]:
    for entries in zip_longest(*lists, fillvalue=_END):
        if any(entry is _END for entry in entries):
            raise ValueError("lists that belong together have different lengths")
        yield entries
