# SPDX-License-Identifier: BSD-3-Clause
"""`eco show`: shows the measured network."""

import json
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from eco import learn, learned, quantities, show_tuning, snooping, store, structure
from eco import profile as profiles
from eco.errors import EcoError
from eco.odd import describe_odd
from eco.options import Json
from eco.probe import say_on_stderr
from eco.profile import Model, Profile, Rails
from eco.structure import Group, Link
from eco.zipped import zipped

File = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="A profile of `eco measure`.")
]
Plot = Annotated[
    Optional[Path],
    typer.Option("--plot", metavar="FILE", help="Also draw a picture: FILE.svg, .png or .pdf."),
]
PlotOrPage = Annotated[
    Optional[Path],
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Instead draw a picture: FILE.svg, .png or .pdf; or FILE.html, a page with search.",
    ),
]
_MOST_SUBNETS = 9  # of which all pairs are shown
_CELL = 15  # columns of a rate in the table between subnets


def command(
    file: File,
    as_json: Json = False,
    plot: PlotOrPage = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Also show all times between hosts.")
    ] = False,
    choices: Annotated[
        bool, typer.Option("--choices", help="Show each choice in full, with its times.")
    ] = False,
) -> None:
    """Show the measured network.

    Prints hosts in their subnets, latency and bandwidth inside and between them,
    how clear each boundary is, the ring order, the tuned choices, and what
    programs learned while they ran.
    """
    profile = profiles.read(file)
    classes = _learned(file, profile)
    if plot is not None:
        _draw(profile, plot)
    if as_json:
        print(json.dumps(structure.summary(profile) | {"learned": learn.documents(classes)}))
        return
    if plot is not None and not (matrix or choices):
        print(f"{structure.describe(profile)}; wrote {plot}")
        return
    console = plain_console()
    print_profile(profile, console, choices)
    if classes:
        console.print()
        learn.print_classes(classes, console)
    if matrix:
        _print_matrices(profile, console)
    if plot is not None:
        console.print(f"\nwrote {plot}", markup=False)


def _draw(profile: Profile, path: Path) -> None:
    store.check_picture(path, page=True)
    if path.suffix.lower() == store.PAGE:
        from eco import page

        store.write(path, page.document(profile))
        return
    from eco import picture  # Matplotlib takes a second to import

    picture.draw(profile, path)


def _learned(file: Path, profile: Profile) -> list[learned.LearnedClass]:
    """If the file is damaged, this is reported and the profile is shown without it."""
    try:
        return learned.read(learned.path_of(file), profile.created)
    except EcoError as error:
        say_on_stderr(f"eco: {error.message}")
        return []


def plain_console() -> Console:
    """Colours on a terminal; elsewhere 100 columns, Rich would take 80."""
    given = "COLUMNS" in os.environ or sys.stdout.isatty()
    return Console(highlight=False, width=None if given else 100)


def print_profile(profile: Profile, console: Console, choices: bool) -> None:
    """The whole report."""
    root = structure.tree(profile)
    console.print(_tree(profile, root))
    subnets = list(root.subnets)
    console.print()
    if 1 < len(subnets) <= _MOST_SUBNETS:
        square = _CELL * len(subnets) <= console.width
        console.print((_between if square else _between_pairs)(profile, subnets))
    elif len(subnets) > 1:
        found = structure.link(profile, _crossings(subnets))
        if found:
            console.print(Text.assemble(("between   ", "bold"), _figures(found)))
    ring = quantities.names([profile.hosts[host] for host in profile.ring])
    console.print(Text.assemble(("ring      ", "bold"), ring))
    created = profile.created.replace("T", " ").replace("Z", " UTC")
    library = profile.mpi_version.partition("\n")[0].partition(",")[0] or profile.mpi_family
    sizes = ", ".join(quantities.size(count) for count in profile.sizes)
    console.print(
        Text.assemble(
            ("measured  ", "bold"),
            f"{created} with {library}; {sizes}, "
            f"{profile.round_trips} round trips, {profile.repeats} times; subnets by "
            f"{quantities.size(profile.partition_bytes)} within {profile.tolerance:.0%}",
        )
    )
    if profile.survey:
        surveyed = structure.describe_survey(profile)
        console.print(Text.assemble(("survey    ", "bold"), surveyed))
    for sentence in describe_odd(profile):
        console.print(Text.assemble(("odd       ", "bold"), (sentence, "yellow")))
    if profile.model:
        console.print(Text.assemble(("model     ", "bold"), _model(profile.model)))
    if profile.rails:
        for line in _rails(profile, profile.rails):
            console.print(line)
    if profile.mcast:
        said = structure.describe_mcast(profile) + _datagram(profile)
        console.print(Text.assemble(("multicast ", "bold"), said))
        if others := snooping.describe(profile):
            console.print(f"          {others}", highlight=False)
    timed = [entry for entry in profile.tuning if not entry.for_any]
    # Predictions are shown only if nothing was timed.
    shown = profile.tuning if choices or not timed else timed
    show_tuning.print_tuning(shown, console, choices)


