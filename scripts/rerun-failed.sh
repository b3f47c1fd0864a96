#!/usr/bin/env bash
# Runs the tests that failed beside the others once more, alone, where they are one to three, and says what that shows.
#
#   rerun-failed.sh REPORT OUTPUT [SEEN]
#
# REPORT is what `swift test --xunit-output` wrote, OUTPUT what the tests printed; what the second run prints is added to it. What fails again
# has failed. What passes alone is a race, or measures what a busy machine changes: once is an accident that is written to SEEN
# (Tests/seen-flaky.txt), to be committed; the second time within seven days fails the run, until somebody mends the test or the program.
# Continuous integration starts from what is committed, so there it is the committed SEEN that counts.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

report=$1 output=$2 seen=${3:-$here/../Tests/seen-flaky.txt}
days=7

mapfile -t failed < <("$here/failed-tests.sh" "$report")
echo
echo "What failed:"
awk '/^✘ Test .* recorded an issue/ { told = 1; print; next } /^↳/ { if (told) print; next } { told = 0 }' "$output" | head -n 100
[ "${#failed[@]}" -ge 1 ] && [ "${#failed[@]}" -le 3 ] || exit 1

echo
echo "Once more, alone:"
command=("${SWIFT:-swift}" test)
[ -n "${TEST_SCRATCH:-}" ] && command+=(--scratch-path "$TEST_SCRATCH")
command+=(--disable-xctest --skip-build --no-parallel)
for line in "${failed[@]}"; do command+=(--filter "${line%%$'\t'*}"); done
[ -n "${CI:-}" ] && command -v timeout >/dev/null && command=(timeout --kill-after=10 900 "${command[@]}")
"${command[@]}" 2>&1 | tee "$output.alone"
status=${PIPESTATUS[0]}
# A filter that finds no test would pass without having shown anything.
grep -qaE 'Test run with [1-9][0-9]* tests? ' "$output.alone" || status=1
cat "$output.alone" >>"$output"
[ "$status" -eq 0 ] || exit 1

today=$(date -u +%F)
oldest=$(date -u -d "$today - $days days" +%F 2>/dev/null || date -u -v-"$days"d +%F)
kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
# Comments, and what was seen within the days that count.
[ -e "$seen" ] && awk -F '\t' -v oldest="$oldest" '/^#/ || /^$/ || $1 >= oldest' "$seen" >"$kept"

echo
for line in "${failed[@]}"; do
    IFS=$'\t' read -r _ name message <<<"$line"
    before=$(awk -F '\t' -v name="$name" '!/^#/ && $2 == name { print $1 }' "$kept" | tail -n 1)
    if [ -n "$before" ]; then
        echo "Failed beside the others and passed alone, as on $before: $name. It is a race: mend it, and take its lines out of Tests/seen-flaky.txt."
        status=1
    else
        echo "Failed beside the others and passed alone: $name. The next time within $days days fails the run; please commit Tests/seen-flaky.txt."
    fi
    printf '%s\t%s\t%s\n' "$today" "$name" "$message" >>"$kept"
done
cat "$kept" >"$seen"
exit "$status"
