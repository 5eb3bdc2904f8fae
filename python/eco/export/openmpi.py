# SPDX-License-Identifier: BSD-3-Clause
"""For Open MPI: rules of its component `tuned`, which name one of its own algorithms by size.

From what `eco tune --native-algorithms` timed to the classic file (4.1, 5.0) and JSON (6.0).
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from eco import algorithms
from eco.errors import EcoError, ExitCode
from eco.export import timed
from eco.export.document import Document, comments
from eco.export.network import Network
from eco.profile import AlgorithmTimes

# The numbers that Open MPI gives to collectives (4.1 to 6).
_NUMBERS = {
    "allgather": 0,
    "allgatherv": 1,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "bcast": 7,
    "exscan": 8,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter": 12,
    "reduce_scatter_block": 13,
    "scan": 14,
    "scatter": 15,
}
# One algorithm for all sizes: Open MPI looks at no size, or at one that a rank takes from arguments
# that only some ranks need to give (MPI_IN_PLACE, what is not at the root), so that ranks may
# disagree and hang.
_NO_SIZES = ("barrier", "exscan", "gather", "scan", "scatter")
_SETTINGS = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename"
_CANNOT = (
    "ECO's algorithms: rules name Open MPI's own",
    "anything of the network or the hosts: a rule is for a number of ranks and a size",
)

Rule = tuple[int, int, int]  # from this size on: number of the algorithm, length of segments
Rules = Mapping[str, Mapping[int, Sequence[Rule]]]  # by operation and number of ranks


def classic(network: Network) -> Document:
    """The file of 4.1 and 5.0: counts, then numbers, nested."""
    rules, use, cannot = _said(network, "FILE (Open MPI 4.1 and 5.0)")
    lines = [f"{len(rules)} # operations\n"]
    for operation, by_ranks in rules.items():
        sizes = dict(_exactly(by_ranks))
        lines.append(f"\n{_NUMBERS[operation]} # {operation}\n{len(sizes)} # numbers of ranks\n")
        for ranks, found in sizes.items():
            lines.append(f"{ranks} # ranks\n{len(found)} # rules: bytes, algorithm, 0, segment\n")
            lines += [f"{least} {own} 0 {segment}\n" for least, own, segment in found]
    return Document(comments(network.profile, use, cannot) + "".join(lines), cannot, use)


def rules_json(network: Network) -> Document:
    """The file of 6.0."""
    rules, use, cannot = _said(network, "FILE (Open MPI 6.0)")
    collectives = {
        operation: [
            {
                "comm_size_min": ranks,
                "comm_size_max": ranks,
                "comm_rank_distribution": "any",
                "rules": list(_ranges(found)),
            }
            for ranks, found in by_ranks.items()
        ]
        for operation, by_ranks in rules.items()
    }
    root = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return Document(json.dumps(root, indent=2) + "\n", cannot, use)


def _said(network: Network, file: str) -> tuple[Rules, str, tuple[str, ...]]:
    entries = timed.of_library(network.profile, "openmpi")
    rules: dict[str, dict[int, Sequence[Rule]]] = {}
    cannot = list(_CANNOT)
    for (operation, ranks), found in timed.by_call(entries).items():
        if operation in _NO_SIZES and len({entry.best for entry in found}) > 1:
            cannot.append(f"sizes of {operation} in a way that all ranks agree on: so nothing")
            continue
        own = _rules(operation, found)
        if any(number for _, number, _ in own):
            rules.setdefault(operation, {})[ranks] = own
    if not rules:
        raise EcoError(
            f"{network.profile.origin}: no algorithm that a rule can name was clearly faster than "
            "Open MPI's own choice, so no rules are needed",
            ExitCode.BAD_INPUT,
        )
    if any(entry.hosts < entry.ranks for entry in entries):
        file += ", with --mca coll_han_priority 0, as hosts have several ranks"
    return rules, f"mpirun {_SETTINGS} {file}", tuple(cannot)


def _rules(operation: str, found: Sequence[AlgorithmTimes]) -> list[Rule]:
    """Each from the middle between two timed sizes on; 0: Open MPI's own choice."""
    rules: list[Rule] = []
    if operation in _NO_SIZES:
        found = found[:1]
    for least, entry in timed.from_sizes(found):
        own = algorithms.number(operation, entry.best) if entry.best else (0, 0)
        if not rules or rules[-1][1:] != own:
            rules.append((least, *own))
    return rules


def _exactly(by_ranks: Mapping[int, Sequence[Rule]]) -> Iterator[tuple[int, Sequence[Rule]]]:
    """A rule is for its number of ranks and all above it, and the first for all below it too: so
    others have rules that leave it to Open MPI."""
    usual = ((0, 0, 0),)
    yield 1, usual
    for ranks, found in by_ranks.items():
        yield ranks, found
        if ranks + 1 not in by_ranks:
            yield ranks + 1, usual


def _ranges(found: Sequence[Rule]) -> Iterator[Mapping[str, object]]:
    for place, (least, own, segment) in enumerate(found):
        if own == 0:
            continue  # what has no rule is Open MPI's choice
        most = found[place + 1][0] - 1 if place + 1 < len(found) else "inf"
        rule = {"msg_size_min": least, "msg_size_max": most, "alg": own}
        yield rule | ({"seg_size": segment} if segment else {})
