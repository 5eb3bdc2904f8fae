# SPDX-License-Identifier: BSD-3-Clause
"""`eco measure`: characterises a network once, through the user's launcher."""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from eco import contact, options, probe, store, structure
from eco import launcher as launchers
from eco import profile as profiles
from eco.errors import EcoError, ExitCode
from eco.odd import describe_odd
from eco.partial import Partial
from eco.profile import Profile
from eco.progress import progress
from eco.streams import printable

_BUDGET = 60  # seconds, of the probe if nothing is said

File = Annotated[
    Optional[Path],
    typer.Option("--output", "-o", metavar="FILE", help="Also write the profile to this file."),
]


def command(
    words: options.Words = None,
    output: File = None,
    sizes: options.PairSizes = None,
    round_trips: Annotated[
        Optional[int], typer.Option(help="Round trips per pair and size (default: 5).")
    ] = None,
    repeats: Annotated[
        Optional[int], typer.Option(help="Repeats of the whole measurement (default: 3).")
    ] = None,
    tolerance: Annotated[
        Optional[float],
        typer.Option(help="Relative difference of times inside a subnet (default: 0.2)."),
    ] = None,
    budget: Annotated[
        Optional[float],
        typer.Option(
            help="Seconds for everything, starting and ending the ranks included "
            f"(default: {_BUDGET}; with --no-tune: as long as it takes).",
            metavar="SECONDS",
        ),
    ] = None,
    all_pairs: Annotated[
        bool,
        typer.Option("--all-pairs", help="Time every pair of hosts, also if there are many."),
    ] = False,
    no_multicast: Annotated[
        bool, typer.Option("--no-multicast", help="Do not try IP multicast.")
    ] = False,
    no_tune: Annotated[
        bool, typer.Option("--no-tune", help="Measure only the network, time no collectives.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Measure again, also hosts that are in FILE.")
    ] = False,
    as_json: options.Json = False,
    mpi: options.Mpi = None,
    interfaces: options.Interfaces = None,
) -> None:
    """Measure a network once, through your MPI launcher.

    Times messages between pairs of hosts (of many hosts: as few pairs as needed),
    finds the subnets, chooses algorithms, and stores everything as a profile that
    `eco exec` finds.

    eco measure -o cluster.json -- mpirun -n 8 --hostfile hosts

    If it fails or is interrupted, FILE.partial keeps the times so far, and the
    same command continues from there.
    """
    limit = options.within("budget", budget)
    launcher = launchers.understand(words, mpi)
    settings = [
        *options.sizes(sizes),
        *options.count("round-trips", round_trips),
        *options.count("repeats", repeats),
        *options.number("tolerance", tolerance, 9),
        *limit,
        *(["--all-pairs"] if all_pairs else []),
        *(["--no-multicast"] if no_multicast else []),
        *(["--no-tune"] if no_tune else []),
    ]
    if output is not None:
        store.check_writable(output)
    elif launcher.is_lab:
        raise EcoError(
            "emulated networks share their hosts' names, so none is stored for eco exec: name a "
            "file, as in -o network.json",
            ExitCode.USAGE,
        )
    else:
        store.prepare()
    partial_path = _partial_path(output, launcher)
    store.look(partial_path)  # its name is longer
    before = _known(output, again) if output is not None else None
    if before is not None:
        if not (sizes is None and round_trips is None and repeats is None):
            raise EcoError(
                f"{output} has measurements already, with its own sizes, round trips and repeats; "
                "add --again to measure again",
                ExitCode.USAGE,
            )
        settings += ["--profile", "-"]
    partial = Partial(partial_path)
    if again:
        partial.remove()

    found: list[Profile] = []
    unfinished: list[Profile] = []
    chosen: dict[str, int] = {}
    network: list[float] = []
    notes: list[str] = []
    with progress("measuring", quiet=as_json) as (show, say):

        def take_event(event: dict[str, Any]) -> None:
            if event.get("event") == "progress":
                show(event)
            elif event.get("event") == "profile":
                found.append(received(event))
            elif event.get("event") == "network":
                unfinished.append(received(event))
            elif event.get("event") == "chosen":
                chosen.update(counts(event))
                network.extend([float(event["network"])] if "network" in event else [])
            elif event.get("event") == "note":
                notes.append(str(event["text"]))
            else:
                partial.take_event(event, say)

        kept = partial.before(say)
        settings += ["--partial", "-"] if kept else []
        texts = [*([kept] if kept else []), *([profiles.to_json(before)] if before else [])]
        try:
            used = contact.run(
                launcher,
                "measure",
                settings,
                take_event,
                "\n".join(texts) or None,
                say,
                interfaces,
            )
            if not found:
                raise EcoError("the probe ended without a profile", ExitCode.LAUNCH)
        except EcoError as error:
            error.notes.extend(
                [*notes, *_keep(found, unfinished, partial, output, launcher.is_lab)]
            )
            raise
        except BaseException:  # Ctrl-C, SIGTERM
            for note in _keep(found, unfinished, partial, output, launcher.is_lab):
                say(f"eco: {note}")
            raise
    _check_hosts(found[-1], output, notes)
    within = _BUDGET if budget is None else budget
    fresh = _is_fresh(found[-1], before)
    if network and chosen["open"] and not chosen["timed"]:
        notes.append(_no_time(network[-1], within, output or store.path(found[-1]), fresh))
    try:
        _finish(found[-1], fresh, output, launcher.is_lab, as_json, chosen, notes, used)
    except EcoError as error:
        error.notes.extend([*notes, *([] if _is_kept(error) else _pairs(partial))])
        raise
    partial.remove(found[-1].hosts)


