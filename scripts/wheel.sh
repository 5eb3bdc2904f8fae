#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# wheel.sh [PRESET [FOLDER]]: a wheel of what is built in build/PRESET, for the Python of .venv, in
# FOLDER (build/wheel). Its tag names the oldest C library that it runs with. Nothing is downloaded.
# `pip wheel .` makes one from the sources, for any Python.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release} folder=${2:-build/wheel}
scripts/build.sh "$preset" install-parts >"build/$preset/install.log"
c_library=$(objdump -T "build/$preset"/lib/{libeco-*,_engine*}.so "build/$preset"/bin/eco{,-probe-*,-lab-relay} 2>/dev/null |
    grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n1)
platform=manylinux_${c_library#GLIBC_}_$(uname -m)
python=$(.venv/bin/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
[[ ${python#cp3} -ge 12 ]] && tag=cp312-abi3 || tag=$python-$python
mkdir -p "$folder"
.venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps --no-index \
    --disable-pip-version-check --wheel-dir "$folder" \
    --config-settings cmake.define.ECO_BUILT="$PWD/build/$preset" --config-settings wheel.tags="$tag-${platform/2./2_}" .
ls "$folder"/eco_collectives-*.whl
