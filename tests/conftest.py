# SPDX-License-Identifier: BSD-3-Clause
"""Where CI is set, nothing may be skipped: what a test needs is among the project's packages. Long
tests begin first, so that two workers end together."""

import os
from collections.abc import Generator

import pytest

# Folders whose files take minutes come before those whose files take seconds (scripts/test.sh).
LONG_FIRST = ("mpi", "lab", "bench", "packages", "site")
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, None, None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if not IN_CI or not report.skipped or hasattr(report, "wasxfail"):
        return
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"CI is set, where no test may be skipped: {why.removeprefix('Skipped: ')}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return LONG_FIRST.index(folder) if folder in LONG_FIRST else len(LONG_FIRST)

    items.sort(key=place)
