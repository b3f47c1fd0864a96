#!/usr/bin/env bash
# Holds what was measured against what is allowed, and fails where a cost has grown too much, or where one of them names what the other lacks.
#
#   check-costs.sh MEASURED [ALLOWED]
#
# Lines of both are "instructions NAME NUMBER" and "memory NAME NUMBER"; ALLOWED is scripts/costs.txt where it is not given. Instructions may grow by
# 2 %, memory by 5 %. What fell by more than that is reported, so that its number is lowered and the next growth is seen.
set -uo pipefail

awk '
function grown(to, from) { return 100 * (to - from) / from }
BEGIN { most["instructions"] = 2; most["memory"] = 5; printf "%-14s %-20s %12s %12s %8s\n", "cost", "capture", "allowed", "measured", "" }
/^#/ || NF == 0 { next }
NF != 3 || !($1 in most) || $3 <= 0 { printf "%s: not a cost: %s\n", FILENAME, $0; bad = 1; next }
{ key = $1 " " $2 }
FILENAME == ARGV[1] { allowed[key] = $3; order[++count] = key; next }
{ measured[key] = $3; if (!(key in allowed)) { printf "%s is in no line of the file; it was measured as %d\n", key, $3; bad = 1 } }
END {
    for (number = 1; number <= count; number++) {
        key = order[number]; split(key, part, " ")
        if (!(key in measured)) { printf "%s was not measured\n", key; bad = 1; continue }
        change = grown(measured[key], allowed[key])
        verdict = change > most[part[1]] ? "  TOO MUCH" : change < -most[part[1]] ? "  lower the number" : ""
        if (change > most[part[1]]) grew = 1
        if (change < -most[part[1]]) fell = 1
        printf "%-14s %-20s %12d %12d %+7.2f%%%s\n", part[1], part[2], allowed[key], measured[key], change, verdict
    }
    if (!count) { print "nothing is measured"; bad = 1 }
    if (grew) print "Reading costs more than scripts/costs.txt allows. A commit that needs it changes the number (make bench-instructions UPDATE=1) and says why."
    if (fell) print "Reading costs less than scripts/costs.txt says: please lower the number (make bench-instructions UPDATE=1)."
    exit grew || bad
}' "${2:-$(dirname "$0")/costs.txt}" "$1"
