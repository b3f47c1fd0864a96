#!/usr/bin/env bash
# Makes fixtures/*/capture.pcap (or .pcapng, where the text says so) and fixtures/symptoms/*.pcap from the wire texts beside them, those excepted that say `capture large`.
set -euo pipefail
cd "$(dirname "$0")/.."

for talk in fixtures/*/talk.wire fixtures/symptoms/*.wire; do
    grep -q '^capture large' "$talk" && continue
    case $talk in
    fixtures/symptoms/*) capture=${talk%.wire}.pcap ;;
    *) capture=$(dirname "$talk")/capture.pcap$(grep -q '^capture pcapng' "$talk" && echo ng || true) ;;
    esac
    python3 scripts/wiretext.py "$talk" "$capture.new"
    # The same bytes keep the old file, and its time.
    if cmp -s "$capture.new" "$capture"; then rm "$capture.new"; else mv "$capture.new" "$capture"; fi
done
