#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# sanitize.sh [build]: unit tests of what parses, plans and moves bytes, the fuzzer, and real MPI
# programs with the preloaded object, under the sanitizers of addresses and undefined behaviour;
# what has threads under that of threads. About six minutes on two quiet cores from nothing. With
# `build`, only builds them.
# Left out for their time: some tests of each program ($slow); the tests of survey, bounds, learn,
# report, options, launch and job, as the real programs run most of job; those of MPICH's and the
# standard ABI, which are the same sources, compiled again with other headers.
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
only=${1:-}
started=$SECONDS
failed=()
# The longest first.
addresses=(transport_test planners_test topology_test multicast_test simulate_test selection_test
    run_test base_test schedule_test fuzz mpi_test_openmpi)
threads=(run_test transport_test)
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
# Left out, as each takes 7 to 100 s with a sanitizer: EveryPlanner from 4 ranks on (those of 1 to 3
# are left), the longest of the lengths of programs and of circulant graphs, the random profiles
# (the fuzzer reads such ones), and the bounds of random schedules, which compare only times.
slow=$(printf 'Sizes/EveryPlanner.*/%s:' 3 4 5 6 7)ExtentOfAChoice.AThousandRanks*
slow+=:ExtentOfAChoice.TheLongestIs*:Circulant.AnyRanksRootsAndSegments
slow+=:Profile.WhateverStandsAnywhere*:Seeds/BoundHolds.*
export LSAN_OPTIONS=suppressions=$PWD/scripts/leaks.supp:print_suppressions=0

built() { # PRESET TARGET…: says why if it cannot
    scripts/build.sh "$@" >"build/$1.log" 2>&1 && return
    tail -n50 "build/$1.log"
    return 1
}

tests_of() { # PRESET TARGET…: builds, then runs only these
    local preset=$1
    shift
    built "$preset" "$@" || return 1
    [[ $only == build ]] && return
    local each tests=() code=0
    # Ctrl-C does not reach what a script runs in the background.
    trap 'kill $(jobs -p) 2>/dev/null' EXIT
    for each in "$@"; do
        while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
        run_one "$preset" "$each" >"build/$preset-$each.log" 2>&1 &
        tests+=($!)
    done
    for each in "$@"; do
        wait "${tests[0]}" || code=1
        tests=("${tests[@]:1}")
        echo "eco: $each, $preset"
        cat "build/$preset-$each.log"
    done
    return $code
}

run_one() { # PRESET TARGET
    local words=(--gtest_brief=1)
    [[ $2 == fuzz ]] && words=(tests/data/fuzz 2000)
    # Libraries of MPI keep what they allocate.
    [[ $2 == mpi_test_* ]] && export ASAN_OPTIONS=detect_leaks=0
    GTEST_FILTER=-$slow exec "build/$1/bin/$2" "${words[@]}"
}

# on_three_ranks CALLS PROGRAM…: on this host, with plans for all that a plan can do. It must say
# `all ok`, and each of these calls must have run by a plan.
on_three_ranks() {
    local tools=$PWD/.deps/openmpi/bin folder calls=$1 call wrong=
    shift
    folder=$(mktemp -d)
    cat >"$folder/net.json" <<END
{"eco_profile": 1, "created": "2026-01-01T00:00:00Z", "mpi": {"family": "openmpi", "version": "5"},
 "hosts": ["$(hostname)"], "minimum": [[[0.0]]], "spread": [[[0.0]]], "levels": [[0]], "ring": [0],
 "parameters": {"sizes": [1], "round_trips": 5, "repeats": 3, "partition_bytes": 1, "tolerance": 0.2},
 "tuning": []}
END
    local runtime="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
        PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe timeout 200 "$tools/mpirun" -n 3 \
        env ASAN_OPTIONS=detect_leaks=0 ECO_PROFILE="$folder/net.json" ECO_VERBOSE=2 \
        ECO_CHOICE=tree:inner=binomial,segments=2 \
        LD_PRELOAD="$runtime:$PWD/build/asan/lib/libeco-openmpi.so" "$@" >"$folder/out" 2>&1 </dev/null ||
        wrong=yes
    grep -q "all ok" "$folder/out" || wrong=yes
    for call in $calls; do grep -q "eco: $call .*tree" "$folder/out" || wrong=yes; done
    ! grep -qE "runtime error|AddressSanitizer" "$folder/out" || wrong=yes
    [[ $wrong ]] && tail -n60 "$folder/out"
    rm -r "$folder"
    [[ ! $wrong ]]
}

# The conformance program; then blocking, non-blocking and persistent calls in random order.
real_mpi() {
    local programs=$PWD/build/tests-mpi/openmpi
    make -s -C tests/mpi MPICC="$PWD/.deps/openmpi/bin/mpicc" BUILD="$programs" \
        "$programs/conformance" "$programs/nonblocking" &&
        built asan eco-openmpi || return 1
    on_three_ranks bcast "$programs/conformance" --light --sections \
        barrier,bcast,gather,scatter,allgather,alltoall,vectors,reduce,allreduce,scan,types,errors &&
        on_three_ranks "ibcast bcast_init" "$programs/nonblocking" random 100 1
}

mkdir -p build
if [[ $only == build ]]; then
    tests_of asan "${addresses[@]}" eco-openmpi && tests_of tsan "${threads[@]}"
    exit
fi
tests_of asan "${addresses[@]}" || failed+=("addresses and undefined behaviour")
echo "eco: programs of three ranks, asan"
real_mpi || failed+=("a real program")
tests_of tsan "${threads[@]}" || failed+=("threads")
if ((${#failed[@]})); then
    echo "SANITIZERS FAILED ($(IFS=,; echo "${failed[*]}")) after $((SECONDS - started)) s"
    exit 1
fi
echo "SANITIZERS PASSED in $((SECONDS - started)) s"
