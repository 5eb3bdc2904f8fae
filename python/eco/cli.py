# SPDX-License-Identifier: BSD-3-Clause
"""The `eco` command: its verbs, and the boundary where errors become one sentence and a code.

Each verb lives in a module of its own, imported only when that verb is used: `eco --help` and
every verb start quickly, whatever the others need. A module offers `app` (verbs below it) or
`command` (a function).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

import typer

from eco import completion, streams
from eco.errors import EcoError, ExitCode


@dataclass(frozen=True)
class Verb:
    name: str
    module: str  # empty: native code, src/eco/launch
    summary: str


VERBS = (
    Verb("measure", "eco.measure", "Measure a network once, through your MPI launcher."),
    Verb("doctor", "eco.doctor.cli", "Say what is wrong with these hosts, and what to do."),
    Verb("show", "eco.show", "Show the measured network."),
    Verb("plan", "eco.plan", "Explain the choice for one collective call."),
    Verb("simulate", "eco.simulate", "Show one schedule as a timeline, by simulation."),
    Verb("exec", "", "Run an MPI program with topology-aware collectives."),
    Verb("tune", "eco.tune", "Autotune: time native and ECO, and store the choices."),
    Verb("learn", "eco.learn", "List or remove what programs learned while they ran."),
    Verb("report", "eco.report", "Show how long a program's collectives took, and what ECO saved."),
    Verb("bench", "eco.bench", "Compare the MPI library and ECO."),
    Verb("export", "eco.export.cli", "Write the network for Slurm, launchers and other programs."),
    Verb("lab", "eco.lab.cli", "Emulate networks on this machine, without a cluster."),
    Verb("probe", "", "The program that `eco measure` starts on every host."),
)


# What Pydantic says inside Typer's complaints.
_NUMBERS = {
    "Input should be a valid integer, unable to parse string as an integer": "must be an integer",
    "Input should be a valid number, unable to parse string as a number": "must be a number",
}


# Typer's own; click's where Typer is made of click, as all are that Python 3.9 has.
_USAGE_ERROR: Any = (
    getattr(typer, "TyperException", None) or importlib.import_module("click").ClickException
)


def main() -> int:
    streams.prepare()
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as error:
        # Typer and Rich leave with 1 of their own where the reader went away.
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return _reader_left()
    except OSError as error:
        streams.discard(sys.stdout)
        return _complain(streams.refusal(error), ExitCode.ENVIRONMENT)
    return code


def _run() -> int:
    try:
        arguments = completion.words(os.environ) or sys.argv[1:]
        wanted = next((word for word in arguments if not word.startswith("-")), None)
        result = build_app([wanted])(prog_name="eco", standalone_mode=False)
    except typer.Abort:
        return 130
    except EcoError as error:
        return _complain(str(error), error.code, *error.notes)
    except _USAGE_ERROR as error:
        # Typer's own errors of usage; asking for nothing shows the help.
        if type(error).__name__ == "NoArgsIsHelpError":
            return ExitCode.USAGE
        message = error.format_message().rstrip(".")
        for theirs, ours in _NUMBERS.items():
            message = message.replace(theirs, ours)
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "eco"
        if type(error).__name__ == "NoSuchOption":
            message += _dashes(arguments)
        return _complain(
            f"{message[:1].lower()}{message[1:]}; see {command} --help", ExitCode.USAGE
        )
    except RuntimeError as error:
        if "determine home directory" not in str(error):  # Path.home has no error of its own
            raise
        return _complain(
            "you have no home directory; set HOME or XDG_DATA_HOME", ExitCode.ENVIRONMENT
        )
    return result if isinstance(result, int) else 0


def _dashes(arguments: list[str]) -> str:
    """Where the option is one of a command that should stand behind --, how to write it."""
    if "--" in arguments or not arguments:
        return ""
    verb = " ".join(arguments[:2]) if arguments[0] == "lab" else arguments[0]
    if verb not in ("measure", "doctor", "tune", "bench", "lab run"):
        return ""
    from eco import launcher

    for at, word in enumerate(arguments):
        if at < len(verb.split()) or word.startswith("-"):
            continue
        if launcher.starts_mpi(word) or shutil.which(word):
            line = ["eco", *arguments[:at], "--", *arguments[at:]]
            what = "program" if verb == "lab run" else "launcher"
            return f"; the {what} and its options come after --: {shlex.join(line)}"
    return ""


def _reader_left() -> int:
    """The reader went away (`eco show … | head`): nothing is left to say, nor to flush."""
    streams.discard(sys.stdout)
    streams.discard(sys.stderr)
    return 141


def _complain(sentence: str, code: int, *more: str) -> int:
    try:
        for line in (sentence, *more):
            print(f"eco: {streams.printable(line)}", file=sys.stderr)
    except OSError:  # nobody reads it; the code says the same
        streams.discard(sys.stderr)
    return int(code)


def build_app(wanted: Collection[str | None]) -> typer.Typer:
    """The command with the options of the wanted verbs; of the others only their names."""
    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        help="Topology-aware collectives for unmodified MPI programs. --version: ECO's version.",
    )
    app.callback()(_keep_verbs)
    for verb in VERBS:
        if verb.module and not _exists(verb.module):
            continue
        if verb.name == "exec" and verb.name in wanted and completion.words(os.environ):
            app.command(verb.name)(completion.exec_options)
        elif verb.module and verb.name in wanted:
            _register(app, verb, importlib.import_module(verb.module))
        else:
            app.command(verb.name, help=verb.summary, context_settings=_PASS_ALL)(_native(verb))
    return app


_PASS_ALL = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def _keep_verbs() -> None:
    """With a callback, Typer keeps a lone verb's name on the command line."""


def _exists(module: str) -> bool:
    """Without importing it: the list of verbs costs nothing."""
    return importlib.util.find_spec(module) is not None


def _register(app: typer.Typer, verb: Verb, module: ModuleType) -> None:
    inner = getattr(module, "app", None)
    if isinstance(inner, typer.Typer):
        app.add_typer(inner, name=verb.name, help=verb.summary)
    else:
        settings = getattr(module, "context_settings", None)
        app.command(verb.name, context_settings=settings)(module.command)


def _native(verb: Verb) -> Callable[[typer.Context], None]:
    """Stands for a verb in the list; reached only for native ones, by `python -m eco exec`."""

    def hand_over(context: typer.Context) -> NoReturn:
        launcher = os.environ.get("ECO_BIN")
        if not launcher:
            raise EcoError(
                f"{verb.name} is not a Python command: start it with `eco`, not with python -m eco",
                ExitCode.ENVIRONMENT,
            )
        os.execv(launcher, [launcher, verb.name, *context.args])

    return hand_over
