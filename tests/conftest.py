# SPDX-License-Identifier: BSD-3-Clause
"""Where CI is set, nothing may be skipped: what a test needs is among the project's packages."""

import os
from collections.abc import Generator

import pytest

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
