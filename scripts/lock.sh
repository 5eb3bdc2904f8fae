#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Resolves requirements-dev.txt in a throw-away environment and writes requirements.lock.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
/usr/bin/python3 -m venv "$fresh"
"$fresh/bin/python" -m pip install --quiet --only-binary :all: --requirement requirements-dev.txt
{
    echo '# Every version in .venv, direct and transitive (a constraints file): made by `make lock`.'
    "$fresh/bin/python" -m pip freeze
} >requirements.lock
