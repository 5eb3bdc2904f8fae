#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# lint.sh [PRESET]: form and types of everything, changing nothing; says all it finds before failing.
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release}
failed=()
check() {
    local name=$1
    shift
    "$@" || failed+=("$name")
}
# Tracked files and new ones that are not ignored.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [[ -e $f ]] && echo "$f"; done; }

git rev-parse --git-dir >/dev/null || exit 1 # says why, as for a folder of somebody else's
mapfile -t sources < <(files '*.cpp' '*.hpp' '*.h' '*.c')
mapfile -t python < <(files '*.py')
((${#sources[@]})) && check clang-format .venv/bin/clang-format --dry-run --Werror "${sources[@]}"
check "licence lines" .venv/bin/python scripts/spdx.py --check
check "private names" .venv/bin/python scripts/unity.py
check "one meaning for a name" .venv/bin/python scripts/names.py
check "includes in one direction" .venv/bin/python scripts/include_order.py
check clang-tidy .venv/bin/python scripts/tidy.py "build/$preset"
check "ruff check" .venv/bin/ruff check --quiet "${python[@]}"
check "ruff format" .venv/bin/ruff format --quiet --diff "${python[@]}"
# What an installation runs on the oldest Python: ruff knows its syntax, vermin its library.
check "Python 3.9" .venv/bin/vermin --quiet --no-tips --violations --target=3.9- python/eco include/eco_topology.py packaging/start.py packaging/manual.py
check mypy .venv/bin/python -m mypy

if ((${#failed[@]})); then
    echo "LINT FAILED: $(IFS=,; echo "${failed[*]}") (make format mends form)"
    exit 1
fi
echo "LINT PASSED"
