#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# wheel.sh [PRESET [FOLDER [PYTHON…]]]: wheels of what is built in build/PRESET, in FOLDER
# (build/wheel): for the Python of .venv, where nothing is downloaded, or for each PYTHON, for which
# pip gets the nanobind that pyproject.toml names and the engine is compiled. A wheel of Python 3.12
# or later suits all of them. Its tag names the oldest C library that it runs with. `pip wheel .`
# makes one from the sources alone.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release} folder=${2:-build/wheel}
pythons=("${@:3}")
built=$PWD/build/$preset
scripts/build.sh "$preset" install-parts >"$built/install.log"
mkdir -p "$folder"

# The folder in which the engine for $python is compiled.
engine_for() {
    local made=$PWD/build/wheel-$tag needs
    mapfile -t needs < <(.venv/bin/python -c 'import tomllib
needs = tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"]
print(*(each for each in needs if each.startswith("nanobind")), sep="\n")')
    "$python" -m venv "$made/venv"
    "$made/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${needs[@]}"
    cmake --preset "$preset" -B "$made" -DECO_PYTHON="$made/venv/bin/python" -DECO_BUILD_TESTS=OFF >"$made/install.log"
    cmake --build "$made" --parallel "$(nproc)" --target _engine >>"$made/install.log"
    echo "$made"
}

wheel_for() {
    local python=$1 engine=${2:-} tag c_library platform
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    [[ -n $engine ]] || engine=$(engine_for)
    c_library=$(objdump -T "$built"/lib/libeco-*.so "$engine"/lib/_engine*.so "$built"/bin/eco{,-probe-*,-lab-relay} 2>/dev/null |
        grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n1)
    platform=manylinux_${c_library#GLIBC_}_$(uname -m)
    [[ -e $engine/lib/_engine.abi3.so ]] && tag=cp312-abi3 || tag=$tag-$tag
    # From any Python: what is compiled is there.
    .venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps --no-index \
        --disable-pip-version-check --wheel-dir "$folder" \
        --config-settings cmake.define.ECO_BUILT="$built" --config-settings cmake.define.ECO_ENGINE="$engine" \
        --config-settings wheel.tags="$tag-${platform/2./2_}" .
}

((${#pythons[@]})) || wheel_for .venv/bin/python "$built"
for python in "${pythons[@]}"; do
    wheel_for "$python"
done
ls "$folder"/eco_collectives-*.whl
