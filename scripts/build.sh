#!/usr/bin/env bash
# build.sh [PRESET]: configures where needed and builds into build/PRESET.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release}
cache=build/$preset/CMakeCache.txt

configure=()
if [[ ! -e build/$preset/build.ninja ]]; then
    configure=(cmake --preset "$preset")
elif ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    # The checkout was moved or copied: CMake refuses a cache of another folder.
    configure=(cmake --fresh --preset "$preset")
fi
((${#configure[@]})) && "${configure[@]}"
cmake --build --preset "$preset" --parallel "$(nproc)"
