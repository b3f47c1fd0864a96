#!/usr/bin/env bash
# Builds the program as it is shipped, then the tests, and runs every test: those that drive the program drive the optimised one just built,
# unit tests are debug builds. Then builds and tests a package that depends on this one (library-example.sh), holds what reading costs against
# scripts/costs.txt (bench-instructions.sh), and checks the program's memory by valgrind (memcheck.sh --short). Arguments are those of
# `swift test`, such as --filter; with them only these tests run.
#
# A test that skips something prints a line "skipped: …"; with CI set, only what Tests/allowed-skips.txt names may be, and building and running
# the tests is given TEST_SECONDS (2400): what hangs is an error, not a wait. What prints nothing for long is ended before that, and named
# (watch-tests.sh).
#
# Where one to three tests failed, these are run once more, alone (rerun-failed.sh): some measure time or memory, and beside two thousand others
# on a busy machine a measure can be wrong. What fails again has failed, and so has what is seen for the second time within a week.
set -uo pipefail
cd "$(dirname "$0")/.."

output=.build/test-output.txt
report=.build/tests.xml
mkdir -p .build
rm -f "$report"
limit=${TEST_SECONDS:-2400}

if [ -n "${CI:-}" ]; then
    # Two builds at once, in folders of their own: the optimised one has long stretches in which a single module keeps one core busy. Debug
    # information, which no test reads, would take a minute more.
    export TEST_SCRATCH=.build/tests
    # The peers of the tests are installed meanwhile: three minutes, most of them waiting.
    make --no-print-directory .build/stamps/peers >.build/peers-output.txt 2>&1 &
    peers=$!
    make --no-print-directory release >.build/release-output.txt 2>&1 &
    release=$!
    "${SWIFT:-swift}" build --build-tests --scratch-path "$TEST_SCRATCH" -debug-info-format none
    built=$?
    wait "$release" || { cat .build/release-output.txt; echo "The program was not built."; exit 1; }
    [ "$built" -eq 0 ] || { echo "The tests were not built."; exit 1; }
    wait "$peers"
    cat .build/peers-output.txt
else
    make --no-print-directory .build/stamps/peers
    make --no-print-directory release || { echo "The program was not built."; exit 1; }
    "${SWIFT:-swift}" build --build-tests || { echo "The tests were not built."; exit 1; }
fi
# Tests/Support/DrivenProgram.swift drives it, and refuses one that is older than its code.
export UNMASK_PROGRAM=$PWD/.build/release/unmask
echo "Tests that drive the program drive $UNMASK_PROGRAM."

# Two of `swift test` at once are in each other's way at the database of the build; the program that they start is not. Where it is none (macOS
# has a bundle in its place), one follows the other.
tests=("$(find "${TEST_SCRATCH:-.build}/debug/" -maxdepth 1 -name '*PackageTests.xctest' -type f)" --testing-library swift-testing)
[ -n "${tests[0]}" ] || tests=("${SWIFT:-swift}" test --disable-xctest --skip-build)

# run NAME ARGUMENT…: the tests that the arguments choose; what they print and their report are kept by that name until both are put together.
run() {
    local name=$1
    shift
    local number=.build/tests-$name.pid printed=.build/test-output-$name.txt
    local command=(bash -c 'echo $$ >"$0"; exec "$@"' "$number" "${tests[@]}" --xunit-output ".build/tests-$name.xml" "$@")
    [ -n "${CI:-}" ] && command -v timeout >/dev/null && command=(timeout --kill-after=10 "$limit" "${command[@]}")
    scripts/watch-tests.sh "$number" "$printed" &
    local watcher=$!
    # Without colours, which it takes from TERM where a terminal is none: what failed is looked for in it.
    "${command[@]}" 2>&1 | sed -u $'s/\e\\[[0-9;]*m//g' | tee "$printed"
    local status=${PIPESTATUS[0]}
    wait "$watcher"
    [ "$status" -eq 124 ] && echo "The tests did not end within $limit seconds."
    # Tests that crash or are ended have no report: what the others show says nothing about them.
    grep -qE 'Test run with [1-9].*(passed|failed) after' "$printed" && return "$status"
    echo "The tests ($name) did not come to their end:"
    grep -aE 'Fatal error|crashed' "$printed" | tail -n 10
    return 3
}

rm -f .build/tests-*.xml .build/tests-*.pid .build/test-output-*.txt
if [ $# -gt 0 ]; then
    run chosen "$@"
    status=$?
else
    # Five at once: those that drive the program mostly wait for it, and keep the threads that run tests from others. Real peers come one after
    # the other, and would wait for a thread before each.
    status=0
    parts=()
    for part in 'driven-a --filter ^EndToEndTests[.][A-H]' 'driven-i --filter ^EndToEndTests[.][I-P]' 'driven-q --filter ^EndToEndTests[.] --skip ^EndToEndTests[.]([A-P]|RealPeerTests)' 'peers --filter ^EndToEndTests[.]RealPeerTests' 'units --skip ^EndToEndTests[.]'; do
        read -ra words <<<"$part"
        run "${words[@]}" &
        parts+=($!)
        [ "${tests[0]}" = "${SWIFT:-swift}" ] && wait "${parts[-1]}"
    done
    for part in "${parts[@]}"; do
        wait "$part"
        ended=$?
        [ "$ended" -gt "$status" ] && status=$ended
    done
fi
cat .build/test-output-*.txt >"$output"
cat .build/tests-*.xml >"$report" 2>/dev/null

if [ "$status" -ne 0 ] && [ -s "$report" ]; then
    scripts/rerun-failed.sh "$report" "$output"
    rerun=$?
    # Those that failed may pass alone; those that did not come to their end have shown nothing.
    [ "$status" -eq 3 ] || status=$rerun
fi

if [ $# -eq 0 ]; then
    # At once: they wait for nothing that the others use, and what they measure is counted, not timed.
    checks=(library-example bench-instructions "memcheck --short")
    numbers=()
    for check in "${checks[@]}"; do
        read -ra words <<<"$check"
        "scripts/${words[0]}.sh" "${words[@]:1}" >".build/check-${words[0]}.txt" 2>&1 &
        numbers+=($!)
    done
    for index in "${!checks[@]}"; do
        wait "${numbers[index]}" || status=1
        echo
        tee -a "$output" <".build/check-${checks[index]%% *}.txt"
    done
fi

echo
scripts/check-skips.sh "$output" || status=1
[ "$status" -eq 0 ] && echo "All tests passed." || echo "Tests failed; the whole output is in $output."
exit "$status"
