#!/usr/bin/env bash
# Measures how fast `unmask read` reads, and in how much memory: CPU seconds, packets a CPU second, megabytes a CPU second, peak
# memory, and whether the bar was reached; then what filters cost beside that. Median of three runs on one core each; the release build has to be there.
#
# The load is that of $UNMASK_BENCH (2.2 GB, made once in a scratch folder and used again) or, where that is absent, a small one of
# our own, on which the bars say less; in both cases with three captures of ours, of TLS, of HTTP/2 and of JSON that is decoded, that are held against
# tshark where it is there. bench.sh [--peer] [--runs N] [--only small,bulk,…]; --peer measures tshark beside us on all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

unmask=$PWD/.build/release/unmask
runs=3 only="" peer=""
while [ $# -gt 0 ]; do
    case "$1" in
    --peer) peer=yes ;;
    --runs) runs=$2; shift ;;
    --only) only=$2; shift ;;
    *) echo "usage: bench.sh [--peer] [--runs N] [--only small,bulk,…]" >&2; exit 2 ;;
    esac
    shift
done
[ -x "$unmask" ] || { echo "There is no release build; run: make release" >&2; exit 1; }

if [ -n "${UNMASK_BENCH:-}" ] && [ -x "${UNMASK_BENCH}/setup.sh" ]; then
    scratch=${UNMASK_BENCH_SCRATCH:-${TMPDIR:-/tmp}/unmask-bench}
    if ! [ -e "$scratch/caps/mixed.pcap.truth.json" ]; then
        echo "making the load in $scratch (2.2 GB, once)"
        "$UNMASK_BENCH/setup.sh" "$scratch" >/dev/null
        "$scratch/make_caps.sh" >/dev/null
    fi
    folder=$scratch/caps
else
    echo "UNMASK_BENCH is not set: measuring a small load of our own."
    folder=$PWD/.build/bench
    mkdir -p "$folder"
    python3 scripts/bench_load.py "$folder"
fi

# Captures of our own beside either load.
python3 scripts/bench_http_load.py "$folder"

arguments=(--unmask "$unmask" --captures "$folder" --runs "$runs")
[ -n "$only" ] && arguments+=(--only "$only")
[ -n "$peer" ] && arguments+=(--peer)
status=0
python3 scripts/bench_read.py "${arguments[@]}" || status=1
echo
python3 scripts/bench_filter.py --unmask "$unmask" --captures "$folder" --runs "$runs" || status=1
echo
echo "What each output costs beside records:"
python3 scripts/bench_outputs.py --unmask "$unmask" --captures "$folder" --runs "$runs" || status=1
exit $status
