#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh [PRESET [TARGET…]]: configures where needed and builds into build/PRESET, all of it or
# these targets.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release}
targets=("${@:2}")
cache=build/$preset/CMakeCache.txt

# Tests that build something run at the same time, and ninja knows only of itself. Some file systems
# have no locks.
mkdir -p "build/$preset"
exec 9<"build/$preset"
flock 9 2>/dev/null || true

configure=()
if [[ ! -e build/$preset/build.ninja ]]; then
    configure=(cmake --preset "$preset")
elif ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    # The checkout was moved or copied: CMake refuses a cache of another folder.
    configure=(cmake --fresh --preset "$preset")
elif ((${#targets[@]} == 0)) && grep -qE '^(GTest_DIR|SIMGRID):.*-NOTFOUND$' "$cache"; then
    # Made for the demo, before what the tests need was there.
    configure=(cmake --preset "$preset")
fi
((${#configure[@]})) && "${configure[@]}" 9<&-
cmake --build --preset "$preset" --parallel "$(nproc)" ${targets[@]+--target "${targets[@]}"} 9<&-
