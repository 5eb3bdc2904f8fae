#!/usr/bin/env bash
# demo.sh [PRESET]: on an emulated network of three 10 Mbit/s buses, measures it, draws what it
# found into demo/, runs an unmodified MPI program natively and with ECO, prints the ratio.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release}
eco=$PWD/build/$preset/bin/eco
profile=demo/three-segments.json
mkdir -p demo

step() { printf '\n== %s\n' "$*"; }

step "measure the network (the launcher is the lab's here; on a cluster it is your mpirun)"
"$eco" measure -o "$profile" -- "$eco" lab run three-segments --mpi openmpi --native --

step "what ECO found; the picture is demo/three-segments.svg"
"$eco" show "$profile" --plot demo/three-segments.svg

step "an unmodified MPI program, natively and with ECO in turn"
make --silent -C examples MPICC="$PWD/.deps/openmpi/bin/mpicc" BUILD="$PWD/build/demo"
program=("$PWD/build/demo/md" --atoms 4000 --steps 10 --json)
: >demo/native.jsonl
: >demo/eco.jsonl
for _ in 1 2 3; do
    "$eco" lab run three-segments --native -- "${program[@]}" >>demo/native.jsonl
    "$eco" lab run three-segments --topology "$profile" -- "${program[@]}" >>demo/eco.jsonl
done
.venv/bin/python scripts/demo_ratio.py demo/native.jsonl demo/eco.jsonl
