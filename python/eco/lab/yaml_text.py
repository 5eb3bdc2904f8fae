# SPDX-License-Identifier: BSD-3-Clause
"""Reads YAML in which every word is the text that is written, and no key stands twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from eco import text_files


def read(path: Path) -> object:
    """Mappings, lists and texts. Raises ValueError that says why the file cannot be read and
    where."""
    try:
        return yaml.load(text_files.read(path), Loader=_TextLoader)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError("cannot be read: it is no text in UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        why = getattr(error, "problem", None) or str(error)
        raise ValueError(f"{where}not valid YAML: {' '.join(why.split())}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid YAML: {error}") from None


class _TextLoader(yaml.SafeLoader):
    """Every word is the text that is written: a host may be named no, 01 or 1e3, which YAML takes
    for a truth or a number. Refuses a key that stands twice, of which YAML would silently keep the
    last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    problem="a key must be a word", problem_mark=key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"{key.value!r} stands twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# Nothing, and what is taken from elsewhere, cannot be the name of anything.
_TextLoader.yaml_implicit_resolvers = {}
_TextLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("(?:~|)$"), ["~", ""])
_TextLoader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("<<$"), ["<"])
