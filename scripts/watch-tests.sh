#!/usr/bin/env bash
# Watches a run of the tests, and ends what hangs, so that the run says which test it was.
#
#   watch-tests.sh NUMBER OUTPUT [SECONDS]
#
# NUMBER is a file that gets the number of the process that runs the tests, OUTPUT the file that takes what they print. Where nothing is printed for SECONDS (600), the programs that the tests
# have started are listed and ended: whoever waits for one fails by name and the rest goes on. Where that was no help, the tests themselves are
# ended after as long again, with the names of those that had begun. Comes to its end with the tests.
set -uo pipefail

number=$1 output=$2 limit=${3:-600}
for _ in {1..100}; do [ -s "$number" ] && break; sleep 0.1; done
tests=$(cat "$number")

# The processes below $1, those below them, and so on, one a line: number and command.
below() {
    ps -A -o pid= -o ppid= -o args= | awk -v root="$1" '
        { parent[$1] = $2; line = $0; sub(/^ *[0-9]+ +[0-9]+ +/, "", line); command[$1] = line }
        END {
            for (process in parent) {
                at = process
                for (steps = 0; steps < 64 && (at in parent) && at != root; steps++) at = parent[at]
                if (at == root && process != root) print process, command[process]
            }
        }'
}

# Names that begin with a test's sign and have no end.
begun() {
    awk '
        /^◇ Test .* started\.$/ && !/^◇ Test (case|run) / { name = $0; sub(/^◇ Test /, "", name); sub(/ started\.$/, "", name); open[name] = 1 }
        /^(✔|✘) Test .* (passed|failed) after / { name = $0; sub(/^(✔|✘) Test /, "", name); sub(/ (with [0-9]+ test cases? )?(passed|failed) after .*$/, "", name); delete open[name] }
        END { for (name in open) print "  " name }' "$output" | sort
}

size=-1 quiet=0 ended=0
while kill -0 "$tests" 2>/dev/null; do
    sleep 1
    now=$(wc -c <"$output" 2>/dev/null || echo 0)
    if [ "$now" -ne "$size" ]; then
        size=$now quiet=0 ended=0
        continue
    fi
    quiet=$((quiet + 1))
    [ "$quiet" -ge "$limit" ] || continue
    quiet=0
    running=$(below "$tests")
    if [ "$ended" -eq 0 ] && [ -n "$running" ]; then
        ended=1
        echo "No test has printed anything for $limit s. These programs of theirs are ended:"
        sed 's/^/  /' <<<"$running"
        # By number and once: what starts anew has a number of its own.
        awk '{ print $1 }' <<<"$running" | xargs kill -9 2>/dev/null
    else
        echo "No test has printed anything for $limit s. These had begun, and are ended with all others:"
        begun
        kill -9 "$tests" 2>/dev/null
    fi
done
