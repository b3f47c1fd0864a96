#!/usr/bin/env bash
# Runs captures_to_parquet.py with two workers on this machine, over fixtures/, captures that are broken on purpose and UNMASK_CAPTURES,
# and holds every value that lands in the tables against what unmask prints. Then the recipes for Spark and ClickHouse.
#
#   run.sh [--master local[2]] [FOLDER…]
#
# With folders it reads those alone, and counts records instead of comparing values, since they may be large. UNMASK names the program.
set -euo pipefail
cd "$(dirname "$0")/../.."

master="local[2]"
if [ "${1:-}" = --master ]; then master=$2; shift 2; fi

unmask=${UNMASK:-}
for built in .build/release/unmask .build/debug/unmask; do
    [ -n "$unmask" ] || { [ -x "$built" ] && unmask=$PWD/$built; } || true
done
[ -x "$unmask" ] || { echo "There is no build of unmask; run: make release" >&2; exit 1; }
command -v java >/dev/null || { echo "Spark needs Java 17 or newer; to have it: sudo apt-get install openjdk-17-jre-headless" >&2; exit 1; }

work=$PWD/.build/spark
python=$work/venv/bin/python
mkdir -p "$work"
if ! cmp -s scripts/spark/requirements.txt "$work/requirements.txt"; then
    echo "installing PySpark, DuckDB and chDB in $work/venv (1.5 GB, once)"
    python3 -m venv "$work/venv"
    timeout 900 "$python" -m pip install -q --disable-pip-version-check -r scripts/spark/requirements.txt
    cp scripts/spark/requirements.txt "$work/requirements.txt"
fi

check=()
if [ $# -eq 0 ]; then
    # One that is cut inside a packet, one that is empty, and one that is none: rows of the table of errors, not a failed job.
    mkdir -p "$work/broken"
    head -c 5000 fixtures/curl-nginx-http/capture.pcapng >"$work/broken/cut.pcapng"
    : >"$work/broken/empty.pcap"
    echo "this is not a capture" >"$work/broken/not-a-capture.pcap"
    set -- fixtures "$work/broken"
    if [ -n "${UNMASK_CAPTURES:-}" ]; then set -- "$@" "$UNMASK_CAPTURES"; else echo "UNMASK_CAPTURES is not set: reading fixtures/ alone"; fi
    check=(--values)
fi

rm -rf "$work/out"
export PYTHONDONTWRITEBYTECODE=1 PYSPARK_PYTHON=$python PYSPARK_DRIVER_PYTHON=$python
# Nothing listens on an address that others reach.
export SPARK_LOCAL_IP=127.0.0.1
status=0
(
    folders=()
    for folder in "$@"; do folders+=("$(realpath "$folder")"); done
    cd scripts/spark
    "$work/venv/bin/spark-submit" --master "$master" --driver-memory 2g --py-files log_schema.py,capture_files.py,reading.py \
        --conf spark.ui.enabled=false --conf spark.log.level=ERROR --conf spark.driver.bindAddress=127.0.0.1 --conf spark.driver.host=127.0.0.1 \
        captures_to_parquet.py --unmask "$unmask" --options=--decoded --out "$work/out" "${folders[@]}"
) || status=$?
# 1 is for captures that are broken; the check says whether they are those that unmask itself ends with 1 for.
[ "$status" -le 1 ] && [ -d "$work/out/errors" ] || { echo "the job failed with exit code $status" >&2; exit 1; }
"$python" scripts/spark/check.py --unmask "$unmask" --options=--decoded "${check[@]}" "$work/out"
"$python" scripts/spark/recipes.py --unmask "$unmask"
