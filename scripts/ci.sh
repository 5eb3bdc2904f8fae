#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ci.sh: lint, tests and sanitizers of a fresh clone; the last line says which of them failed.
# Tests in the lab mostly wait. Meanwhile linters and the sanitizers' builds take the processors
# that are idle, and only these; they stop while tests run that look at rates or times (test.sh).
# What they print follows the tests.
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.."
started=$SECONDS
failed=()
export CI=true

# SCHED_IDLE: anything else that wants the processor gets it at once.
idle=(nice -n 19)
chrt --idle 0 true 2>/dev/null && idle=(chrt --idle 0)

make build || {
    echo "CI FAILED (build) after $((SECONDS - started)) s"
    exit 1
}
mkdir -p build
set -m # a group of its own, which can be ended as a whole
{
    "${idle[@]}" scripts/lint.sh >build/lint.log 2>&1
    lint=$?
    "${idle[@]}" scripts/sanitize.sh build >build/sanitize-build.log 2>&1
    exit "$lint"
} &
beside=$!
set +m
export ECO_CI_BESIDE=$beside
trap 'kill -- "-$beside" 2>/dev/null; kill -CONT -- "-$beside" 2>/dev/null' EXIT

scripts/test.sh full || failed+=(test)
wait "$beside" || failed+=(lint)
cat build/lint.log
# What could not be built is built again here, and says why.
scripts/sanitize.sh || failed+=(test-sanitizers)

if ((${#failed[@]})); then
    echo "CI FAILED ($(IFS=,; echo "${failed[*]}")) after $((SECONDS - started)) s"
    exit 1
fi
echo "CI PASSED in $((SECONDS - started)) s"
