# SPDX-License-Identifier: BSD-3-Clause
"""One collective call and its prediction in words, as `eco plan`, `eco simulate` and their picture
say them."""

from rich.text import Text

from eco import quantities
from eco.engine import engine
from eco.prediction import Call, Prediction


def headline(call: Call) -> str:
    """`bcast of 16,000 B from rank 0 on n0: 8 ranks on 8 hosts`."""
    size = "" if call.operation == "barrier" else f" of {quantities.size(call.bytes)}"
    hosts = call.profile.hosts
    way = ""
    if engine().rooted(call.operation):
        way = "from" if engine().begins_at_root(call.operation) else "to"
    root = f" {way} rank {call.root} on {hosts[call.host_of[call.root]]}" if way else ""
    ranks = f"{len(call.host_of)} rank{'s' if len(call.host_of) > 1 else ''}"
    return f"{call.operation}{size}{root}: {ranks} on {len(hosts)} host{'s' * (len(hosts) > 1)}"


def facts(call: Call, shown: Prediction) -> list[Text]:
    """Bound, bottleneck and what the model is worth."""
    time, reason = call.bound
    ratio = call.times_bound(shown.time)
    by_messages, why = call.bound_by_messages
    lines = [
        fact("bound", f"{quantities.seconds(time)}: {reason}" if reason else "nothing to do"),
    ]
    if by_messages > time:
        lines.append(fact("", f"{quantities.seconds(by_messages)} without multicast: {why}"))
    lines.append(
        fact(
            "time",
            f"{quantities.seconds(shown.time)} predicted"
            + (f", {ratio:.2f} × bound" if ratio else ""),
        )
    )
    link = shown.bottleneck
    if link:
        lines.append(
            fact(
                "busiest",
                f"{link['name']}: {link['bytes']:,.0f} B at {quantities.rate(link['rate'])}, "
                f"{link['share']:.0%} of the time",
            )
        )
    if call.assumed:
        lines.append(
            fact(
                "model",
                "none was measured: overheads are guessed and every medium is taken to be a "
                "switch; 'eco measure' finds buses and uplinks",
                "yellow",
            )
        )
    else:
        lines.append(fact("model", f"times of single messages within {call.error:.0%} (median)"))
    return lines


def fact(title: str, text: str, style: str = "") -> Text:
    """One fact under its title."""
    return Text.assemble((f"{title:<10}", "bold"), (text, style))
