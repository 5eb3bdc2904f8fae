#!/usr/bin/env bash
# test.sh quick|full|long [PRESET]: unit tests, then everything under tests/; one closing line.
#   quick  no lab       full  with the lab       long  everything
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
level=${1:-full} preset=${2:-release}
case $level in
    quick) marks="not long and not lab" ;;
    full) marks="not long" ;;
    long) marks="" ;;
    *) echo "eco: test.sh takes quick, full or long, not '$level'" >&2; exit 2 ;;
esac
started=$SECONDS
failed=()

# Only what failed is worth reading.
ctest --test-dir "build/$preset" -j"$(nproc)" --output-on-failure --no-tests=error \
    --output-log "build/$preset/ctest.log" | grep -vE '^ +Start +[0-9]+:| Passed +[0-9.]+ sec$'
((PIPESTATUS[0] == 0)) || failed+=("unit tests")
unit=$(grep -E 'tests (passed|failed)' "build/$preset/ctest.log" | tail -n1)

# A sanitizer's runtime must be loaded first, which a preloaded object is not.
if [[ $preset == release ]]; then
    report=build/$preset/pytest.log
    .venv/bin/python -m pytest -m "$marks" --color=auto 2>&1 | tee "$report"
    status=${PIPESTATUS[0]}
    ((status == 0)) || failed+=("tests/")
    python=$(tail -n1 "$report" | sed -E 's/\x1b\[[0-9;]*m//g; s/^=+ *//; s/ *=+$//')
else
    python="only on the release build"
fi

echo
echo "unit tests: ${unit:-none ran}"
echo "tests/:     ${python:-none ran}"
if ((${#failed[@]})); then
    echo "FAILED ($(IFS=,; echo "${failed[*]}")) after $((SECONDS - started)) s"
    exit 1
fi
echo "ALL PASSED ($level) in $((SECONDS - started)) s"
