#!/usr/bin/env bash
# fuzz.sh SECONDS [NAME …]: runs each fuzzer, or these, for so long, with libFuzzer and AddressSanitizer. Seeds come from fixtures/; what is
# found on the way stays in .build/fuzz-corpus for the next time. An input that crashes, hangs, grows too large or breaks a promise is kept
# in Tests/DissectionTests/Crashers/Inputs/NAME (those of the console in Tests/WebConsoleTests/Crashers), where a test replays it from then on.
# `payloads` tries all payload formats in one run, `payloads/mqtt` that one alone, and `formats` each of them for so long, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: fuzz.sh SECONDS [NAME …]}
shift
[ $# -gt 0 ] || set -- capture-file packets http1 websocket http2 hpack tls payloads console console-requests

# The fuzzers are part of the package only where this is set (Package.swift).
export UNMASK_FUZZ=1
build=.build/fuzz
"${SWIFT:-swift}" build -c release --scratch-path "$build" --sanitize=address --product unmask-fuzz

# Swift's own report of a crash would come before libFuzzer's and keep it from writing the input down.
export SWIFT_BACKTRACE=enable=no
targets=()
for name in "$@"; do
    if [ "$name" = formats ]; then mapfile -t -O "${#targets[@]}" targets < <(python3 scripts/fuzz_seeds.py --formats); else targets+=("$name"); fi
done

found=0
for target in "${targets[@]}"; do
    name=${target%%/*}
    corpus=.build/fuzz-corpus/$target crashers=Tests/DissectionTests/Crashers/Inputs/$name
    case $name in console*) crashers=Tests/WebConsoleTests/Crashers/$name ;; esac
    mkdir -p "$corpus" "$crashers"
    python3 scripts/fuzz_seeds.py "$name" "$corpus"
    unset UNMASK_FUZZ_FIRST
    if [ "$target" != "$name" ]; then
        # The first byte of an input chooses the format.
        UNMASK_FUZZ_FIRST=$(python3 scripts/fuzz_seeds.py --number "${target#*/}")
        export UNMASK_FUZZ_FIRST
    fi
    longest=16384
    [ "$name" = packets ] && longest=65536
    echo "fuzzing $target for $seconds s"
    if ! "$build/release/unmask-fuzz" "$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 -max_len="$longest" \
        -print_final_stats=1 -artifact_prefix="$crashers/" "$corpus" </dev/null; then
        echo "$target: found something; the input is in $crashers" >&2
        found=1
    fi
    rmdir "$crashers" 2>/dev/null || true
done
exit "$found"
