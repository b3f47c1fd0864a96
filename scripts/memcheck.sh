#!/usr/bin/env bash
# Runs the release program under valgrind's memcheck: every capture of fixtures/ through each form of output, and a proxy in use, with TLS
# and without. Any invalid access, bad free or use of a value that was not set fails, those excepted that scripts/memcheck.supp explains.
# The answer to a fault that only the optimised program had: memory was read after it had been freed, and each debug build was clean.
#
# memcheck.sh [--short] [UNMASK]: --short takes the forms that reach most of the code, and the proxy; for continuous integration.
set -uo pipefail
cd "$(dirname "$0")/.."

short=
[ "${1:-}" = --short ] && short=1 && shift
unmask=${1:-$PWD/.build/release/unmask}
[ -x "$unmask" ] || { echo "There is no release build; run: make release" >&2; exit 1; }
if ! command -v valgrind >/dev/null; then
    echo "skipped: memory of the release program (valgrind is missing)"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Valgrind gives up at the debugging information of a program of this size. The names of functions stay.
strip -g -o "$folder/unmask" "$unmask"
checked=(valgrind -q --error-exitcode=99 --num-callers=24 --suppressions=scripts/memcheck.supp --log-file="$folder/valgrind.%p" "$folder/unmask")
captures=(fixtures/*/capture.pcap fixtures/*/capture.pcapng)
keys=fixtures/tls-keys/keys.log
failed=0
# Seconds for one run: what hangs is an error, not a wait.
limit=${MEMCHECK_SECONDS:-300}

report() {
    cat "$folder"/valgrind.* 2>/dev/null | head -n 120
    failed=1
}

# What is read, and how: only 99, the status that valgrind gives for an error, and a crash or a hang count; captures may have findings.
run() {
    local name=$1 start=$SECONDS status
    shift
    rm -f "$folder"/valgrind.*
    timeout --kill-after=5 "$limit" "${checked[@]}" "$@" >"$folder/output" 2>"$folder/errors"
    status=$?
    if [ "$status" -eq 99 ] || [ "$status" -ge 124 ]; then
        printf '%-28s FAILED (%d)\n' "$name" "$status"
        report
    elif [ "$status" -eq 2 ]; then
        printf '%-28s was not understood: %s\n' "$name" "$(head -n 3 "$folder/errors")"
        failed=1
    else
        printf '%-28s %4d s\n' "$name" $((SECONDS - start))
    fi
}

run "records" read --format ndjson --frames "${captures[@]}"
run "records, decoded, with keys" read --format ndjson --decoded --keys $keys "${captures[@]}"
run "text" read "${captures[@]}"
if [ -z "$short" ]; then
    run "text in full" read --full --headers --keys $keys "${captures[@]}"
    run "text, as it comes" read --follow --frames "${captures[@]}"
    run "JSON" read --format json --payload preview "${captures[@]}"
    run "a small memory" read --format ndjson --memory 16M "${captures[@]}"
    run "filter and search" read --format ndjson -Y 'tcp.port == 8080 or http' --grep '[a-z]+ing' --ignore-case "${captures[@]}"
    run "redaction" read --format ndjson --decoded --redact --redact-pattern 'tok[a-z]+' "${captures[@]}"
    run "files beside" read --stats --log "$folder/log.ndjson" --har "$folder/out.har" --csv "$folder/out.csv" \
        --save "$folder/out.session" -w "$folder/out.pcapng" --keys $keys "${captures[@]}"
    run "plaintext recording" read --stats -w "$folder/plain.pcapng" --decrypted --keys $keys "${captures[@]}"
    run "a log" read --decoded "$folder/log.ndjson"
    run "a session file" read --decoded "$folder/out.session"
    run "list" list --sort bytes "${captures[@]}"
    run "check" check --format sarif "${captures[@]}"
    run "stats" stats "${captures[@]}"
    run "diff" diff fixtures/websockets-plain/capture.pcapng fixtures/websockets-deflate/capture.pcapng
    run "extract" extract --to "$folder/parts" --keys $keys "${captures[@]}"
fi

for way in plain tls; do
    start=$SECONDS
    rm -f "$folder"/valgrind.*
    if timeout --kill-after=5 "$limit" python3 scripts/memcheck_proxy.py "$way" "$folder" -- "${checked[@]}"; then
        printf '%-28s %4d s\n' "proxy, $way" $((SECONDS - start))
    else
        printf '%-28s FAILED\n' "proxy, $way"
        report
    fi
done

[ "$failed" -eq 0 ] && echo "No invalid access, and no use of a value that was not set."
exit "$failed"
