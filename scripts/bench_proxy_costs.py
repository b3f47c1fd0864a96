#!/usr/bin/env python3
"""Holds the proxy's costs against the bars and against haproxy's, plain and with TLS, then its latency, its log and its memory."""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import bench_proxy_latency
import bench_proxy_log
import bench_proxy_memory

# What one operation may cost: microseconds of CPU, or KiB for an idle connection. An upgrade's is the time that 4,000 and 900 a second
# leave on one core.
BARS = {
    "plain": {"ping64": 20, "bulk": 700, "blast": 700, "setup": 250, "idle": 12},
    "tls": {"ping64": 32, "bulk": 1000, "blast": 1000, "setup": 1_000_000 / 900, "idle": 60},
}
UNITS = {"ping1": "us a round trip", "ping64": "us a round trip", "bulk": "us a MB", "blast": "us a MB", "setup": "us an upgrade", "idle": "KiB"}
PORTS = {"plain": 9100, "tls": 9102}
# haproxy's, where both run at once.
PEER_PORTS = {"plain": 9110, "tls": 9112}

HAPROXY = """
global
    maxconn 6000
    nbthread 1
defaults
    mode tcp
    timeout connect 5s
    timeout client 1h
    timeout server 1h
listen plain
    bind 127.0.0.1:{plain}
    server echo 127.0.0.1:9000
listen tls
    bind 127.0.0.1:{tls} ssl crt {scratch}/tls/both.pem alpn http/1.1
    server echo 127.0.0.1:9443 ssl verify required ca-file {scratch}/tls/ca.crt sni str(ws.example.test) no-ssl-reuse
"""


def proxy_command(options, side, log):
    """The command line of our proxy; its log goes to `log`."""
    scheme, port = ("wss", 9443) if side == "tls" else ("ws", 9000)
    command = [options.unmask, "proxy", "--upstream", f"{scheme}://127.0.0.1:{port}", "--listen", f"127.0.0.1:{PORTS[side]}"]
    command += ["--format", "ndjson", "--ca-folder", str(options.scratch / "ca")]
    if side == "tls":
        command += ["--upstream-ca", str(options.scratch / "tls/ca.crt")]
    return ["sh", "-c", f"exec {shlex.join(command)} >{shlex.quote(log)}"]


def haproxy_command(options, ports=PORTS):
    tls = options.scratch / "tls"
    (tls / "both.pem").write_text((tls / "srv.crt").read_text() + (tls / "srv.key").read_text())
    path = options.scratch / "haproxy.cfg"
    path.write_text(HAPROXY.format(scratch=options.scratch, plain=ports["plain"], tls=ports["tls"]))
    return ["haproxy", "-db", "-q", "-f", str(path)]


def measure(options, side, label, command, tests):
    """Cost of one operation by test, as the load tool's lines tell it."""
    run = [sys.executable, str(options.scratch / "bench_proxy.py"), "--port", str(PORTS[side]), "--label", label]
    run += ["--proxy-cmd", shlex.join(command), "--tests", ",".join(tests), "--runs", str(options.runs), "--secs", str(options.secs)]
    run += ["--bulk-count", str(options.count), "--tsv", os.devnull] + (["--tls"] if side == "tls" else [])
    costs = {}
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if options.verbose:
                print(f"    {line.rstrip()}", flush=True)
            test = line.split("\t")[2] if line.count("\t") > 2 else ""
            cost = re.search(r"proxy_cpu=([\d.]+)us|per_conn=([\d.]+)KiB", line)
            trouble = re.search(r"dead=[1-9]|failed=[1-9]|complete=False|\bFAIL|\bERROR|\"failed\":[1-9]", line)
            if trouble:
                print(f"    {label}, {test}: {line.strip()}")
                costs[test] = float("inf")
            elif cost:
                costs.setdefault(test, float(cost[1] or cost[2]))
    return costs


def main():
    parser = argparse.ArgumentParser(prog="bench-proxy.sh", description=__doc__)
    parser.add_argument("--unmask", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", required=True, type=lambda path: pathlib.Path(path).resolve(), help=argparse.SUPPRESS)
    parser.add_argument("--sides", default="plain,tls", help="plain, tls or both")
    parser.add_argument("--only", default="ping64,bulk,blast,setup,idle", help="of ping1, ping64, bulk, blast, setup and idle")
    parser.add_argument("--logs", default="null,file", help="where the log goes: null (/dev/null), file or both, one after the other")
    parser.add_argument("--runs", type=int, default=3, help="runs of each workload, of which the median counts")
    parser.add_argument("--secs", type=float, default=3, help="seconds of a run of ping64 and setup")
    parser.add_argument("--count", type=int, default=4000, help="messages of 64 KiB in a run of bulk and blast")
    parser.add_argument("--idle", type=int, default=5000, help="idle connections")
    parser.add_argument("--memory", type=float, default=10, help="gigabytes on one socket; 0 leaves that out")
    parser.add_argument("--latency", type=int, default=24, help="rounds of the added latency of both; 0 leaves that out")
    parser.add_argument("--no-peer", action="store_true", help="leave haproxy out")
    parser.add_argument("--no-check", action="store_true", help="leave out the check of what the log holds")
    parser.add_argument("--verbose", action="store_true", help="show the lines of the load tool")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else []
    tests = [f"idle{options.idle}" if name == "idle" else name for name in names]
    has_peer = not options.no_peer and shutil.which("haproxy") is not None
    if not options.no_peer and not has_peer:
        print("skipped: haproxy, which is not here")

    missed = 0
    for side in options.sides.split(",") if tests else []:
        columns = {}
        for log in options.logs.split(","):
            path = os.devnull if log == "null" else str(options.scratch / "log.ndjson")
            columns[f"log to {path if log == 'null' else 'a file'}"] = measure(
                options, side, f"unmask, {log}", proxy_command(options, side, path), tests)
            if log == "file":
                os.unlink(path)
        peer = measure(options, side, "haproxy", haproxy_command(options), tests) if has_peer else {}
        print(f"\n{side:8}{'':18}{'bar':>8}{'haproxy':>10}" + "".join(f"{name:>24}{'ratio':>7}" for name in columns))
        for name, test in zip(names, tests):
            bar = BARS[side].get(name)
            line = f"{name:8}{UNITS[name]:18}{f'{bar:.0f}' if bar else '':>8}{peer.get(test, 0) or float('nan'):10.1f}"
            for costs in columns.values():
                cost = costs.get(test, float("inf"))
                is_missed = bar is not None and cost > bar
                missed += is_missed
                line += f"{'MISSED ' if is_missed else ''}{cost:.1f}".rjust(24)
                line += f"{cost / peer[test]:7.2f}" if peer.get(test) else f"{'':7}"
            print(line, flush=True)

    for side in options.sides.split(","):
        if options.latency and has_peer:
            missed += bench_proxy_latency.check(
                options.scratch, side, proxy_command(options, side, os.devnull), PORTS[side], haproxy_command(options, PEER_PORTS),
                PEER_PORTS[side], options.latency, options.secs)
        command = proxy_command(options, side, "/dev/stdout")
        if not options.no_check:
            missed += bench_proxy_log.check(options.scratch, command, side, PORTS[side])
        if options.memory:
            command = proxy_command(options, side, os.devnull)
            missed += bench_proxy_memory.check(options.scratch, command, side, PORTS[side], options.memory)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
