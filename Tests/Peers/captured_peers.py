#!/usr/bin/env python3
"""curl, nghttp and h2load with hypercorn and nghttpd over HTTP/2, through the proxy: its log and a capture of both of its connections, read
with the secrets that it has logged, say the same, exchange for exchange."""

import shutil
import subprocess
import sys

import comparison
import exchanges
import http2_peers
import websocket_http2
from programs import Unmask


def run(*command):
    """Whether a program ends well; what it says is not of interest."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    if done.returncode:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode


def nghttpd(it, *options):
    root = it.folder / "www"
    root.mkdir(exist_ok=True)
    (root / "index.html").write_text("<!doctype html><title>Start</title>\n")
    (root / "style.css").write_text("body { color: black }\n")
    (root / "large.txt").write_text("unmask " * 30_000)
    port = http2_peers.free_port()
    command = ["nghttpd", "-d", str(root), "--trailer=checksum: 7", "-a", "127.0.0.1", *options, str(port)]
    if "--no-tls" not in options:
        certificate = str(it.certificates.server)
        command += [certificate, certificate]
    return port, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def hold(it, name, scheme, port, talk, least):
    """Plays a talk through the proxy while its connections are captured; at least so many exchanges have to be told."""
    folder = it.folder / name.replace(" ", "-")
    keys, capture = folder / "keys.log", folder / "both.pcap"
    mode = f"reverse:{scheme}://localhost:{port}"
    with Unmask(it.unmask, folder, "--mode", mode, "--upstream-ca", it.certificates.authority, "--keys", keys) as proxy:
        with exchanges.capturing(capture, [port, proxy.port]):
            it.same(f"{name}: it ends well", 0, talk(f"{scheme}://localhost:{proxy.port}", proxy))
    log = it.records(proxy)
    exchanged = sum(record["kind"] == "response" and "stream" in record for record in log)
    it.same(f"{name}: its exchanges are in the log", True, exchanged >= least)
    captured = exchanges.read(it.unmask, *(("--keys", keys) if keys.exists() else ()), capture)
    it.same(f"{name}: the capture of both connections says the same", exchanges.NOTHING, exchanges.difference(
        exchanges.said(log), exchanges.said(captured), 2))
    wrong = {record["id"] for record in log if record["kind"] == "finding" and record["severity"] == "violation"}
    it.same(f"{name}: nothing is wrong with it", set(), wrong)


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise comparison.Skipped(f"{program} with HTTP/2, live and captured (there is no {program})")


def with_nghttpd(it, name, scheme, talk, least):
    needs(name.split()[0], "nghttpd")
    port, process = nghttpd(it, *(("--no-tls",) if scheme == "http" else ()))
    try:
        http2_peers.awaits(port, process)
        hold(it, name, scheme, port, talk, least)
    finally:
        process.terminate()
        process.wait(10)


def nghttp(it):
    def talk(url, _):
        words = ["--header=:authority: localhost", "--trailer=ends: yes", "-d", it.folder / "www/style.css"]
        return run("nghttp", "-n", *words, f"{url}/index.html") + run("nghttp", "-n", f"{url}/index.html", f"{url}/large.txt", f"{url}/missing")

    with_nghttpd(it, "nghttp", "http", talk, 4)
    with_nghttpd(it, "nghttp with TLS", "https", talk, 4)


def h2load(it):
    def talk(url, _):
        return run("h2load", "-n", 200, "-c", 4, "-m", 10, f"{url}/index.html", f"{url}/style.css")

    with_nghttpd(it, "h2load", "http", talk, 200)
    with_nghttpd(it, "h2load with TLS", "https", talk, 200)


def curl(it):
    needs("curl")
    try:
        import hypercorn  # noqa: F401
    except ImportError:
        raise comparison.Skipped("curl and hypercorn, live and captured (Python's hypercorn is not installed)") from None

    body = it.folder / "body"
    body.write_text("a body " * 20_000)

    def talk(url, proxy):
        quiet = ["curl", "-sS", "-q", "--http2", "--max-time", "30", "--cacert", proxy.authority, "-o", "/dev/null"]
        return (run(*quiet, f"{url}/") + run(*quiet, "-d", f"@{body}", f"{url}/echo")
                + run(*quiet, f"{url}/one", "-o", "/dev/null", f"{url}/two"))

    port = http2_peers.free_port()
    with websocket_http2.hypercorn(it.folder / "site", port, it.certificates.server) as process:
        http2_peers.awaits(port, process)
        hold(it, "curl with hypercorn", "https", port, talk, 4)


def compare(it):
    for peer in (curl, nghttp, h2load):
        try:
            peer(it)
        except comparison.Skipped as reason:
            print(f"skipped: {reason}", flush=True)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
