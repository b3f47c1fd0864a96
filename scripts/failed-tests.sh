#!/usr/bin/env bash
# Lists the tests that failed, one a line: a pattern for `swift test --filter`, a name, and what the test said first, with tabs between them.
#
#   failed-tests.sh REPORT
#
# REPORT is what `swift test --xunit-output` wrote: a <testcase classname="Module.Suite.Inner" name="function(_:)"> that holds a <failure>.
# The filter's name of the same test is Module.Suite/Inner/function(_:).
set -uo pipefail

awk '
function attribute(name) {
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
}
function plain(text) {
    gsub(/&#10;|&#13;|&#9;|\t/, " ", text)
    gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text); gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&amp;/, "\\&", text)
    return text
}
/<testcase / { class = plain(attribute("classname")); name = plain(attribute("name")) }
/<failure/ && name != "" {
    pattern = class "/" name
    gsub(/[.\/]/, "[./]", pattern); gsub(/[()?*+|^$]/, "[&]", pattern)
    # A caret that stands first in brackets would mean all others.
    gsub(/\[\^\]/, "\\^", pattern)
    print "^" pattern "\t" class "/" name "\t" substr(plain(attribute("message")), 1, 200)
    name = ""
}' "$1" | sort -u
