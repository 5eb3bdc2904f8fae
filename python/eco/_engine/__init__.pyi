# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/stub.py.
"""ECO's engine: topology and plans, without MPI."""

from collections.abc import Sequence

class EngineError(RuntimeError):
    pass

class Profile:
    @property
    def hosts(self) -> list[str]: ...
    @property
    def levels(self) -> list[list[int]]: ...
    @property
    def ring(self) -> list[int]: ...

def parse_profile(text: bytes, origin: str) -> Profile:
    """A checked profile; raises EngineError if it is not valid."""

class Hierarchy:
    @property
    def ranks(self) -> int: ...
    @property
    def ring(self) -> list[int]: ...
    def __str__(self) -> str: ...

def build_hierarchy(profile: Profile, host_of: Sequence[int]) -> Hierarchy:
    """Nested groups of ranks; host_of: each rank's index in profile.hosts."""

class Network:
    @property
    def hosts(self) -> list[str]: ...
    @property
    def error(self) -> float: ...
    @property
    def assumed(self) -> bool: ...
    @property
    def ordered(self) -> bool: ...
    @ordered.setter
    def ordered(self, arg: bool, /) -> None: ...
    @property
    def first_flight(self) -> int: ...
    @first_flight.setter
    def first_flight(self, arg: int, /) -> None: ...
    def alone(self, arg0: int, arg1: int, arg2: int, /) -> float: ...
    def rate(self, from_host: int, to_host: int) -> float:
        """
        Bytes on the wire per second that one connection between two hosts carries.
        """

    def links_rate(self, from_host: int, to_host: int) -> float:
        """The same of the links on the way, whatever one connection reaches."""

def on_wire(rate: float) -> float:
    """
    Bytes on the wire per second of a link that carries so many of messages.
    """

def build_network(profile: Profile) -> Network:
    """Overheads, delays and the links that flows share, from a profile."""

def simulate(
    network: Network,
    host_of: Sequence[int],
    hierarchy: Hierarchy,
    operation: str,
    root: int,
    bytes: int,
    choice: str,
) -> str:
    """The timeline of one schedule, as JSON."""

def predict(
    network: Network,
    host_of: Sequence[int],
    hierarchy: Hierarchy,
    operation: str,
    root: int,
    bytes: int,
    choice: str,
) -> float:
    """Seconds that one schedule takes."""

def operations() -> list[str]:
    """The collective operations by name."""

def rooted(operation: str) -> bool:
    """Whether it has a root."""

def begins_at_root(operation: str) -> bool:
    """Whether only its root has something to give."""

def check_choice(choice: str) -> None:
    """Raises EngineError if it is not valid."""

def can_simulate(choice: str) -> bool:
    """Whether ECO knows all of its schedule."""

def candidates(hierarchy: Hierarchy, operation: str, bytes: int) -> list[str]:
    """The candidates, as written choices."""

def forecast(
    network: Network,
    host_of: Sequence[int],
    hierarchy: Hierarchy,
    operation: str,
    root: int,
    bytes: int,
    most: int,
) -> list[str]:
    """The fastest schedules by prediction, as written choices."""

class Explained:
    @property
    def choice(self) -> str: ...
    @property
    def rests(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def native(self) -> float: ...
    @property
    def eco(self) -> float: ...

def explain(
    profile: Profile, hierarchy: Hierarchy, operation: str, root: int, bytes: int, library: str
) -> Explained:
    """
    What runs, and what that rests on: what was timed or predicted, and at which size.
    """

def messages(hierarchy: Hierarchy, operation: str, choice: str) -> float:
    """About how many its schedule has."""

def place(
    network: Network,
    hierarchy: Hierarchy,
    host_of: Sequence[int],
    edges: Sequence[tuple[int, int, float]],
) -> list[int]: ...
def supports(hierarchy: Hierarchy, operation: str, choice: str) -> bool: ...
def tree(
    hierarchy: Hierarchy, operation: str, choice: str, root: int
) -> tuple[list[int], list[list[int]]]:
    """Parents and children; empty for a choice that is no tree."""

def bound(
    network: Network,
    host_of: Sequence[int],
    hierarchy: Hierarchy,
    operation: str,
    root: int,
    bytes: int,
    multicast: bool = True,
) -> tuple[float, str]:
    """The lower bound in seconds, and why; without IP multicast if so asked."""

class CallEstimate:
    @property
    def known(self) -> bool: ...
    @property
    def basis(self) -> str: ...
    @property
    def least(self) -> float: ...
    @property
    def likely(self) -> float: ...
    @property
    def most(self) -> float: ...

def native_time(
    profile: Profile, host_of: Sequence[int], operation: str, root: int, bytes: int, library: str
) -> CallEstimate:
    """What the library takes for such a call, as a job's report has it."""

class ReportRow:
    @property
    def operation(self) -> str: ...
    @property
    def blocks(self) -> bool: ...
    @property
    def calls(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def waited(self) -> float: ...
    @property
    def known(self) -> bool: ...
    @property
    def estimate(self) -> float: ...

class Report:
    @property
    def with_eco(self) -> bool: ...
    @property
    def rows(self) -> list[ReportRow]: ...
    def text(self) -> str: ...
    def json(self) -> str: ...

def parse_report(text: bytes, origin: str) -> Report:
    """A checked report; raises EngineError if it is none."""
