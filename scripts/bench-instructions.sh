#!/usr/bin/env bash
# Measures what `unmask read --format ndjson` costs, in numbers that do not depend on what else the machine does, and holds them against
# scripts/costs.txt: instructions of four small captures, counted by valgrind's callgrind, and the peak of memory of three larger ones.
#
#   bench-instructions.sh [--update] [UNMASK]
#
# --update writes the numbers to scripts/costs.txt instead. What the start of the program takes is left out of the instructions: each capture is
# read once and 21 times, and the difference counts.
set -euo pipefail
cd "$(dirname "$0")/.."

update=""
if [ "${1:-}" = --update ]; then update=yes; shift; fi
unmask=${1:-$PWD/.build/release/unmask}

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "What reading costs is not measured: the numbers in scripts/costs.txt are those of Linux on x86-64."
    exit 0
fi
[ -x "$unmask" ] || { echo "There is no release build; run: make release" >&2; exit 1; }
for program in valgrind /usr/bin/time; do
    command -v "$program" >/dev/null && continue
    # As a test says it: scripts/check-skips.sh fails for it where CI is set.
    echo "skipped: what reading costs ($program is missing)"
    exit 0
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Valgrind gives up at the debugging information of a program of this size, and needs none of it to count.
strip -g -o "$scratch/unmask" "$unmask"

# The C library picks its functions by what the processor can do, and Swift a seed for its tables in each run: both are held still.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-BMI2,-ERMS,-FSRM
export SWIFT_DETERMINISTIC_HASHING=1

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/unmask" read --format ndjson "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }' | tr -d ,
}

for capture in fixtures/{chromium-websocket,curl-nginx-http,tls-nginx,http2-grpc}/capture.pcapng; do
    many=()
    for _ in $(seq 21); do many+=("$capture"); done
    count "$capture" >"$scratch/one" &
    count "${many[@]}" >"$scratch/many"
    wait $!
    echo "instructions $(basename "$(dirname "$capture")") $((($(<"$scratch/many") - $(<"$scratch/one")) / 20))"
done >"$scratch/measured"
PYTHONDONTWRITEBYTECODE=1 python3 scripts/cost_memory.py "$scratch/unmask" >>"$scratch/measured"

if [ -n "$update" ]; then
    grep '^#' scripts/costs.txt >"$scratch/costs"
    cat "$scratch/measured" >>"$scratch/costs"
    cat "$scratch/costs" >scripts/costs.txt
    cat "$scratch/measured"
else
    scripts/check-costs.sh "$scratch/measured"
fi