def _check_hosts(found: Profile, output: Optional[Path], notes: list[str]) -> None:
    """A profile of one host says nothing of a network, so programs must not find it."""
    if len(found.hosts) > 1:
        return
    if output is None:
        raise EcoError(
            f"all ranks ran on {found.hosts[0]}, so there is no network to measure and nothing is "
            "stored; start at least one rank on each host (mpirun -n 8 --hostfile hosts)",
            ExitCode.USAGE,
        )
    notes.append(
        f"all ranks ran on {found.hosts[0]}: programs do not find this profile by themselves, as "
        "it says nothing of a network; start at least one rank on each host"
    )


def _partial_path(output: Optional[Path], launcher: launchers.Launcher) -> Path:
    """Of a measurement that goes to the store alone in the store, by what launches it: its hosts
    are not known before."""
    if output is not None:
        return output.with_name(output.name + ".partial")
    digest = hashlib.sha256("\0".join(launcher.words).encode()).hexdigest()[:8]
    return store.folder() / f"measuring-{digest}.partial"


def _keep(
    found: list[Profile],
    unfinished: list[Profile],
    partial: Partial,
    output: Optional[Path],
    is_lab: bool,
) -> list[str]:
    """What is left of a run that failed, and where, in a sentence or two: the profile, if all was
    done but ending the ranks; else the network without its choices, which replaces no profile that
    has some."""
    if found:
        try:
            path = _store(found[-1], output, is_lab)[0]
        except EcoError as error:
            if _is_kept(error):
                return [f"all was measured before that, but {error.message}"]
            return [f"the profile is lost: {error.message}", *_pairs(partial)]
        partial.remove(found[-1].hosts)
        return [f"all was measured before that, and is in {path}"]
    pairs = _pairs(partial)
    if not unfinished:
        return pairs
    network = unfinished[-1]
    path = output or store.path(network)
    if _has_choices(path):
        return [f"{path} stays as it was", *pairs]
    try:
        store.write_or_keep(path, network, profiles.to_json(network), is_newest=False)
    except store.Unwritten as error:
        if error.kept is None:
            return [f"the measured network is lost: {error.message}", *pairs]
        return [f"the network was measured, without choices, but {error.message}", *pairs]
    sentence = (
        f"the network was measured and is in {path}, without choices; "
        f"eco tune {path} --budget {_BUDGET} -- LAUNCHER makes them"
    )
    if pairs:
        # Without a file to write, measuring looks for no profile.
        removed = f"remove {path}: then " if output is not None else ""
        sentence += (
            f"; if a host has failed, {removed}the same command continues from {partial.path} "
            "without it"
        )
    return [sentence]


def _pairs(partial: Partial) -> list[str]:
    kept = partial.keep()
    return [kept] if kept else []


def _is_kept(error: EcoError) -> bool:
    """Whether the profile is at least in the store."""
    return isinstance(error, store.Unwritten) and error.kept is not None