def _model(model: Model) -> str:
    """The overheads of hosts, and the model's error."""
    parts = []
    for word, overheads in (("sends", model.send), ("receives", model.receive)):
        fixed, per_byte = (statistics.median(column) for column in zipped(*overheads))
        parts.append(f"{word} {quantities.seconds(fixed)} + {1e9 * per_byte:.2g} ns/B")
    shared = ""
    if model.shared_gap:
        shared = f"; hosts share processors, {quantities.seconds(model.shared_gap)} a message"
    return f"{', '.join(parts)}; off by {model.error:.1%}{shared}"


def _rails(profile: Profile, rails: Rails) -> list[Text]:
    """How many, their rates and hosts, and the NICs that were left out."""
    count = len(rails.rails)
    words = f"{count} over {rails.provider}" if count else "none"
    if count > 1 and rails.longest_short is not None:
        words += f", in stripes above {quantities.size(rails.longest_short)}"
    if count > 1 and structure.most_rails(rails) < 2:
        words += "; no two hosts share more than one"
    lines = [Text.assemble(("rails     ", "bold"), words)]
    for number, rail in enumerate(rails.rails):
        figures = structure.rail_figures(profile, rail)
        hosts = quantities.names(list(figures["cards"]))
        cards = ", ".join(dict.fromkeys(figures["cards"].values()))
        carries = _carries(figures)
        lines.append(Text(f"          {number + 1}  {cards}  {rail.network}  {carries}  {hosts}"))
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in rails.left_out:
        reasons.setdefault((entry.card, entry.why), []).append(entry.host)
    for (card, why), hosts_of in reasons.items():
        lines.append(Text(f"          left out: {card} ({why}) of {quantities.names(hosts_of)}"))
    return lines


def _carries(figures: dict[str, Any]) -> str:
    """A rail's latency and rate; inside and between subnets if these differ much."""

    def words(over: dict[str, float]) -> str:
        return f"{quantities.seconds(over['latency'])}, {quantities.rate(over['bandwidth'])}"

    inside, between = figures["inside"], figures["between"]
    if inside and between and between["latency"] > 2 * inside["latency"]:
        return f"{words(inside)} inside; {words(between)} between"
    return words(figures)


def _tree(profile: Profile, root: Group) -> Tree:
    tree = Tree(Text(structure.describe(profile).partition(" (")[0], style="bold"))
    if root.parts:
        for part in root.parts:
            _branch(profile, part, tree)
    else:
        tree.add(_label(profile, root))
    return tree


def _branch(profile: Profile, group: Group, tree: Tree) -> None:
    branch = tree.add(_label(profile, group))
    for part in group.parts:
        _branch(profile, part, branch)


