#!/usr/bin/env bash
# Runs every test, then lists what was skipped and why. A test that skips something prints a line "skipped: …"; with CI set, only what
# Tests/allowed-skips.txt names may be, and build and tests together are given TEST_SECONDS (2700): what hangs is an error, not a wait.
set -uo pipefail
cd "$(dirname "$0")/.."

output=.build/test-output.txt
mkdir -p .build
limit=${TEST_SECONDS:-2700}
run=("${SWIFT:-swift}" test --disable-xctest "$@")
[ -n "${CI:-}" ] && command -v timeout >/dev/null && run=(timeout --kill-after=10 "$limit" "${run[@]}")
"${run[@]}" 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
[ "$status" -eq 124 ] && echo "The tests did not end within $limit seconds."

echo
scripts/check-skips.sh "$output" || status=1
[ "$status" -eq 0 ] && echo "All tests passed." || echo "Tests failed; the whole output is in $output."
exit "$status"
