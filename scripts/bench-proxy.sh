#!/usr/bin/env bash
# Measures what `unmask proxy` costs, with its NDJSON log on, beside haproxy: CPU a round trip, a megabyte and an upgrade, memory an idle
# connection, plain and with TLS on both sides; then p99 of a round trip beside haproxy's, whether its log holds all that the load sent, and its
# memory after much on one socket.
# Exits 1 where a bar is missed. The release build has to be there.
#
# The load is that of $UNMASK_BENCH, built once in a scratch folder; without it there is nothing to measure with.
# bench-proxy.sh --help lists the options; for a short run: --runs 1 --secs 1 --count 500 --idle 500 --memory 0
set -euo pipefail
cd "$(dirname "$0")/.."

unmask=${UNMASK:-$PWD/.build/release/unmask}
[ -x "$unmask" ] || { echo "There is no release build; run: make release" >&2; exit 1; }
if [ -z "${UNMASK_BENCH:-}" ] || ! [ -x "$UNMASK_BENCH/setup.sh" ]; then
    echo "skipped: UNMASK_BENCH names no folder with the load generator"
    exit 0
fi
scratch=${UNMASK_BENCH_SCRATCH:-${TMPDIR:-/tmp}/unmask-bench}
[ -x "$scratch/wsbench" ] && [ -e "$scratch/bench_proxy.py" ] && [ -e "$scratch/tls/srv.crt" ] || "$UNMASK_BENCH/setup.sh" "$scratch" >/dev/null
exec python3 scripts/bench_proxy_costs.py --unmask "$unmask" --scratch "$scratch" "$@"
