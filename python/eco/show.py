"""`eco show`: draws what a profile says about the network."""

import json
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from eco import learn, learned, quantities, store, structure
from eco import profile as profiles
from eco.errors import EcoError
from eco.options import Json
from eco.probe import say_on_stderr
from eco.profile import Model, Profile, Rails, Tuned
from eco.structure import Group, Link

File = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="A profile of `eco measure`.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="A picture as well: FILE.svg, .png or .pdf."),
]
_MOST_COLUMNS = 9  # of a table between subnets, in 100 columns


def command(
    file: File,
    as_json: Json = False,
    plot: Plot = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="All times between hosts as well.")
    ] = False,
    choices: Annotated[
        bool, typer.Option("--choices", help="What tuning chose in full, with its times.")
    ] = False,
) -> None:
    """Draw what a profile says about the network.

    Hosts in their subnets, latency and bandwidth inside and between them,
    how clear each boundary is, the ring order, what tuning chose, and what
    programs learned while they ran.
    """
    profile = profiles.read(file)
    classes = _learned(file, profile)
    if plot is not None:
        from eco import picture  # Matplotlib takes a second to import

        store.check_picture(plot)
        picture.draw(profile, plot)
    if as_json:
        print(json.dumps(structure.summary(profile) | {"learned": learn.documents(classes)}))
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


def _learned(file: Path, profile: Profile) -> list[learned.LearnedClass]:
    """A damaged file is said and does not keep the profile from being shown."""
    try:
        return learned.read(learned.path_of(file), profile.created)
    except EcoError as error:
        say_on_stderr(f"eco: {error.message}")
        return []


def plain_console() -> Console:
    """Colours on a terminal; elsewhere 100 columns, not Rich's 80."""
    given = "COLUMNS" in os.environ or sys.stdout.isatty()
    return _Console(highlight=False, width=None if given else 100)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end with 1; what a reader that goes away means is for `main` to say."""
        raise BrokenPipeError


def print_profile(profile: Profile, console: Console, choices: bool) -> None:
    """The whole report."""
    root = structure.tree(profile)
    console.print(_tree(profile, root))
    subnets = list(root.subnets)
    console.print()
    if 1 < len(subnets) <= _MOST_COLUMNS:
        console.print(_between(profile, subnets))
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
    for odd in structure.describe_odd(profile):
        console.print(Text.assemble(("odd       ", "bold"), (odd, "yellow")))
    if profile.model:
        console.print(Text.assemble(("model     ", "bold"), _model(profile.model)))
    if profile.rails:
        for line in _rails(profile, profile.rails):
            console.print(line)
    timed = [entry for entry in profile.tuning if not entry.for_any]
    # Predictions stand back behind what was timed.
    shown = profile.tuning if choices or not timed else timed
    for title, entries in _tunings(shown):
        console.print()
        console.print((_choices if choices else _tuning)(title, entries))


def _model(model: Model) -> str:
    """What hosts themselves spend, and how near the model is to what was measured."""
    parts = []
    for word, overheads in (("sends", model.send), ("receives", model.receive)):
        fixed, per_byte = (statistics.median(column) for column in zip(*overheads, strict=True))
        parts.append(f"{word} {quantities.seconds(fixed)} + {1e9 * per_byte:.2g} ns/B")
    return f"{', '.join(parts)}; off by {model.error:.1%}"


def _rails(profile: Profile, rails: Rails) -> list[Text]:
    """How many, what each carries, which hosts have it, and what is none."""
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
    """One pair of figures of a rail, or two where subnets are much farther apart by it."""

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
    clear = structure.gap(profile, group.hosts)
    if clear is not None:
        # Below the tolerance the boundary came from several hosts' links, none of them far off.
        spread = structure.spread(profile, group.hosts) or 0.0
        style = "dim" if clear > 1 + max(profile.tolerance, spread) else "yellow"
        text.append(f"  boundary {clear:.2f}× (spread {spread:.0%})", style)
    shared = structure.medium(profile, group.hosts)
    if shared:
        text.append(f"\n{structure.describe_medium(shared)}", "magenta")
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


def _cell(found: Link) -> str:
    latency = quantities.seconds(found.least_latency)
    return f"{latency}\n{quantities.rate(found.bandwidth)}" if found.bandwidth else latency


def _tunings(tuning: Sequence[Tuned]) -> list[tuple[str, list[Tuned]]]:
    """Choices by library, layout, and whether ranks share their hosts."""
    tables: dict[tuple[str, bool, str, bool], list[Tuned]] = {}
    for entry in tuning:
        kind = entry.mpi, entry.for_any, entry.layout, entry.ranks_per_host > 1
        tables.setdefault(kind, []).append(entry)
    ranks = {"near": "ranks subnet by subnet", "scattered": "ranks in any order"}
    titles = []
    for (mpi, predicted, layout, shared), entries in tables.items():
        how = "predicted" if predicted else f"tuned with {mpi}"
        native = "the textbook's" if predicted else "native"
        where = ", several on a host" if shared else ""
        title = f"{how}, {ranks.get(layout, layout)}{where}: {native} time over ECO's"
        titles.append((title, entries))
    return titles


def _tuning(title: str, entries: list[Tuned]) -> Table:
    table = _table(title)
    table.add_column("operation")
    # A barrier has no size, those with varying counts none that all ranks know.
    sizes = sorted({max(entry.bytes, 0) for entry in entries})
    for count in sizes:
        heading = quantities.size(count) if count else "any size"
        table.add_column(heading, min_width=10, overflow="fold")
    rows: dict[str, dict[int, Tuned]] = {}
    for entry in entries:
        rows.setdefault(entry.operation, {})[max(entry.bytes, 0)] = entry
    for operation, found in rows.items():
        table.add_row(operation, *(_chosen(found.get(count)) for count in sizes))
    return table


def _chosen(entry: Tuned | None) -> Text:
    if entry is None:
        return Text("")
    if entry.choice == "native":
        return Text("native", style="dim")
    ratio = structure.gain(entry)
    style = "bold green" if ratio >= 1.1 else ""
    family = entry.choice.partition(":")[0]
    return Text.assemble((f"{ratio:.2f}×", style), (f" {family}", "dim"))


def _choices(title: str, entries: list[Tuned]) -> Table:
    table = _table(title)
    table.add_column("operation")
    for heading in ("size", "native", "ECO", "ratio", "noise"):
        table.add_column(heading, justify="right")
    table.add_column("choice", overflow="fold")
    for entry in entries:
        table.add_row(
            entry.operation,
            quantities.size(entry.bytes),
            quantities.seconds(entry.native),
            quantities.seconds(entry.eco),
            f"{entry.native / entry.eco:.2f}×" if entry.eco > 0 else "",
            f"{entry.noise:.0%}",
            Text(entry.choice),
        )
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_style="bold", title_justify="left", box=box.SIMPLE_HEAD)


def _print_matrices(profile: Profile, console: Console) -> None:
    for count, times in zip(profile.sizes, profile.minimum, strict=True):
        table = _table(f"{quantities.size(count)}, milliseconds")
        table.add_column("")
        for host in profile.hosts:
            table.add_column(host, justify="right", no_wrap=True)
        for at, (host, row) in enumerate(zip(profile.hosts, times, strict=True)):
            cells = ["·" if at == to else f"{1e3 * value:.3g}" for to, value in enumerate(row)]
            table.add_row(host, *cells)
        console.print()
        console.print(table, crop=False, overflow="ignore", no_wrap=True)
