# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/stub.py.
"""Many sources, many destinations."""

from collections.abc import Sequence

class Pattern:
    @property
    def ranks(self) -> int: ...
    @property
    def deliveries(self) -> int: ...
    @property
    def messages(self) -> list[tuple[int, int, list[int]]]:
        """(source, bytes, destinations) of each"""

    def with_messages(self, messages: Sequence[tuple[int, int, Sequence[int]]]) -> Pattern: ...
    def to_json(self) -> str: ...

class Schedule:
    @property
    def completion(self) -> float: ...
    @property
    def tasks(self) -> list[list[tuple[bool, int, int, float, float]]]:
        """per rank (sends, peer, message, start, end) of each"""

    def to_json(self) -> str: ...

class Bound:
    @property
    def paper(self) -> float: ...
    @property
    def least(self) -> float: ...
    @property
    def ranks(self) -> float: ...
    @property
    def work(self) -> float: ...
    @property
    def spread(self) -> float: ...

def parse_pattern(text: str, origin: str) -> Pattern: ...
def draw(
    ranks: int,
    sources: int,
    reach: str,
    lengths: str,
    rate: float,
    classes: int,
    spacing: str,
    apart: bool,
    seed: int,
) -> Pattern: ...
def planners() -> list[tuple[str, str]]: ...
def plan(pattern: Pattern, name: str) -> Schedule: ...
def replan(pattern: Pattern, was: Pattern, before: Schedule) -> Schedule: ...
def bound(pattern: Pattern) -> Bound: ...
def verify(pattern: Pattern, schedule: Schedule) -> str:
    """Empty when right, else one sentence."""