def _label(profile: Profile, group: Group) -> Text:
    hosts = quantities.names([profile.hosts[host] for host in group.hosts])
    if group.parts:
        subnets = list(group.subnets)
        text = Text.assemble((f"group of {len(subnets)} subnets", "bold"), f"  {hosts}")
        found = structure.link(profile, _crossings(group.parts))
        where = "between them"
    else:
        text = Text.assemble((f"subnet {group.number}", "bold cyan"), f"  {hosts}")
        found = structure.link(profile, structure.inside(group.hosts))
        where = "inside"
    if found:
        text.append(f"  {_figures(found)} {where}", "green")
    shared = structure.medium(profile, group.hosts)
    over = structure.oversubscription(shared, len(group.hosts)) if shared else None
    clear = structure.gap(profile, group.hosts)
    if over:
        text.append(f"  shares its uplink, {over:.1f}:1", "dim")
    elif clear is not None:
        # Below the tolerance the boundary came from several hosts' links, none of them far off.
        spread = structure.spread(profile, group.hosts) or 0.0
        style = "dim" if clear > 1 + max(profile.tolerance, spread) else "yellow"
        text.append(f"  boundary {clear:.2f}× (spread {spread:.0%})", style)
    if shared:
        text.append(f"\n{structure.describe_shared(profile, group.hosts)}", "magenta")
    return text


def _crossings(groups: Sequence[Group]) -> list[tuple[int, int]]:
    pairs = structure.inside(range(len(groups)))
    return [pair for a, b in pairs for pair in structure.across(groups[a].hosts, groups[b].hosts)]


def _figures(found: Link) -> str:
    latency = quantities.seconds(found.least_latency)
    if quantities.seconds(found.latency) != latency:
        latency += f" ({quantities.seconds(found.latency)} median)"
    return f"{latency}, {quantities.rate(found.bandwidth)}" if found.bandwidth else latency


def _between(profile: Profile, subnets: Sequence[Group]) -> Table:
    table = _table("between subnets")
    table.add_column("subnet", style="cyan")
    for subnet in subnets[1:]:
        table.add_column(str(subnet.number), justify="right", header_style="cyan")
    for row, one in enumerate(subnets[:-1]):
        cells = []
        for column, two in enumerate(subnets[1:], 1):
            pairs = structure.across(one.hosts, two.hosts) if column > row else []
            found = structure.link(profile, pairs)
            cells.append(_cell(found) if found else "")
        table.add_row(str(one.number), *cells)
    return table


def _between_pairs(profile: Profile, subnets: Sequence[Group]) -> Table:
    """A row for each pair, if a row for each subnet is too wide."""
    table = _table("between subnets")
    for heading in ("subnets", "latency", "bandwidth"):
        table.add_column(heading, justify="right")
    for one, two in structure.inside(range(len(subnets))):
        found = structure.link(profile, structure.across(subnets[one].hosts, subnets[two].hosts))
        if found:
            latency, _, bandwidth = _cell(found).partition("\n")
            table.add_row(f"{subnets[one].number} – {subnets[two].number}", latency, bandwidth)
    return table


def _cell(found: Link) -> str:
    latency = quantities.seconds(found.least_latency)
    return f"{latency}\n{quantities.rate(found.bandwidth)}" if found.bandwidth else latency


def _table(title: str) -> Table:
    return Table(title=title, title_style="bold", title_justify="left", box=box.SIMPLE_HEAD)


def _print_matrices(profile: Profile, console: Console) -> None:
    """As many columns side by side as fit; the rest below."""
    widest = max(6, *(len(host) for host in profile.hosts)) + 3
    at_once = max(1, console.width // widest - 1)
    for count, times in zipped(profile.sizes, profile.minimum):
        for first in range(0, len(profile.hosts), at_once):
            columns = range(first, min(first + at_once, len(profile.hosts)))
            table = _table(f"{quantities.size(count)}, milliseconds" if first == 0 else "")
            table.add_column("")
            for column in columns:
                table.add_column(profile.hosts[column], justify="right", no_wrap=True)
            for at, (host, row) in enumerate(zipped(profile.hosts, times)):
                cells = ["·" if at == to else f"{1e3 * row[to]:.3g}" for to in columns]
                table.add_row(host, *cells)
            console.print()
            console.print(table)


def _datagram(profile: Profile) -> str:
    """What it takes of the processors in the area with the most hosts; empty if not known."""
    areas = profile.mcast.areas if profile.mcast else ()
    known = [area for area in areas if area.send and area.receive]
    if not known:
        return ""
    widest = max(known, key=lambda area: len(structure.area_hosts(profile, area)))
    send, receive = quantities.seconds(widest.send), quantities.seconds(widest.receive)
    return f"; a datagram takes {send} to send, {receive} to receive"
