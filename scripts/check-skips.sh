#!/usr/bin/env bash
# Lists what a run of the tests skipped, and with CI set fails where it skipped something that Tests/allowed-skips.txt does not allow:
# a test that did not run has shown nothing.
#
#   check-skips.sh OUTPUT [ALLOWED]
#
# OUTPUT is what the tests printed; a skip is a line of it that holds "skipped: ". A line of ALLOWED is the beginning of a skip.
set -uo pipefail

output=$1
allowed=${2:-$(dirname "$0")/../Tests/allowed-skips.txt}

skips=$(sed -n 's/^.*skipped: //p' "$output" | sort -u)
if [ -z "$skips" ]; then
    echo "Nothing was skipped."
    exit 0
fi
echo "Skipped:"
sed 's/^/  /' <<<"$skips"
[ -n "${CI:-}" ] || exit 0

status=0
while IFS= read -r skip; do
    while IFS= read -r beginning; do
        case "$beginning" in "" | "#"*) continue ;; esac
        [[ "$skip" == "$beginning"* ]] && continue 2
    done <"$allowed"
    echo "Not allowed where CI is set: $skip"
    status=1
done <<<"$skips"
exit "$status"
