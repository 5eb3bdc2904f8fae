#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench.sh [PRESET]: every operation, native and ECO interleaved, on the lab's three segments.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
eco=$PWD/build/${1:-release}/bin/eco
mkdir -p demo
[[ -e demo/three-segments.json ]] ||
    "$eco" measure -o demo/three-segments.json -- \
        "$eco" lab run three-segments --mpi openmpi --native --
exec "$eco" bench --topology demo/three-segments.json --operations all --plot demo/bench.svg \
    -- "$eco" lab run three-segments --mpi openmpi --native --
