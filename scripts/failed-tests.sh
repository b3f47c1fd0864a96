#!/usr/bin/env bash
# Lists the tests that failed, as patterns for `swift test --filter`, one a line.
#
#   failed-tests.sh REPORT
#
# REPORT is what `swift test --xunit-output` wrote: a <testcase classname="Module.Suite.Inner" name="function(_:)"> that holds a <failure>.
# The filter's name of the same test is Module.Suite/Inner/function(_:).
set -uo pipefail

awk '
/<testcase / {
    match($0, /classname="[^"]*"/); class = substr($0, RSTART + 11, RLENGTH - 12)
    match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8)
}
/<failure/ && name != "" {
    pattern = class "/" name
    gsub(/[.\/]/, "[./]", pattern); gsub(/[()]/, "[&]", pattern)
    print "^" pattern
    name = ""
}' "$1" | sort -u
