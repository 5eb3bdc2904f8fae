# SPDX-License-Identifier: BSD-3-Clause
"""Errors which a user can act on."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the `eco` command."""

    USAGE = 2
    BAD_INPUT = 3
    LAUNCH = 4
    ENVIRONMENT = 5
    NOT_RUN = 126  # a program; as a shell says it
    NOT_FOUND = 127


class EcoError(Exception):
    """One clear sentence: what is wrong, where, and what to do."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.notes: list[str] = []  # what is said below it, a line each
