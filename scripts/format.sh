#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Puts all sources into form: clang-format, ruff.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.h' '*.c' |
    xargs -0 -r .venv/bin/clang-format -i
.venv/bin/ruff check --quiet --fix-only .
.venv/bin/ruff format --quiet .
