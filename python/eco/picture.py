# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a measured network: hosts in their subnets, and all times as a heat map."""

import io
import math
import statistics
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from eco import boxes, picture_boxes, quantities, snooping, store, structure
from eco.colours import INK, PALE, TIMES
from eco.profile import Profile
from eco.structure import Group
from eco.zipped import zipped

# Told apart by all eyes, and light enough for dark names on them.
SUBNETS = (
    "#8fc1e3", "#f6c177", "#9bd3a5", "#e8a0b4", "#c3aee8",
    "#8fd5d0", "#e3c9a0", "#b9c67f", "#d9a6d4", "#a9b7c6",
)  # fmt: skip
SHAPE = (13.5, 6.9)  # inches
_MOST_WORDS = 80  # characters of what is said of multicast
PLACE = (0.01, 0.03, 0.52, 0.83)  # of the network in it
_MOST_IN_RINGS = 40  # hosts
_MOST_NAMES = 150  # beside the matrix
_MOST_LINKS = 1500  # more are one grey

Point = tuple[float, float]


@dataclass(frozen=True)
class _Disc:
    """Where a group is drawn."""

    group: Group
    centre: Point
    radius: float
    parts: tuple["_Disc", ...]


def save(figure: Figure, path: Path) -> None:
    """As the file's ending says."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=160, facecolor="white")
    store.write(path, picture.getvalue())


def draw(profile: Profile, path: Path) -> None:
    """Draw `profile` into a file."""
    matplotlib.rcParams.update({"font.family": "DejaVu Sans", "svg.fonttype": "none"})
    figure = Figure(figsize=SHAPE)
    network = figure.add_axes(PLACE)
    matrix = figure.add_axes((0.57, 0.12, 0.365, 0.714))
    bar = figure.add_axes((0.945, 0.12, 0.012, 0.714))
    norm = _norm(profile)
    whole = boxes.arrange(profile) if len(profile.hosts) > _MOST_IN_RINGS else None
    if whole:
        picture_boxes.draw_network(network, profile, whole, norm)
    else:
        _network(network, profile, norm)
    if whole and whole.parts:
        picture_boxes.draw_matrix(matrix, profile, whole, norm)
        _title(figure, profile, "subnets")
    else:
        _matrix(matrix, profile, norm)
        _title(figure, profile, "hosts")
    scale = figure.colorbar(ScalarMappable(norm, TIMES), cax=bar)
    scale.outline.set_visible(False)
    scale.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantities.seconds(value)))
    scale.ax.yaxis.set_minor_formatter(NullFormatter())
    scale.ax.yaxis.set_minor_locator(NullLocator())
    scale.set_ticks(_ticks(norm))
    scale.ax.tick_params(length=0, labelsize=8.5, labelcolor=INK)
    save(figure, path)


def _title(figure: Figure, profile: Profile, ends: str) -> None:
    count = structure.describe(profile).partition(" (")[0]
    figure.text(0.025, 0.93, count, size=19, weight="bold", color=INK)
    how = f"measured {profile.created[:10]} with {profile.mpi_version.partition(',')[0]}"
    figure.text(0.025, 0.89, how, size=10.5, color=PALE)
    if profile.mcast:
        said = snooping.describe_mcast(profile)
        said = textwrap.shorten(said, _MOST_WORDS, placeholder=" …")
        figure.text(0.025, 0.86, f"IP multicast {said}", size=10.5, color=PALE)
    heading = f"One way, {quantities.size(profile.partition_bytes)}, between each pair of {ends}"
    figure.text(0.57, 0.865, heading, size=10.5, color=PALE)


def _norm(profile: Profile) -> LogNorm:
    return LogNorm(*boxes.time_range(profile))


def _ticks(norm: LogNorm) -> list[float]:
    assert norm.vmin and norm.vmax
    steps = 5
    ratio = norm.vmax / norm.vmin
    return [norm.vmin * ratio ** (step / (steps - 1)) for step in range(steps)]


def _network(axes: Axes, profile: Profile, norm: LogNorm) -> None:
    disc = _moved(_arrange(profile, structure.tree(profile), 0), (0.0, 0.0))
    places = _places(profile, disc)
    _links(axes, profile, places, norm)
    _media(axes, profile, disc, places, norm)
    _discs(axes, profile, disc, disc.centre)
    label = 9 if len(places) <= 12 else 7.5 if len(places) <= 32 else 5.5
    for host, name in enumerate(quantities.short_names(profile.hosts)):
        axes.add_patch(Circle(places[host], 0.30, facecolor="white", edgecolor=INK, zorder=5))
        axes.text(*places[host], name, size=label if len(name) < 4 else label - 1.5,
                  color=INK, zorder=6, ha="center", va="center")  # fmt: skip
    _limits(axes, disc)
    axes.axis("off")


def _limits(axes: Axes, disc: _Disc) -> None:
    """All discs and what is written beside the outermost, in the shape of the axes."""
    discs = [*disc.parts, *_leaves(disc)]
    extents = []
    for at in (0, 1):
        low = min(each.centre[at] - each.radius for each in discs)
        high = max(each.centre[at] + each.radius for each in discs)
        extents.append((low, high, 0.7 + 1.16 * (high - low)))
    width, height = (SHAPE[at] * PLACE[at + 2] for at in (0, 1))
    scale = max(extents[0][2] / width, extents[1][2] / height)
    middle = [(low + high) / 2 for low, high, _ in extents]
    axes.set_xlim(middle[0] - scale * width / 2, middle[0] + scale * width / 2)
    axes.set_ylim(middle[1] - scale * height / 2, middle[1] + scale * height / 2)


def _leaves(disc: _Disc) -> Iterator[_Disc]:
    if not disc.parts:
        yield disc
    for part in disc.parts:
        yield from _leaves(part)


def _arrange(profile: Profile, group: Group, depth: int) -> _Disc:
    """A disc with its parts' discs in a ring inside it, in the order of the near ring."""
    at = {host: place for place, host in enumerate(profile.ring)}
    if not group.parts:
        return _Disc(group, (0, 0), _ring_of_hosts(profile, group) + 0.55, ())
    ordered = sorted(group.parts, key=lambda part: min(at[host] for host in part.hosts))
    discs = [_arrange(profile, part, depth + 1) for part in ordered]
    room = [disc.radius + 0.55 for disc in discs]
    ring = _ring_radius(room)
    # Two beside each other at one depth, above each other at the next.
    turn = math.pi / 2 if depth % 2 else 0.0
    angles = [angle - turn for angle in _angles(room)]
    parts = tuple(
        _Disc(disc.group, (ring * math.cos(angle), ring * math.sin(angle)), disc.radius, disc.parts)
        for disc, angle in zipped(discs, angles)
    )
    return _Disc(group, (0, 0), ring + max(disc.radius for disc in discs) + 0.75, parts)


