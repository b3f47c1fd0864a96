#!/usr/bin/env bash
# Builds the package of docs/examples/library as one that depends on this one, with plain settings, and runs its tests: what other programs import
# compiles for them, and says of a recording what it says in the docs. 85 seconds on two cores from nothing, a few afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
package=docs/examples/library
scratch=$PWD/.build/example
printed=.build/example-output.txt
mkdir -p .build

# Everything that is printed is shown where something fails, and else the line that counts.
fail() {
    cat "$printed"
    echo "The example of the library ($package) failed: $1"
    exit 1
}
"$swift" build --build-tests --package-path "$package" --scratch-path "$scratch" -debug-info-format none >"$printed" 2>&1 || fail "it does not compile"
# As in test.sh: a program of its own, but on macOS.
tests=("$(find "$scratch/debug/" -maxdepth 1 -name '*PackageTests.xctest' -type f)" --testing-library swift-testing)
[ -n "${tests[0]}" ] || tests=("$swift" test --disable-xctest --skip-build --package-path "$package" --scratch-path "$scratch")
"${tests[@]}" >>"$printed" 2>&1 || fail "its tests do not pass"
ended=$(sed $'s/\e\\[[0-9;]*m//g' "$printed" | grep -oE 'Test run with [1-9].* passed' | tail -n 1) || fail "no test ran"
echo "The example of the library: ${ended#Test run with }."
