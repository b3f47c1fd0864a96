#!/usr/bin/env python3
"""Runs the recipes of docs/user-guide.md for Spark and ClickHouse over the log of a fixture, as they stand there, and holds what they
count against the log. ClickHouse is the one inside chDB.

    recipes.py --unmask unmask
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import chdb

PROJECT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = PROJECT / "fixtures/chromium-websocket/capture.pcapng"


def block(language, text):
    """The code in a block of the guide that holds a text."""
    page = (PROJECT / "docs/user-guide.md").read_text(encoding="utf-8")
    return next(code for code in re.findall(rf"```{language}\n(.*?)\n```", page, re.DOTALL) if text in code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unmask", required=True)
    options = parser.parse_args()
    log = subprocess.run([options.unmask, "read", "--profile", "none", "--format", "ndjson", CAPTURE], stdout=subprocess.PIPE, check=True, timeout=60).stdout
    expected, first = collections.Counter(), {}
    for record in map(json.loads, log.splitlines()):
        if record["kind"] == "message":
            who = record["conversation"], record["from"]
            expected[who] += 1
            first[who] = min(first.get(who, "9"), record["time"])

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("proxy.ndjson").write_bytes(log)
        shown = subprocess.run([sys.executable, "-c", block("python", "import SparkSession")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               check=True, timeout=300).stdout
        spark = {(int(number), side): int(count) for number, side, count in re.findall(r"\|\s*(\d+)\|\s*(client|server)\|\s*(\d+)\|", shown)}
        rows = [json.loads(row) for row in str(chdb.query(block("sql", "JSONEachRow"), "JSONCompactEachRow")).splitlines()]
    clickhouse = {(int(number), side): int(count) for number, side, count, _ in rows}
    times = {(int(number), side): f"{time.replace(' ', 'T')}Z" for number, side, _, time in rows}
    right = spark == clickhouse == expected and times == first
    print(f"the recipes for Spark and ClickHouse count {expected.total()} messages" if right else f"expected {expected}, Spark {spark}, ClickHouse {rows}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
