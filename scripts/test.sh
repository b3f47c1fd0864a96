#!/usr/bin/env bash
# Builds the program as it is shipped, then the tests, and runs every test: those that drive the program drive the optimised one just built,
# unit tests are debug builds. Then holds what reading costs against scripts/costs.txt (bench-instructions.sh), and checks the program's
# memory by valgrind (memcheck.sh --short). Arguments are those of `swift test`, such as --filter; with them only these tests run.
#
# A test that skips something prints a line "skipped: …"; with CI set, only what Tests/allowed-skips.txt names may be, and building and running
# the tests is given TEST_SECONDS (4200): what hangs is an error, not a wait.
#
# Where one to three tests failed, these are run once more, alone (rerun-failed.sh): some measure time or memory, and beside two thousand others
# on a busy machine a measure can be wrong. What fails again has failed, and so has what is seen for the second time within a week.
set -uo pipefail
cd "$(dirname "$0")/.."

output=.build/test-output.txt
report=.build/tests.xml
mkdir -p .build
rm -f "$report"
limit=${TEST_SECONDS:-4200}

if [ -n "${CI:-}" ]; then
    # Two builds at once, in folders of their own: the optimised one has long stretches in which a single module keeps one core busy. Debug
    # information, which no test reads, would take a minute more.
    export TEST_SCRATCH=.build/tests
    make --no-print-directory release >.build/release-output.txt 2>&1 &
    release=$!
    "${SWIFT:-swift}" build --build-tests --scratch-path "$TEST_SCRATCH" -debug-info-format none
    built=$?
    wait "$release" || { cat .build/release-output.txt; echo "The program was not built."; exit 1; }
    [ "$built" -eq 0 ] || { echo "The tests were not built."; exit 1; }
else
    make --no-print-directory release || { echo "The program was not built."; exit 1; }
fi
# Tests/Support/DrivenProgram.swift drives it, and refuses one that is older than its code.
export UNMASK_PROGRAM=$PWD/.build/release/unmask
echo "Tests that drive the program drive $UNMASK_PROGRAM."

command=("${SWIFT:-swift}" test --disable-xctest --xunit-output "$report" "$@")
[ -n "${TEST_SCRATCH:-}" ] && command+=(--scratch-path "$TEST_SCRATCH" --skip-build)
[ -n "${CI:-}" ] && command -v timeout >/dev/null && command=(timeout --kill-after=10 "$limit" "${command[@]}")
"${command[@]}" 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
[ "$status" -eq 124 ] && echo "The tests did not end within $limit seconds."

if [ "$status" -ne 0 ] && [ -f "$report" ]; then
    scripts/rerun-failed.sh "$report" "$output"
    status=$?
fi

if [ $# -eq 0 ]; then
    echo
    scripts/bench-instructions.sh 2>&1 | tee -a "$output"
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    echo
    scripts/memcheck.sh --short 2>&1 | tee -a "$output"
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
fi

echo
scripts/check-skips.sh "$output" || status=1
[ "$status" -eq 0 ] && echo "All tests passed." || echo "Tests failed; the whole output is in $output."
exit "$status"
