#!/usr/bin/env python3
"""Measures `unmask read --format ndjson` over the captures of a folder and holds the figures against the bars."""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

# capture: (what is counted, bar in millions of it a CPU second). The others have no bar and are measured all the same.
BARS = {"small": ("packets", 2.0), "deflate": ("packets", 1.0), "manyconn": ("packets", 1.0), "bulk": ("bytes", 1000.0)}
# Where messages are long, a log with all of their content measures the copying of it.
OPTIONS = {"bulk": ["--payload", "preview"], "json": ["--decoded"]}
ORDER = ["small", "deflate", "manyconn", "bulk", "reorder", "mixed", "small2x", "small4x", "tls", "h2", "json"]
# How many times as fast as tshark; that one is then measured too, where it is there.
PEER_BARS = {"tls": 20, "h2": 20, "json": 10}
MEMORY_BAR = 64 << 20
TSHARK = ["tshark", "-n", "-Y", "websocket", "-T", "fields", "-e", "websocket.opcode", "-e", "websocket.payload_length"]


HTTP = ["tshark", "-n", "-T", "fields"]
PEERS = {
    # All that it makes of a message, as a record a packet.
    "json": ["tshark", "-n", "-T", "ek"],
    "tls": [*HTTP, "-Y", "http", "-e", "http.request.method", "-e", "http.request.uri", "-e", "http.response.code"],
    "h2": [
        *HTTP, "-d", "tcp.port==8080,http2", "-Y", "http2", "-e", "http2.streamid", "-e", "http2.headers.path", "-e", "http2.headers.status",
    ],
}


def reading(name, capture, peer):
    """The command that reads a capture, of ours or of tshark."""
    keys = pathlib.Path(f"{capture}.keys")
    if peer:
        return [*PEERS.get(name, TSHARK), *(["-o", f"tls.keylog_file:{keys}"] if keys.exists() else []), "-r", str(capture)]
    return [*(["--keys", str(keys)] if keys.exists() else []), *OPTIONS.get(name, []), str(capture)]


def measure(command, core):
    """CPU seconds, wall seconds and peak memory (bytes) of one run, its output thrown away."""

    def on_one_core():
        os.sched_setaffinity(0, {core})

    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(writer, 2)
        on_one_core()
        os.execvp(command[0], command)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        complaint = said.read()
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} failed: {complaint.decode(errors='replace')[-300:]}")
    # Linux counts the memory of the process that forked into ru_maxrss, so this script has to stay small.
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def truth(capture):
    path = pathlib.Path(f"{capture}.truth.json")
    return json.loads(path.read_text()) if path.exists() else {}


def counted(command):
    """What the tool says it read: packets and messages of the `end` record, and how many requests it told."""
    last, requests = b"", 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        for line in run.stdout:
            last = line
            requests += line.startswith(b'{"kind":"request"')
    record = json.loads(last or b"{}")
    return {**record, "requests": requests} if record.get("kind") == "end" else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unmask", required=True)
    parser.add_argument("--captures", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--peer", action="store_true", help="measure tshark as well")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else ORDER
    ours = [options.unmask, "read", "--format", "ndjson"]
    has_peer = shutil.which("tshark") is not None
    if not has_peer:
        print("skipped: tshark, which is not here")
    core = max(os.sched_getaffinity(0))
    below = 0

    print(f"{'capture':10}{'tool':8}{'packets':>11}{'CPU s':>8}{'packets/CPU s':>15}{'MB/CPU s':>10}{'peak':>10}  bar")
    for name in chosen:
        capture = options.captures / f"{name}.pcap"
        if not capture.exists():
            continue
        known, size = truth(capture), capture.stat().st_size
        with open(capture, "rb") as file:  # into the page cache, and past the disk
            while file.read(1 << 22):
                pass
        ratio, own = PEER_BARS.get(name), 0.0
        for tool in ["unmask", "tshark"] if has_peer and (options.peer or ratio) else ["unmask"]:
            command = [*ours, *reading(name, capture, False)] if tool == "unmask" else reading(name, capture, True)
            samples = [measure(command, core) for _ in range(options.runs if tool == "unmask" else 1)]
            cpu = max(statistics.median(sample[0] for sample in samples), 0.001)
            peak = max(sample[1] for sample in samples)
            packets = known.get("packets", 0)
            verdict = ""
            if tool == "unmask" and name in BARS:
                unit, bar = BARS[name]
                reached = (packets if unit == "packets" else size) / cpu / 1e6
                wanted = f"{bar:g} M packets" if unit == "packets" else f"{bar:g} MB"
                good = reached >= bar and peak < MEMORY_BAR
                below += not good
                verdict = f"{wanted}, 64 MiB: {'ok' if good else 'below' if reached < bar else 'too much memory'}"
            elif tool == "unmask" and peak >= MEMORY_BAR:
                below += 1
                verdict = "64 MiB: too much memory"
            if tool == "unmask":
                own = cpu
            elif ratio:
                below += cpu / own < ratio
                verdict = f"{ratio} times: {'ok' if cpu / own >= ratio else 'below'}, {cpu / own:.1f}"
            print(
                f"{name:10}{tool:8}{packets:>11,}{cpu:>8.2f}{packets / cpu:>15,.0f}{size / cpu / 1e6:>10,.0f}{peak / 2**20:>6.0f} MiB  {verdict}",
                flush=True)
            if tool == "unmask" and known:
                end = counted(command)
                for key in ("packets", "messages", "requests"):
                    if key in end and end[key] != known.get(key, end[key]):
                        below += 1
                        print(f"{'':10}{'':8}counts {end[key]:,} {key}, the capture has {known[key]:,}", flush=True)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
