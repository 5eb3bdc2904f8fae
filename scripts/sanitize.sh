#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# sanitize.sh [build]: unit tests of what parses, plans and moves bytes, the fuzzer, and a real MPI
# program with the preloaded object, under the sanitizers of addresses and undefined behaviour; what
# has threads under that of threads. About five minutes on two quiet cores from nothing. With
# `build`, only builds them.
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
only=${1:-}
started=$SECONDS
failed=()
addresses=(base_test schedule_test run_test transport_test fuzz mpi_test_openmpi)
threads=(run_test transport_test)
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$PWD/scripts/leaks.supp:print_suppressions=0

tests_of() { # PRESET TARGET…: builds, then runs only these
    local preset=$1
    shift
    scripts/build.sh "$preset" "$@" >"build/$preset.log" 2>&1 || {
        tail -n50 "build/$preset.log"
        return 1
    }
    [[ $only == build ]] && return
    for each in "$@"; do
        case $each in
            fuzz) set -- tests/data/fuzz 2000 ;;
            # Libraries of MPI keep what they allocate.
            mpi_test_*) local ASAN_OPTIONS=detect_leaks=0 && set -- --gtest_brief=1 ;;
            *) set -- --gtest_brief=1 ;;
        esac
        echo "eco: $each, $preset"
        "build/$preset/bin/$each" "$@" || return 1
    done
}

# The conformance program on three ranks of this host, with plans for all that a plan can do.
real_mpi() {
    local tools=$PWD/.deps/openmpi/bin programs=build/tests-mpi/openmpi folder
    make -s -C tests/mpi MPICC="$tools/mpicc" BUILD="$PWD/$programs" "$PWD/$programs/conformance" &&
        scripts/build.sh asan eco-openmpi >build/asan.log 2>&1 || return 1
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
        LD_PRELOAD="$runtime:$PWD/build/asan/lib/libeco-openmpi.so" \
        "$programs/conformance" --light --sections \
        barrier,bcast,gather,scatter,allgather,alltoall,vectors,reduce,allreduce,scan,types,errors \
        >"$folder/out" 2>&1 </dev/null
    local code=$?
    if ((code)) || ! grep -q "all ok" "$folder/out" || ! grep -q "eco: bcast .*tree" "$folder/out" ||
        grep -qE "runtime error|AddressSanitizer" "$folder/out"; then
        tail -n60 "$folder/out"
        rm -r "$folder"
        return 1
    fi
    rm -r "$folder"
}

mkdir -p build
if [[ $only == build ]]; then
    tests_of asan "${addresses[@]}" eco-openmpi && tests_of tsan "${threads[@]}"
    exit
fi
tests_of asan "${addresses[@]}" || failed+=("addresses and undefined behaviour")
echo "eco: a program of three ranks, asan"
real_mpi || failed+=("a real program")
tests_of tsan "${threads[@]}" || failed+=("threads")
if ((${#failed[@]})); then
    echo "SANITIZERS FAILED ($(IFS=,; echo "${failed[*]}")) after $((SECONDS - started)) s"
    exit 1
fi
echo "SANITIZERS PASSED in $((SECONDS - started)) s"
