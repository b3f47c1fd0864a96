#!/usr/bin/env bash
# Runs every test, then lists what was skipped and why. A test that skips something prints a line "skipped: …"; with CI set, only what
# Tests/allowed-skips.txt names may be, and build and tests together are given TEST_SECONDS (4200): what hangs is an error, not a wait.
#
# Where one to three tests failed, these are run once more, alone: some measure time or memory, and beside two thousand others on a busy
# machine a measure can be wrong. What fails again has failed; what passes then is named, so that somebody looks at it.
set -uo pipefail
cd "$(dirname "$0")/.."

output=.build/test-output.txt
report=.build/tests.xml
mkdir -p .build
rm -f "$report"
limit=${TEST_SECONDS:-4200}

run() {
    local command=("${SWIFT:-swift}" test --disable-xctest "$@")
    [ -n "${CI:-}" ] && command -v timeout >/dev/null && command=(timeout --kill-after=10 "$limit" "${command[@]}")
    "${command[@]}" 2>&1
}

run --xunit-output "$report" "$@" | tee "$output"
status=${PIPESTATUS[0]}
[ "$status" -eq 124 ] && echo "The tests did not end within $limit seconds."

if [ "$status" -ne 0 ] && [ -f "$report" ]; then
    mapfile -t failed < <(scripts/failed-tests.sh "$report")
    echo
    echo "What failed:"
    awk '/^✘ Test .* recorded an issue/ { told = 1; print; next } /^↳/ { if (told) print; next } { told = 0 }' "$output" | head -n 100
    if [ "${#failed[@]}" -ge 1 ] && [ "${#failed[@]}" -le 3 ]; then
        echo
        echo "Once more, alone:"
        filters=()
        for pattern in "${failed[@]}"; do filters+=(--filter "$pattern"); done
        run --skip-build --no-parallel "${filters[@]}" | tee "$output.alone"
        status=${PIPESTATUS[0]}
        # A filter that finds no test would pass without having shown anything.
        grep -qaE 'Test run with [1-9][0-9]* tests? ' "$output.alone" || status=1
        [ "$status" -eq 0 ] && printf 'Failed beside the others and passed alone: %s\n' "${failed[@]}"
        cat "$output.alone" >>"$output"
    fi
fi

echo
scripts/check-skips.sh "$output" || status=1
[ "$status" -eq 0 ] && echo "All tests passed." || echo "Tests failed; the whole output is in $output."
exit "$status"
