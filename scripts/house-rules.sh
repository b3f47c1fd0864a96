#!/usr/bin/env bash
# Runs the tests of the rules of the house (HouseRulesTests), with the test program that was built last: they read the sources as they are now, and need no
# build for that. Where none was built it says what builds one, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

newest=
for program in .build/debug/*PackageTests.xctest .build/tests/debug/*PackageTests.xctest; do
    [ -f "$program" ] || continue
    [ -n "$newest" ] && [ "$newest" -nt "$program" ] || newest=$program
done
if [ -z "$newest" ]; then
    echo "The rules of the house were not checked: no test was built. Build them once: ${SWIFT:-swift} build --build-tests" >&2
    exit 1
fi
exec "$newest" --testing-library swift-testing --filter HouseRules
