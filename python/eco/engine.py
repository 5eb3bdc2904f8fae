# SPDX-License-Identifier: BSD-3-Clause
"""The compiled engine (src/eco/python), loaded from beside the `eco` that runs.

`engine()` is the module, whose types are in _engine/ (scripts/stub.py writes them); its errors
become EcoError inside `errors()`.
"""

import contextlib
import functools
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from eco.errors import EcoError, ExitCode

if TYPE_CHECKING:
    from eco._engine.as_class import Engine

_PROJECT = Path(__file__).resolve().parents[2]


@functools.cache
def engine() -> "Engine":
    """The module `eco._engine`; raises EcoError if it was not built for this Python."""
    name = "eco._engine"
    bin_folder = Path(os.environ.get("ECO_BIN") or _PROJECT / "build/release/bin/eco").parent
    for folder in (bin_folder / "../lib", bin_folder / "../lib/eco"):
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = (folder / f"_engine{suffix}").resolve()
            if not file.exists():
                continue
            spec = importlib.util.spec_from_file_location(name, file)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            return cast("Engine", module)
    raise EcoError(
        f"ECO's engine for Python {sys.version_info.major}.{sys.version_info.minor} is missing "
        f"beside {bin_folder / 'eco'}; build or install ECO again",
        ExitCode.ENVIRONMENT,
    )


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """The engine's errors as EcoError."""
    try:
        yield
    except engine().EngineError as error:
        message, code = error.args
        raise EcoError(message, ExitCode(code)) from None
