"""The picture of a measured network: hosts in their subnets, and all times as a heat map."""

import io
import math
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from eco import quantities, store, structure
from eco.errors import EcoError, ExitCode
from eco.profile import Profile
from eco.structure import Group, Link

INK, PALE = "#22303c", "#8a97a3"
# Told apart by all eyes, and light enough for dark names on them.
SUBNETS = (
    "#8fc1e3", "#f6c177", "#9bd3a5", "#e8a0b4", "#c3aee8",
    "#8fd5d0", "#e3c9a0", "#b9c67f", "#d9a6d4", "#a9b7c6",
)  # fmt: skip
TIMES = matplotlib.colormaps["viridis_r"].resampled(256)
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
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise EcoError(f"--plot {path}: takes a file that ends in .svg, .png or .pdf",
                       ExitCode.USAGE)  # fmt: skip
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=160, facecolor="white")
    store.write(path, picture.getvalue())


def draw(profile: Profile, path: Path) -> None:
    """Draw `profile` into a file."""
    matplotlib.rcParams.update({"font.family": "DejaVu Sans", "svg.fonttype": "none"})
    figure = Figure(figsize=(13.5, 6.9))
    network = figure.add_axes((0.01, 0.03, 0.5, 0.82))
    matrix = figure.add_axes((0.57, 0.11, 0.365, 0.714))
    bar = figure.add_axes((0.945, 0.11, 0.012, 0.714))
    norm = _norm(profile)
    _network(network, profile, norm)
    _matrix(matrix, profile, norm)
    _title(figure, profile)
    scale = figure.colorbar(ScalarMappable(norm, TIMES), cax=bar)
    scale.outline.set_visible(False)
    scale.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantities.seconds(value)))
    scale.ax.yaxis.set_minor_formatter(NullFormatter())
    scale.ax.yaxis.set_minor_locator(NullLocator())
    scale.set_ticks(_ticks(norm))
    scale.ax.tick_params(length=0, labelsize=8.5, labelcolor=INK)
    save(figure, path)


def _title(figure: Figure, profile: Profile) -> None:
    subnets = len(list(structure.tree(profile).subnets))
    count = f"{len(profile.hosts)} hosts in {subnets} subnet{'s' if subnets > 1 else ''}"
    figure.text(0.025, 0.93, count, size=19, weight="bold", color=INK)
    how = f"measured {profile.created[:10]} with {profile.mpi_version.partition(',')[0]}"
    figure.text(0.025, 0.89, how, size=10.5, color=PALE)
    heading = f"One way, {quantities.size(profile.sizes[-1])}, between each pair of hosts"
    figure.text(0.57, 0.89, heading, size=10.5, color=PALE)


def _norm(profile: Profile) -> LogNorm:
    times = [value for row in profile.minimum[-1] for value in row if value > 0] or [1e-3]
    low, high = min(times), max(times)
    # One kind of link is no contrast: a narrow range would make noise look like structure.
    middle = math.sqrt(low * high)
    return LogNorm(min(low, middle / 1.3), max(high, middle * 1.3))


def _ticks(norm: LogNorm) -> list[float]:
    assert norm.vmin and norm.vmax
    steps = 5
    ratio = norm.vmax / norm.vmin
    return [norm.vmin * ratio ** (step / (steps - 1)) for step in range(steps)]


def _network(axes: Axes, profile: Profile, norm: LogNorm) -> None:
    disc = _arrange(profile, structure.tree(profile))
    disc = _moved(disc, (0.0, 0.0))
    places = _places(disc)
    _links(axes, profile, places, norm)
    _discs(axes, profile, disc, 0)
    single = len(places) == 1
    label = 8.5 if len(places) <= 24 else 6.5 if len(places) <= 48 else 4.5
    for host, (x, y) in places.items():
        axes.add_patch(Circle((x, y), 0.30, facecolor="white", edgecolor=INK, lw=1.0, zorder=5))
        name = profile.hosts[host].partition(".")[0]
        long = len(name) > 5
        axes.text(
            x, y - (0.42 if long else 0.0), name[-12:], size=label, color=INK, zorder=6,
            ha="center", va="top" if long else "center",
        )  # fmt: skip
    margin = disc.radius + (1.0 if single else 0.9)
    axes.set_xlim(-margin, margin)
    axes.set_ylim(-margin, margin)
    axes.set_aspect("equal")
    axes.axis("off")


