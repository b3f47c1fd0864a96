#!/usr/bin/env python3
"""Measures what filters cost beside reading, in CPU seconds: `-Y` against the same reading without it, and `--grep` against ripgrep over the same payloads.

Expressions that pick everything are held against printing everything, those that pick nothing against reading for the totals alone. Runs of a pair take
turns, and the ratio is that of the medians, so that a machine with other work does not decide.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from bench_read import measure

# What is asked, and what is seen of it: all of the messages, or nothing.
EXPRESSIONS = [
    ("by kind", "message or not message", True),
    ("number", "message.length > 0 or not message", True),
    ("port", "tcp.port > 0", True),
    ("address", "ip.addr != 203.0.113.1", True),
    ("text", "not text contains \"no such words\"", True),
    ("regex", "not text matches \"no such words\"", True),
    ("kind, nothing", "http.response.code == 999", False),
    ("number, nothing", "message.length > 99999999", False),
    ("port, nothing", "tcp.port == 1", False),
    ("host, nothing", "http.host == \"nowhere.example\"", False),
    ("text, nothing", "text contains \"no such words\"", False),
    ("regex, nothing", "text matches \"no such words\"", False),
    ("json, nothing", "json[\"no.such\"] == 1", False),
]
PATTERNS = ["no such words", "ord[e]r-\\d+", "[0-9]{12}"]
MOST = 0.10


def pair(one, other, runs, core):
    """CPU seconds of both, as medians of runs that take turns."""
    samples = ([], [])
    for _ in range(runs):
        for command, taken in ((one, samples[0]), (other, samples[1])):
            taken.append(measure(command, core)[0])
    return [statistics.median(taken) for taken in samples]


def payloads(unmask, capture, path):
    """Writes the texts of a capture's messages into a file, a line each."""
    with subprocess.Popen([unmask, "read", "--format", "ndjson", "-Y", "message", str(capture)], stdout=subprocess.PIPE) as run, open(path, "w") as file:
        for line in run.stdout:
            text = json.loads(line).get("text")
            if text is not None:
                file.write(text.replace("\n", " ") + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unmask", required=True)
    parser.add_argument("--captures", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="small")
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    above = 0
    for name in options.only.split(","):
        capture = options.captures / f"{name}.pcap"
        if not capture.exists():
            continue
        read = [options.unmask, "read", "--color", "never"]
        records = read + ["--format", "ndjson"]
        for label, expression, is_all in EXPRESSIONS:
            base = records + [str(capture)] if is_all else read + ["--stats", str(capture)]
            filtered = records + ["-Y", expression] + ([] if is_all else ["--payload", "none"]) + [str(capture)]
            without, with_filter = pair(base, filtered, options.runs, options.core)
            added = with_filter / max(without, 0.001) - 1
            above += added > MOST
            print(f"{name:10}-Y {label:18}{without:7.2f} s without{with_filter:7.2f} s with{added:+8.1%}  at most +{MOST:.0%}", flush=True)
        if not shutil.which("rg"):
            print("skipped: ripgrep, which is not here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "payloads"
            payloads(options.unmask, capture, lines)
            for pattern in PATTERNS:
                # The same reading, which decodes nothing and prints nothing, with and without a search.
                base = records + ["-Y", "http.response.code == 999", str(capture)]
                without, with_search = pair(base, records + ["--grep", pattern, str(capture)], options.runs, options.core)
                ripgrep = measure_ripgrep(pattern, lines, options)
                added = with_search - without
                above += added > ripgrep
                print(f"{name:10}--grep {pattern:14}{added:7.3f} s beside reading, ripgrep {ripgrep:.3f} s over the payloads  at most as much", flush=True)
    return 1 if above else 0


def measure_ripgrep(pattern, lines, options):
    """CPU seconds of ripgrep with one thread, as the median of several runs; that it finds nothing is no failure."""
    command = ["sh", "-c", "rg -j1 -c -e \"$0\" \"$1\" || test $? = 1", pattern, str(lines)]
    return statistics.median(measure(command, options.core)[0] for _ in range(options.runs))


if __name__ == "__main__":
    sys.exit(main())
