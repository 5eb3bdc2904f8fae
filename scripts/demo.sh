#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# demo.sh [PRESET]: installs and builds what it needs; on an emulated network of three 10 Mbit/s
# buses, measures it, draws what it found into demo/, runs an unmodified MPI program natively and
# with ECO, says what was gained.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
preset=${1:-release}
eco=$PWD/build/$preset/bin/eco
profile=demo/three-segments.json

step_name='' step_began=$SECONDS
step() {
    [[ -z $step_name ]] || printf '   (%s: %d s)\n' "$step_name" $((SECONDS - step_began))
    step_name=$1 step_began=$SECONDS
    [[ -z ${2:-} ]] || printf '\n== %s\n' "$2"
}

step "installed" "install what is missing"
scripts/bootstrap.sh demo

step "built" "build"
scripts/build.sh "$preset" demo
make --silent -C examples MPICC="$PWD/.deps/openmpi/bin/mpicc" BUILD="$PWD/build/demo" "$PWD/build/demo/md"

step "measured" "measure the network (the launcher is the lab's here; on a cluster it is your mpirun)"
mkdir -p demo
"$eco" measure -o "$profile" -- "$eco" lab run three-segments --mpi openmpi --native --

step "drawn" "what ECO found; the picture is demo/three-segments.svg"
"$eco" show "$profile" --plot demo/three-segments.svg

step "ran" "an unmodified MPI program, twice natively and with ECO in turn"
program=("$PWD/build/demo/md" --atoms 4000 --steps 10 --json)
: >demo/native.jsonl
: >demo/eco.jsonl
for _ in 1 2; do
    "$eco" lab run three-segments --native -- "${program[@]}" >>demo/native.jsonl
    "$eco" lab run three-segments --topology "$profile" -- "${program[@]}" >>demo/eco.jsonl
done
.venv/bin/python scripts/demo_ratio.py demo/native.jsonl demo/eco.jsonl
step ''
echo
printf 'demo: %d s in all\n' "$SECONDS"
.venv/bin/python scripts/demo_ratio.py --sentence demo/native.jsonl demo/eco.jsonl
echo "On your cluster: make install, then eco measure -o cluster.json -- mpirun -n 8 --hostfile hosts, and mpirun … eco exec ./your_program; README.md says more."
