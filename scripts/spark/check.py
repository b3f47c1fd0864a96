#!/usr/bin/env python3
"""Holds the tables of captures_to_parquet.py against what `unmask` prints: for each capture as many records of each kind, counted by
DuckDB, and with --values every value of every record.

    check.py --unmask unmask [--options=--decoded] [--values] OUT

Exit status: 0 when they are the same, 1 otherwise.
"""

import argparse
import collections
import datetime
import json
import pathlib
import shlex
import subprocess
import sys

import duckdb

OF_THE_RUN = ("capture", "end")
# What the table adds to a record.
ADDED = ("capture", "line", "nanoseconds", "day", "_corrupt_record")


def printed(unmask, options, capture):
    """The records of a capture as unmask prints them, and its exit code."""
    command = [unmask, "read", "--profile", "none", "--format", "ndjson", *options, "--", capture]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        for line in run.stdout:
            yield json.loads(line)
    yield run.returncode


def plain(value):
    """A value of the table as it was in the log: keys without a value left out."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if one is not None}
    return [plain(one) for one in value] if isinstance(value, list) else value


def as_in_the_table(record):
    """A record of the log with what the table holds differently."""
    record = dict(record)
    for key in ("framing", "decoded"):
        if isinstance(record.get(key), dict):
            record[key] = json.dumps(record[key], sort_keys=True)
    if "opcode" in record:
        record["opcode"] = str(record["opcode"])
    return record


def as_in_the_log(row):
    """A row of the table with the keys of its record; the time from the nanoseconds, all nine places of it."""
    moment = row["nanoseconds"]
    row = plain({key: value for key, value in row.items() if key not in ADDED and key != "time"})
    for key in ("framing", "decoded"):
        if row.get(key, "").startswith("{"):
            row[key] = json.dumps(json.loads(row[key]), sort_keys=True)
    if moment is not None:
        row["time"] = f"{datetime.datetime.fromtimestamp(moment // 1_000_000_000, datetime.timezone.utc):%Y-%m-%dT%H:%M:%S}.{moment % 1_000_000_000:09}Z"
    return row


def values(database, capture, records):
    """The lines of a capture whose values are not the same in the table; with the rows of the table and of the log by line."""
    found = database.execute("SELECT * FROM records WHERE capture = ? ORDER BY line", [capture])
    names = [column[0] for column in found.description]
    rows = {row[names.index("line")]: as_in_the_log(dict(zip(names, row))) for row in found.fetchall()}
    expected = {line: as_in_the_table(record) for line, record in records}
    return [line for line in expected.keys() | rows.keys() if expected.get(line) != rows.get(line)], rows, expected


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unmask", required=True)
    parser.add_argument("--options", default="")
    parser.add_argument("--values", action="store_true", help="compare every value; for small captures")
    parser.add_argument("out")
    options = parser.parse_args()
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    counted = collections.defaultdict(dict)
    # Where no capture has a record, there is no file.
    there = next(pathlib.Path(options.out, "records").glob("*/*/*.parquet"), None)
    table = f"SELECT * FROM read_parquet('{options.out}/records/*/*/*.parquet', hive_partitioning = true)" if there else "SELECT '' AS capture, '' AS kind, 0 AS line WHERE false"
    database.execute(f"CREATE {'TABLE' if options.values else 'VIEW'} records AS {table}")
    for capture, kind, count in database.execute("SELECT capture, kind, count(*) FROM records GROUP BY ALL").fetchall():
        counted[capture][kind] = count
    captures = database.execute(f"SELECT capture, exit FROM read_parquet('{options.out}/captures/*.parquet') ORDER BY capture").fetchall()
    errors = dict(database.execute(f"SELECT capture, exit FROM read_parquet('{options.out}/errors/*.parquet')").fetchall())

    wrong = records = failed = 0
    for capture, exit_code in captures:
        kinds, kept, code = collections.Counter(), [], None
        for number, record in enumerate(printed(options.unmask, shlex.split(options.options), capture), 1):
            if isinstance(record, int):
                code = record
            elif record["kind"] not in OF_THE_RUN:
                kinds[record["kind"]] += 1
                if options.values:
                    kept.append((number, record))
        records += kinds.total()
        failed += code != 0
        if code != errors.get(capture, 0):
            print(f"{capture}: unmask ended with exit code {code}, the table of errors has {errors.get(capture)}")
            wrong += 1
        elif dict(kinds) != counted[capture] or code != exit_code:
            print(f"{capture}: unmask printed {dict(kinds)} with exit code {code}, the tables have {counted[capture]} with {exit_code}")
            wrong += 1
        elif options.values:
            differing, rows, expected = values(database, capture, kept)
            if differing:
                print(f"{capture}: {len(differing)} records differ, the first:\n  log   {expected.get(min(differing))}\n  table {rows.get(min(differing))}")
                wrong += 1
    print(f"{len(captures)} captures, {failed} of them with an exit code other than 0, {records} records, {wrong} captures differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