def _has_choices(path: Path) -> bool:
    try:
        return bool(profiles.read(path).tuning)
    except EcoError:
        return False


def received(event: dict[str, Any]) -> Profile:
    """A profile that the probe reported."""
    document = event.get("profile")
    if not isinstance(document, dict):
        raise EcoError("the probe reported an invalid profile", ExitCode.LAUNCH)
    return profiles.from_document(document, "the probe's profile")


def counts(event: dict[str, Any]) -> dict[str, int]:
    """How many choices were made how, as the probe reported it."""
    return {key: int(event.get(key, 0)) for key in ("timed", "predicted", "open")}


def outcome(chosen: dict[str, int]) -> str:
    """The same in words."""
    text = (
        f"{chosen['timed']} choices timed against the library, {chosen['predicted']} certain by "
        "prediction"
    )
    if chosen["open"]:
        text += f", {chosen['open']} uncertain after this time and left to the library"
    return text


def _no_time(network: float, budget: float, path: Path, fresh: bool) -> str:
    """Why no choice was timed, and how to go on. `network`: seconds until choices could be timed,
    what starting and ending the ranks takes included."""
    what = "the ranks and measuring the network" if fresh else "and ending the ranks"
    took = f"starting {what} took {network:.0f} s"
    if network > budget:
        took += f", more than the budget of {budget:g} s, so no choices were timed"
    else:
        took += f" of the budget of {budget:g} s, and the rest was too short to time a choice"
    return f"{took}; eco tune {path} --budget {max(_BUDGET, budget):g} -- LAUNCHER times them"


def _is_fresh(found: Profile, before: Optional[Profile]) -> bool:
    """Whether messages between hosts were timed."""
    return before is None or before.minimum != found.minimum


def _known(path: Path, again: bool) -> Optional[Profile]:
    """What need not be measured again. Never overwrites what is no profile."""
    if not path.exists():
        return None
    try:
        known = profiles.read(path)
    except EcoError as error:
        if not _was_profile(path):
            raise EcoError(
                f"{path} exists and is not an ECO profile; name another file", ExitCode.USAGE
            ) from None
        probe.say_on_stderr(f"eco: {error.message.partition('; measure')[0]}; it is replaced")
        return None
    return None if again else known


def _was_profile(path: Path) -> bool:
    """Cut off or of another version: ours to replace; an empty file too."""
    try:
        start = path.read_bytes()[:4096]
    except OSError:
        return False
    return not start.strip() or b'"eco_profile"' in start


def _store(found: Profile, output: Optional[Path], is_lab: bool) -> list[Path]:
    """Writes a finished profile where it was asked for, and where `eco exec` looks for it; the
    paths, of which the first is the one asked for."""
    text = profiles.to_json(found)
    written: list[Path] = []
    if output is not None:
        store.write_or_keep(output, found, text, is_newest=not is_lab)
        written.append(output)
    # Emulated hosts share their names: kept, one scenario's profile would be taken for another's.
    if output is None:
        written.append(store.keep(found, text))
    elif not is_lab and len(found.hosts) > 1:
        try:
            written.append(store.keep(found, text))
        except EcoError as error:
            probe.say_on_stderr(f"eco: `eco exec` will need --profile {output}: {error.message}")
    return written


def _finish(
    found: Profile,
    fresh: bool,
    output: Optional[Path],
    is_lab: bool,
    as_json: bool,
    chosen: dict[str, int],
    notes: list[str],
    used: list[str],
) -> None:
    written = _store(found, output, is_lab)
    if as_json:
        summary = structure.summary(found) | {
            "measured": fresh,
            "files": [printable(path) for path in written],
            "chosen": chosen or None,
            "notes": notes,
            "interfaces": used,
        }
        print(json.dumps(summary))
        return
    levels = structure.describe(found)
    if not fresh and not chosen:
        print(f"{written[0]} contains these hosts already ({levels}); --again measures them again")
        return
    if fresh:
        print(f"found {levels}")
    if chosen:
        print(outcome(chosen))
    if found.survey:
        print(structure.describe_survey(found))
    for line in describe_odd(found):
        print(line)
    for note in notes:
        print(note)
    for path in written:
        print(f"wrote {path}")
