#!/usr/bin/env python3
"""Measures what each output of `unmask read` costs beside records: CPU seconds of one run, and how many times those of `--format ndjson`.

The forms are run one after another in each round, so that what else the machine does meets all of them; the least of the rounds counts. The last row
has text, a log, an HTTP archive and a session file in one run, beside the dearest of them alone. Prints `FAILED` where a form is over its bar, and ends
with 1 then."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

# What each form may cost at most, in runs of `--format ndjson`.
FORMS = [
    ("ndjson", ["read", "--format", "ndjson"], None),
    ("text", ["read"], 2.0),
    ("decoded", ["read", "--format", "ndjson", "--decoded"], 2.5),
    ("stats", ["stats"], 1.3),
    ("save", ["read", "--format", "ndjson", "--save", "{folder}/a.unmask"], 2.5),
    ("redact", ["read", "--format", "ndjson", "--redact"], 2.5),
    ("csv", ["read", "--format", "csv"], 1.3),
    ("html", ["read", "--format", "html"], 4.0),
    ("har", ["read", "--har", "{folder}/a.har"], None),
    ("session", ["read", "--save", "{folder}/b.unmask"], None),
    ("together", ["read", "--log", "{folder}/a.ndjson", "--har", "{folder}/b.har", "--save", "{folder}/c.unmask"], None),
]
TOGETHER_MOST = 1.3


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unmask", required=True)
    parser.add_argument("--captures", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="small,deflate,manyconn")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.only.split(","):
        capture = os.path.join(arguments.captures, name + ".pcap")
        if not os.path.exists(capture):
            continue
        least = {}
        for _ in range(arguments.runs):
            for form, command, _ in FORMS:
                with tempfile.TemporaryDirectory() as folder:
                    words = [word.replace("{folder}", folder) for word in command]
                    seconds = cpu_seconds([arguments.unmask, *words, capture])
                    least[form] = min(seconds, least.get(form, seconds))
        print(f"{name}.pcap: CPU seconds, and times those of records")
        for form, _, most in FORMS:
            times = least[form] / least["ndjson"]
            verdict = "" if most is None else f"  at most {most:.1f}" + ("" if times <= most else "  FAILED")
            failed = failed or "FAILED" in verdict
            print(f"  {form:10} {least[form]:6.2f} s {times:6.2f}{verdict}")
        dearest = max(least[form] for form in ("text", "har", "session"))
        times = least["together"] / dearest
        failed = failed or times > TOGETHER_MOST
        print(f"  together, beside the dearest alone: {times:.2f}, at most {TOGETHER_MOST}{'' if times <= TOGETHER_MOST else '  FAILED'}")
    sys.exit(1 if failed else 0)


main()
