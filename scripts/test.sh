#!/usr/bin/env bash
# Runs every test, then lists what was skipped and why. A test that skips something prints a line "skipped: …"; with CI set, only what
# Tests/allowed-skips.txt names may be.
set -uo pipefail
cd "$(dirname "$0")/.."

output=.build/test-output.txt
mkdir -p .build
"${SWIFT:-swift}" test --disable-xctest "$@" 2>&1 | tee "$output"
status=${PIPESTATUS[0]}

echo
scripts/check-skips.sh "$output" || status=1
[ "$status" -eq 0 ] && echo "All tests passed." || echo "Tests failed; the whole output is in $output."
exit "$status"
