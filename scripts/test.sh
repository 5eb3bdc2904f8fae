#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test.sh quick|full|long [PRESET]: unit tests, then everything under tests/; closing lines say what
# failed and how many were skipped. Where CI is set, a skipped test is a failed one.
#   quick  no lab, and nothing that takes long       full  with both       long  everything
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
level=${1:-full} preset=${2:-release}
case $level in
    quick) marks="not long and not lab and not full" takes="two minutes" ;;
    full) marks="not long" takes="about 15 minutes" ;;
    long) marks="(long or not long)" takes="about four hours" ;;
    *) echo "eco: test.sh takes quick, full or long, not '$level'" >&2; exit 2 ;;
esac
started=$SECONDS
failed=()
echo "eco: the tests ($level) take $takes on two quiet cores" >&2

# Planners of 64 ranks take a quarter of the processor time, and what breaks them breaks those of 13 too.
less=()
[[ $level == quick ]] && less=(-E 'EveryPlanner\.DoesWhatItsCollectiveSays/64$')

# Only what failed is worth reading.
ctest --test-dir "build/$preset" -j"$(nproc)" "${less[@]}" --output-on-failure --no-tests=error \
    --output-log "build/$preset/ctest.log" | grep -vE '^ +Start +[0-9]+:| Passed +[0-9.]+ sec$'
((PIPESTATUS[0] == 0)) || failed+=("unit tests")
unit=$(grep -E 'tests (passed|failed)' "build/$preset/ctest.log" | tail -n1)
unit_skipped=$(grep -cE '\*\*\*Skipped +[0-9.]+ sec$' "build/$preset/ctest.log")
if ((unit_skipped)) && [[ ${CI:-false} == true ]]; then
    echo "eco: CI is set, where no test may be skipped: $unit_skipped unit tests were"
    failed+=("skipped unit tests")
fi

# tests_in LOG MARKS OPTION…: the Python tests that have these marks; adds their closing line to
# $python.
tests_in() {
    local report=build/$preset/$1 status
    .venv/bin/python -m pytest -m "$2" --color=auto --durations=20 --durations-min=5 "${@:3}" 2>&1 |
        tee "$report"
    status=${PIPESTATUS[0]}
    ((status == 0)) || failed+=("$1")
    python+=${python:+; }$(tail -n1 "$report" | sed -E 's/\x1b\[[0-9;]*m//g; s/^=+ *//; s/ *=+$//')
}
# beside SIGNAL: to the group of processes that build meanwhile (ci.sh), if there is one.
beside() {
    [[ -z ${ECO_CI_BESIDE:-} ]] || kill "-$1" -- "-$ECO_CI_BESIDE" 2>/dev/null || true
}

# A sanitizer's runtime must be loaded first, which a preload object is not.
python=
if [[ $preset == release ]]; then
    # One file more at once than there are processors, because tests in the lab often wait; but what
    # looks at rates or times, which another test on the same processors would change, one after the
    # other. In our order, not by how many tests a file has: the longest have few
    # (tests/conftest.py).
    tests_in pytest-beside.log "$marks and not alone" -n "$(($(nproc) + 1))" --dist loadfile \
        --no-loadscope-reorder
    beside STOP
    tests_in pytest.log "$marks and alone"
    beside CONT
fi
python=${python:-only on the release build}

echo
echo "unit tests: ${unit:-none ran}, $unit_skipped skipped"
echo "tests/:     ${python:-none ran}"
if ((${#failed[@]})); then
    echo "FAILED ($(IFS=,; echo "${failed[*]}")) after $((SECONDS - started)) s"
    exit 1
fi
[[ " $python" != *" skipped"* && $unit_skipped == 0 ]] && what="ALL PASSED" || what="PASSED, SOME SKIPPED"
echo "$what ($level) in $((SECONDS - started)) s"
