#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# docs.sh [FOLDER]: the documentation as a site, in FOLDER (build/site); a dead link is an error.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
[[ -x build/release/bin/eco ]] || {
    echo "eco: build/release/bin/eco is missing, whose --help is the reference of commands: run make" >&2
    exit 5
}
NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs --quiet build --site-dir "$(realpath -m "${1:-build/site}")"
echo "wrote ${1:-build/site}/index.html"