def _ring_of_hosts(profile: Profile, group: Group) -> float:
    """With room for the medium in the middle, if it is known."""
    ring = _ring_radius([0.5] * len(group.hosts))
    return max(ring, 0.75) if structure.medium(profile, group.hosts) else ring


def _angles(room: list[float]) -> list[float]:
    """Each disc gets the angle that its size needs; the first stands at the left."""
    whole, done, angles = sum(room), 0.0, []
    for radius in room:
        angles.append(math.pi - math.tau * (done + radius / 2 - room[0] / 2) / whole)
        done += radius
    return angles


def _ring_radius(room: list[float]) -> float:
    """The least radius at which discs of these sizes do not touch."""
    if len(room) == 1:
        return 0.0
    pairs = list(zipped(room, [*room[1:], room[0]], _angles(room)))
    angles = [angle for _, _, angle in pairs]
    least = 0.0
    for number, (one, two, angle) in enumerate(pairs):
        following = angles[(number + 1) % len(angles)]
        apart = abs((angle - following + math.pi) % math.tau - math.pi)
        least = max(least, (one + two) / (2 * math.sin(apart / 2)))
    return least


def _moved(disc: _Disc, by: Point) -> _Disc:
    centre = (disc.centre[0] + by[0], disc.centre[1] + by[1])
    return _Disc(
        disc.group, centre, disc.radius, tuple(_moved(part, centre) for part in disc.parts)
    )


def _places(profile: Profile, disc: _Disc) -> dict[int, Point]:
    if disc.parts:
        found = (_places(profile, part) for part in disc.parts)
        return {host: place for places in found for host, place in places.items()}
    hosts = disc.group.hosts
    ring = _ring_of_hosts(profile, disc.group)
    turn = math.pi / 2 if len(hosts) > 2 else 0.0
    return {
        host: (
            disc.centre[0] + ring * math.cos(turn - math.tau * number / len(hosts)),
            disc.centre[1] + ring * math.sin(turn - math.tau * number / len(hosts)),
        )
        for number, host in enumerate(hosts)
    }


def _links(axes: Axes, profile: Profile, places: dict[int, Point], norm: LogNorm) -> None:
    """Fast links above slow ones, and thicker."""
    times = profile.partition_cost
    finest = profile.levels[-1]
    subnets = list(structure.tree(profile).subnets)
    hidden = {subnet.number for subnet in subnets if structure.medium(profile, subnet.hosts)}
    pairs = sorted(structure.inside(range(len(profile.hosts))), key=lambda p: -times[p[0]][p[1]])
    if len(pairs) > _MOST_LINKS:
        pairs = [(a, b) for a, b in pairs if finest[a] == finest[b]]
    # Where the medium is known, it is drawn.
    pairs = [(a, b) for a, b in pairs if finest[a] != finest[b] or finest[a] not in hidden]
    if not pairs:
        return
    same = [finest[a] == finest[b] for a, b in pairs]
    crossing = max(1, len(pairs) - sum(same))
    faint = max(0.08, min(0.65, 14 / crossing))
    widest = 0.8 + 2.8 * min(1.0, 4 / max(len(subnet.hosts) for subnet in subnets))
    quick = [1 - float(norm(times[a][b])) for a, b in pairs]
    axes.add_collection(
        LineCollection(
            [(places[a], places[b]) for a, b in pairs],
            colors=[TIMES(norm(times[a][b])) for a, b in pairs],
            linewidths=[0.8 + (widest - 0.8) * each for each in quick],
            alpha=[0.95 if inner else faint for inner in same],
            capstyle="round",
            zorder=3,
        )
    )


