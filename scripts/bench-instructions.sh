#!/usr/bin/env bash
# Counts the instructions that `unmask read --format ndjson` takes for three small captures, with valgrind's callgrind: a number that does not depend
# on what else the machine does, to hold one commit against another with. What the start of the program takes is left out: each capture is
# read once and a hundred and one times, and the difference counts. bench-instructions.sh [UNMASK]
set -euo pipefail
cd "$(dirname "$0")/.."

unmask=${1:-$PWD/.build/release/unmask}
[ -x "$unmask" ] || { echo "There is no release build; run: make release" >&2; exit 1; }
command -v valgrind >/dev/null || { echo "valgrind is missing" >&2; exit 1; }

# Valgrind gives up at the debugging information of a program of this size, and needs none of it to count.
bare=$(mktemp)
trap 'rm -f "$bare"' EXIT
strip -g -o "$bare" "$unmask"
chmod +x "$bare"

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bare" read --format ndjson "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }' | tr -d ,
}

printf '%-24s %8s %14s %10s\n' capture packets instructions 'a packet'
for capture in fixtures/{chromium-websocket,curl-nginx-http,tls-nginx}/capture.pcapng; do
    many=()
    for _ in $(seq 101); do many+=("$capture"); done
    total=$((($(count "${many[@]}") - $(count "$capture")) / 100))
    packets=$("$bare" read --format ndjson "$capture" | awk -F'"packets":' '/"kind":"end"/ { print $2 + 0 }')
    printf '%-24s %8d %14d %10d\n' "$(basename "$(dirname "$capture")")" "$packets" "$total" $((total / packets))
done