def _arrange(profile: Profile, group: Group) -> _Disc:
    """A disc with its parts' discs in a ring inside it, in the order of the near ring."""
    at = {host: place for place, host in enumerate(profile.ring)}
    if not group.parts:
        return _Disc(group, (0, 0), _ring_radius([0.42] * len(group.hosts)) + 0.62, ())
    ordered = sorted(group.parts, key=lambda part: min(at[host] for host in part.hosts))
    discs = [_arrange(profile, part) for part in ordered]
    room = [disc.radius + 0.5 for disc in discs]
    ring = _ring_radius(room)
    angles = _angles(room)
    parts = tuple(
        _Disc(disc.group, (ring * math.cos(angle), ring * math.sin(angle)), disc.radius, disc.parts)
        for disc, angle in zip(discs, angles, strict=True)
    )
    return _Disc(group, (0, 0), ring + max(disc.radius for disc in discs) + 0.45, parts)


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
    pairs = list(zip(room, [*room[1:], room[0]], _angles(room), strict=True))
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


def _places(disc: _Disc) -> dict[int, Point]:
    if disc.parts:
        return {host: place for part in disc.parts for host, place in _places(part).items()}
    hosts = disc.group.hosts
    ring = _ring_radius([0.42] * len(hosts))
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
    times = profile.minimum[-1]
    finest = profile.levels[-1]
    pairs = sorted(structure.inside(range(len(profile.hosts))), key=lambda p: -times[p[0]][p[1]])
    if len(pairs) > _MOST_LINKS:
        pairs = [(a, b) for a, b in pairs if finest[a] == finest[b]]
    if not pairs:
        return
    same = [finest[a] == finest[b] for a, b in pairs]
    crossing = max(1, len(pairs) - sum(same))
    faint = max(0.08, min(0.65, 14 / crossing))
    quick = [1 - float(norm(times[a][b])) for a, b in pairs]
    axes.add_collection(
        LineCollection(
            [(places[a], places[b]) for a, b in pairs],
            colors=[TIMES(norm(times[a][b])) for a, b in pairs],
            linewidths=[0.8 + 2.6 * each for each in quick],
            alpha=[0.95 if inner else faint for inner in same],
            capstyle="round",
            zorder=3,
        )
    )


def _discs(axes: Axes, profile: Profile, disc: _Disc, depth: int) -> None:
    if disc.parts:
        if depth:
            axes.add_patch(
                Circle(disc.centre, disc.radius, facecolor="#f3f5f7", edgecolor="#d5dbe0", zorder=1)
            )
        for part in disc.parts:
            _discs(axes, profile, part, depth + 1)
        return
    number = disc.group.number or 0
    colour = SUBNETS[number % len(SUBNETS)]
    axes.add_patch(Circle(disc.centre, disc.radius, facecolor=colour, alpha=0.55, lw=0, zorder=2))
    found = structure.link(profile, structure.inside(disc.group.hosts))
    text = f"subnet {number}" + (f"\n{_figures(found)}" if found else "")
    x, y = disc.centre
    # Outwards, so that names do not stand in the links' way.
    above = y > 0.1 * disc.radius
    axes.text(
        x, y + (disc.radius + 0.12) * (1 if above else -1), text, size=9 if depth < 2 else 8,
        color=INK, ha="center", va="bottom" if above else "top", zorder=7, linespacing=1.35,
        bbox={"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1.5},
    )  # fmt: skip


def _figures(found: Link) -> str:
    latency = quantities.seconds(found.latency)
    return f"{latency} · {quantities.rate(found.bandwidth)}" if found.bandwidth else latency


def _matrix(axes: Axes, profile: Profile, norm: LogNorm) -> None:
    """Ordered by subnets as the near ring meets them."""
    at = {host: place for place, host in enumerate(profile.ring)}
    first: dict[int, int] = {}
    for host in profile.ring:
        first.setdefault(profile.levels[-1][host], at[host])
    finest = profile.levels[-1]
    order = sorted(range(len(profile.hosts)), key=lambda host: (first[finest[host]], at[host]))
    times = [[profile.minimum[-1][a][b] or math.nan for b in order] for a in order]
    cells = TIMES.with_extremes(bad="#eef1f3")
    axes.imshow(times, cmap=cells, norm=norm, aspect="equal", interpolation="nearest")
    for place in range(1, len(order)):
        border = finest[order[place]] != finest[order[place - 1]]
        wide = 3.0 if border else 0.6 if len(order) <= 40 else 0.0
        axes.axhline(place - 0.5, color="white", lw=wide)
        axes.axvline(place - 0.5, color="white", lw=wide)
    label = 9 if len(order) <= 24 else 6.5 if len(order) <= 48 else 4
    names = [profile.hosts[host].partition(".")[0] for host in order]
    upright = max(map(len, names)) > 4 or len(order) > 24
    axes.set_xticks(range(len(order)), names, size=label, rotation=90 if upright else 0)
    axes.set_yticks(range(len(order)), names, size=label)
    axes.tick_params(length=0, labelcolor=INK)
    for side in axes.spines.values():
        side.set_visible(False)
