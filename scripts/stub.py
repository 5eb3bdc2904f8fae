#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""stub.py [--check]: writes the types of ECO's engine as it is built, python/eco/_engine/*.pyi.

mypy reads them. --check only says whether they are those of the engine; the tests run it.
"""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from eco.engine import engine
from nanobind.stubgen import StubGen

FOLDER = Path(__file__).resolve().parents[1] / "python/eco/_engine"
HEAD = "# SPDX-License-Identifier: BSD-3-Clause\n# Written by scripts/stub.py.\n"


def of_module(module: ModuleType) -> str:
    """Its functions and classes."""
    writer = StubGen(module)
    writer.put(module)
    return f"{HEAD}{writer.get()}"


def as_class(module: ModuleType, name: str, indent: str) -> Iterator[str]:
    """A class with the same attributes, as Python has no type for one module."""
    path = module.__name__
    yield f"{indent}class {name}:"
    for key, value in sorted(vars(module).items()):
        if key.startswith("_"):
            continue
        if isinstance(value, ModuleType):
            yield from as_class(value, key, indent + "    ")
        elif inspect.isclass(value):
            yield f"{indent}    {key} = {path}.{key}"
        else:
            yield f"{indent}    {key} = staticmethod({path}.{key})"


def formatted(text: str) -> str:
    """As `make format` would."""
    for words in (["check", "--fix", "--select", "I"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *words, "--quiet", "--stdin-filename", "a.pyi", "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def stubs() -> dict[str, str]:
    """The text of each file."""
    module: ModuleType = engine()  # type: ignore[assignment]
    parts = {key: value for key, value in vars(module).items() if isinstance(value, ModuleType)}
    imports = [f"import {each.__name__}\n" for each in (module, *parts.values())]
    of_class = "\n".join(as_class(module, "Engine", ""))
    texts = {
        "__init__.pyi": of_module(module),
        **{f"{name}.pyi": of_module(part) for name, part in parts.items()},
        "as_class.pyi": f"{HEAD}{''.join(imports)}\n{of_class}\n",
    }
    return {name: formatted(text) for name, text in texts.items()}


def main(words: list[str]) -> int:
    texts = stubs()
    if words != ["--check"]:
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob("*.pyi"):
            old.unlink()
        for name, text in texts.items():
            (FOLDER / name).write_text(text)
        return 0
    if texts == {file.name: file.read_text() for file in FOLDER.glob("*.pyi")}:
        return 0
    print(f"eco: {FOLDER} has other types than the engine: run scripts/stub.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
