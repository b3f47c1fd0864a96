#!/usr/bin/env python3
"""Spreads captures over Spark's tasks, reads them with `unmask`, and lands the records as Parquet by day and kind.

    spark-submit --py-files log_schema.py,capture_files.py,reading.py captures_to_parquet.py --unmask unmask --out OUT FOLDER…
    spark-submit … captures_to_parquet.py --list names.txt --fetch 'aws s3 cp {} -' --out s3a://bucket/talk

OUT/records has a row a record, in folders day=…/kind=…; OUT/captures a row a capture with its exit code and totals; OUT/errors the
captures that could not be read to their end and the records that Spark could not read. docs/at-scale.md describes the columns.

Exit status: 0 when everything was read, 1 when OUT/errors has rows or rows are missing, 2 for wrong use.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructType

import capture_files
import log_schema
import reading

CAPTURES = """capture STRING, exit INT, error STRING, records BIGINT, packets BIGINT, conversations BIGINT, messages BIGINT, findings BIGINT, bytes BIGINT,
    skipped MAP<STRING, BIGINT>, seconds DOUBLE, cpuSeconds DOUBLE, peakBytes BIGINT"""
CORRUPT = "_corrupt_record"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="captures in these folders and below, which every machine sees at the same place")
    parser.add_argument("--list", help="a file with a name of a capture a line, perhaps a tab and its size in bytes")
    parser.add_argument("--fetch", metavar="COMMAND", help="what prints a capture, {} being its name; unmask reads it as it comes")
    parser.add_argument("--out", required=True, help="where the tables go; refused if records are there")
    parser.add_argument("--unmask", default="unmask", help="the program on each machine, or the name of one sent with --files")
    parser.add_argument("--options", default="", help="more options of `unmask read`, such as --options='--decoded --redact'")
    parser.add_argument("--task-bytes", type=int, default=128 << 20, help="how much small captures together make a task")
    parser.add_argument("--seconds", type=float, default=3600, help="the most that one capture may take")
    parser.add_argument("--master", help="where Spark runs, if spark-submit does not say so, such as local[2]")
    options = parser.parse_args()
    if bool(options.folders) == bool(options.list):
        parser.error("either folders or --list say which captures")
    for folder in options.folders:
        if not os.path.isdir(folder):
            parser.error(f"{folder} is not a folder")
    return options


def session(master):
    settings = {
        # Few days and kinds come in one task: with a writer for each, nothing is sorted, and records stay in their order.
        "spark.sql.maxConcurrentOutputFileWriters": 256,
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.appName("captures to Parquet")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return (builder.master(master) if master else builder).getOrCreate()


def records(lines, known: StructType):
    """The table of records, from rows of (capture, line, record)."""
    schema = StructType(known.fields[:]).add(CORRUPT, StringType())
    parsed = F.from_json("record", schema, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT})
    of_the_run = F.col("record").startswith('{"kind":"capture",') | F.col("record").startswith('{"kind":"end",')
    table = lines.where(~of_the_run).select("capture", "line", parsed.alias("r")).select("capture", "line", "r.*")
    # Spark's times have six places. The other three are the end of the nanoseconds since 1970.
    time, billionths = F.to_timestamp("time"), F.substring("time", 27, 3).cast("bigint")
    return table.withColumn("nanoseconds", F.unix_micros(time) * 1000 + billionths).withColumn("day", F.to_date(time)).withColumn("time", time)


def main():
    options = arguments()
    places = capture_files.in_list(options.list) if options.list else [one for folder in options.folders for one in capture_files.in_folder(os.path.abspath(folder))]
    captures = sorted(dict(places).items())
    if not captures:
        print("there are no captures", file=sys.stderr)
        sys.exit(2)

    spark = session(options.master)
    spark.sparkContext.setLogLevel("ERROR")
    try:
        schema = json.loads(subprocess.run([reading.program(options.unmask), "schema"], stdout=subprocess.PIPE, check=True, timeout=60).stdout)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"unmask schema: {error}", file=sys.stderr)
        sys.exit(2)
    # Small folders, too, keep everything busy.
    size = sum(size for _, size in captures)
    tasks = capture_files.tasks(captures, min(options.task_bytes, size // spark.sparkContext.defaultParallelism + 1))
    outcomes = spark.sparkContext.accumulator({}, reading.Outcomes())
    read = reading.reader(options.unmask, shlex.split(options.options), options.fetch, options.seconds, outcomes)
    # One slice a task, as they were cut.
    rows = spark.sparkContext.parallelize([(task,) for task in tasks], len(tasks)).toDF("captures ARRAY<STRING>")
    lines = rows.mapInArrow(read, "capture STRING, line BIGINT, record STRING")

    began = time.monotonic()
    table = records(lines, log_schema.record_type(schema))
    table.write.partitionBy("day", "kind").parquet(f"{options.out}/records")
    done = [outcomes.value[name] for name, _ in captures if name in outcomes.value]
    written = spark.read.schema(table.schema).parquet(f"{options.out}/records")
    wrong = finish(spark, options.out, written, captures, done)
    report(spark, done, size, time.monotonic() - began, len(tasks))
    spark.stop()
    sys.exit(1 if wrong else 0)


def finish(spark, out, written, captures, outcomes):
    """Writes the tables of captures and of errors, and says how much is wrong."""
    table = spark.createDataFrame(outcomes, CAPTURES)
    table.coalesce(1).write.parquet(f"{out}/captures")
    corrupt = written.where(F.col(CORRUPT).isNotNull()).select(
        "capture", F.lit(None).cast("int").alias("exit"), F.concat(F.lit("Spark cannot read record "), "line", F.lit(": "), F.substring(CORRUPT, 1, 200)).alias("error"))
    errors = table.where("exit <> 0").select("capture", "exit", "error").union(corrupt)
    errors.coalesce(1).write.parquet(f"{out}/errors")
    for row in spark.read.parquet(f"{out}/errors").orderBy("capture").limit(20).collect():
        print(f"{row.capture}: exit code {row.exit}: {row.error}")
    expected = sum(row["records"] - row["recordsOfTheRun"] for row in outcomes)
    wrong, count = spark.read.parquet(f"{out}/errors").count(), written.count()
    print(f"{len(outcomes)} of {len(captures)} captures, {count} of {expected} records, {wrong} errors")
    return wrong or len(outcomes) != len(captures) or count != expected


def report(spark, outcomes, size, seconds, tasks):
    """What it took. Spark's own share is known only where all of it runs in this process."""
    unmask, python = sum(row["cpuSeconds"] for row in outcomes), sum(row["pythonSeconds"] for row in outcomes)
    line = f"{size / 1e6:,.1f} MB in {tasks} tasks, {seconds:.1f} s; CPU seconds: unmask {unmask:.1f}, Python {python:.1f}"
    java = pathlib.Path(f"/proc/{os.getppid()}/stat")
    if spark.sparkContext.master.startswith("local[") and java.exists() and "(java)" in (stat := java.read_text()):
        # spark-submit is the virtual machine that all tasks run in.
        user, system = stat.rsplit(")", 1)[1].split()[11:13]
        line += f", Java {(int(user) + int(system)) / os.sysconf('SC_CLK_TCK'):.1f}"
    print(f"{line}; largest unmask {max(row['peakBytes'] for row in outcomes) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