def _media(
    axes: Axes, profile: Profile, disc: _Disc, places: dict[int, Point], norm: LogNorm
) -> None:
    """A bus as a bar that the hosts hang on, a switch as a box in their middle."""
    for leaf in _leaves(disc):
        hosts = leaf.group.hosts
        shared = structure.medium(profile, hosts)
        if shared is None:
            continue
        x, y = leaf.centre
        times = [profile.partition_cost[a][b] for a, b in structure.inside(hosts)]
        colour = TIMES(norm(statistics.median(times)))
        half = 0.62 * (leaf.radius - 0.55) if shared.kind == "bus" else 0.0
        ends = []
        for host in hosts:
            at, to = places[host]
            ends.append(((at, to), (min(max(at, x - half), x + half), y)))
        axes.add_collection(LineCollection(ends, colors=colour, linewidths=2.6, zorder=3))
        if shared.kind == "bus":
            axes.plot([x - half, x + half], [y, y], color=INK, lw=4.5, zorder=4,
                      solid_capstyle="round")  # fmt: skip
        else:
            axes.add_patch(Rectangle((x - 0.13, y - 0.13), 0.26, 0.26, facecolor=INK, zorder=4))


def _discs(axes: Axes, profile: Profile, disc: _Disc, parent: Point) -> None:
    if disc.parts:
        if disc.centre != parent:
            axes.add_patch(
                Circle(disc.centre, disc.radius, facecolor="#f3f5f7", edgecolor="#d5dbe0", zorder=1)
            )
        for part in disc.parts:
            _discs(axes, profile, part, disc.centre)
        return
    number = disc.group.number or 0
    colour = SUBNETS[number % len(SUBNETS)]
    axes.add_patch(Circle(disc.centre, disc.radius, facecolor=colour, alpha=0.55, lw=0, zorder=2))
    found = structure.link(profile, structure.inside(disc.group.hosts))
    text = f"subnet {number}" + (f"\n{boxes.figures(found)}" if found else "")
    shared = structure.describe_shared(profile, disc.group.hosts)
    if shared:
        text += f"\n{shared}"
    x, y = disc.centre
    # Away from the middle, so that no link runs through it.
    side = 1 if y > parent[1] + 0.1 * disc.radius else -1
    axes.text(
        x, y + (disc.radius + 0.1) * side, text, size=9.5 if len(profile.hosts) <= 24 else 7,
        color=INK, ha="center", va="bottom" if side > 0 else "top", zorder=4, linespacing=1.35,
        bbox={"facecolor": "white", "alpha": 0.6, "lw": 0, "pad": 0.5},
    )  # fmt: skip


def _matrix(axes: Axes, profile: Profile, norm: LogNorm) -> None:
    """Ordered by subnets as the near ring meets them."""
    at = {host: place for place, host in enumerate(profile.ring)}
    first: dict[int, int] = {}
    for host in profile.ring:
        first.setdefault(profile.levels[-1][host], at[host])
    finest = profile.levels[-1]
    order = sorted(range(len(profile.hosts)), key=lambda host: (first[finest[host]], at[host]))
    times = [[profile.partition_cost[a][b] or math.nan for b in order] for a in order]
    cells = TIMES.with_extremes(bad="#eef1f3")
    axes.imshow(times, cmap=cells, norm=norm, aspect="equal", interpolation="nearest")
    for place in range(1, len(order)):
        border = finest[order[place]] != finest[order[place - 1]]
        wide = 3.0 if border else 0.6 if len(order) <= 40 else 0.0
        if not wide:
            continue
        axes.axhline(place - 0.5, color="white", lw=wide)
        axes.axvline(place - 0.5, color="white", lw=wide)
    label = 9 if len(order) <= 24 else 6.5 if len(order) <= 48 else 4
    names = [profile.hosts[host].partition(".")[0] for host in order]
    if len(names) > _MOST_NAMES:
        names = []
    upright = max(map(len, names), default=0) * len(order) > 60
    axes.set_xticks(range(len(names)), names, size=label, rotation=90 if upright else 0)
    axes.set_yticks(range(len(names)), names, size=label)
    axes.tick_params(length=0, labelcolor=INK)
    for side in axes.spines.values():
        side.set_visible(False)
