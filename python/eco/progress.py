# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a run: a bar with the time left on a terminal, a line each tenth elsewhere."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from eco.probe import say_on_stderr
from eco.quantities import duration

Show = Callable[[dict[str, Any]], None]
Say = Callable[[str], None]


@contextlib.contextmanager
def progress(title: str, quiet: bool) -> Iterator[tuple[Show, Say]]:
    """Gives a function that takes progress events, and one that prints a line past the bar."""
    console = Console(stderr=True)
    if quiet:
        yield (lambda _: None), say_on_stderr
    elif console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task(title, total=1.0, left="")

            def show(event: dict[str, Any]) -> None:
                left = _left(event)
                what = str(event.get("what", ""))
                bar.update(task, completed=float(event["done"]), left=left, description=title)
                bar.update(task, description=f"{title} [dim]{_plain(what)}[/]")

            yield show, lambda line: console.print(line, markup=False, highlight=False)
    else:
        yield _Lines(title).show, say_on_stderr


def _left(event: dict[str, Any]) -> str:
    """Nothing if the probe cannot tell yet."""
    left = event.get("left")
    return "" if left is None else f"{duration(float(left))} left"


class _Lines:
    """For logs: one line every tenth of the way."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._tenth = -1

    def show(self, event: dict[str, Any]) -> None:
        done = float(event["done"])
        if int(done * 10) <= self._tenth:
            return
        self._tenth = int(done * 10)
        left = _left(event)
        say_on_stderr(f"{self._title}: {done:4.0%}" + (f", {left}" if left else ""))


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
        console=console,
        transient=True,
    )


def _plain(text: str) -> str:
    return text.replace("[", r"\[")
