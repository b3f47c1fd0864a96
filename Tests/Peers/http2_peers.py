#!/usr/bin/env python3
"""curl speaks HTTP/2 with haproxy, several requests on one connection, directly and through CONNECT: h2 is agreed end to end."""

import pathlib
import re
import select
import shutil
import socket
import ssl
import subprocess
import sys
import time

import comparison

CONFIGURATION = """
global
    log stdout format raw local0 emerg
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend in
    bind 127.0.0.1:{port} ssl crt {certificate} alpn h2,http/1.1
    http-request return status 200 content-type text/plain lf-string "%[path] over %[req.ver] alpn %[ssl_fc_alpn]"
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def awaits(port, process):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise comparison.Skipped("HTTP/2 through the proxy (its server does not start)")


def ask(port, authority, *options):
    """Ten requests at a time: how curl ended, the bodies, the versions, the number of connections."""
    urls = [f"https://localhost:{port}/{number}" for number in range(10)]
    command = ["curl", "-sS", "-q", "--http2", "--parallel", "--no-progress-meter", "--max-time", "30", "--cacert", str(authority), *options]
    command += ["-w", "\\n%{http_version} %{response_code} %{num_connects}\\n", *urls]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    bodies = sorted(re.findall(r"/\d over \S+ alpn h2", done.stdout))
    facts = re.findall(r"^(\S+) (\d{3}) (\d+)$", done.stdout, re.MULTILINE)
    return done.returncode, done.stderr, bodies, {fact[:2] for fact in facts}, sum(int(fact[2]) for fact in facts)


# Length, type, flags and stream of a frame that sets something.
SETTINGS = (4, 0, 0)


def late_hello(port):
    """What a client gets before its ClientHello, which comes once the server has had its say; the protocol that is agreed; the first frame."""
    with socket.create_connection(("127.0.0.1", port), 5) as raw:
        early = select.select([raw], [], [], 0.2)[0]
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(raw, server_hostname="localhost") as sealed:
            sealed.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
            head = b""
            while len(head) < 9:
                piece = sealed.recv(9 - len(head))
                if not piece:
                    break
                head += piece
            frame = (head[3], head[4], int.from_bytes(head[5:9], "big")) if len(head) == 9 else head
            return early, sealed.selected_alpn_protocol(), frame


def over_tls_on_one_side(it, port):
    """A client that speaks HTTP/2 without TLS before a server of TLS, and one that speaks HTTP/2 in TLS alone before a server without."""
    with it.proxy(f"reverse:https://localhost:{port}") as proxy:
        plain = subprocess.run(
            ["curl", "-sS", "-q", "--http2-prior-knowledge", "--max-time", "20", "--noproxy", "*", f"http://localhost:{proxy.port}/a"],
            capture_output=True, text=True, timeout=30)
    it.same("h2 without TLS before a server of TLS", (0, "/a over 2.0 alpn h2", ""), (plain.returncode, plain.stdout.strip(), plain.stderr))
    nghttpd = shutil.which("nghttpd", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if not nghttpd or not shutil.which("nghttp"):
        raise comparison.Skipped("HTTP/2 in TLS before a server without (there is no nghttpd or no nghttp)")
    bare = free_port()
    pathlib.Path(it.folder, "page.txt").write_text("a page")
    server = subprocess.Popen([nghttpd, "--no-tls", "-d", str(it.folder), str(bare)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        awaits(bare, server)
        # As long as that the server's SETTINGS are held.
        with it.proxy(f"reverse:http://localhost:{bare}", "--first-bytes-timeout", "20") as proxy:
            # nghttp offers h2 and nothing else.
            sealed = subprocess.run(
                ["nghttp", "-y", "-t", "20", f"https://localhost:{proxy.port}/page.txt"], capture_output=True, text=True, timeout=30)
            it.same("h2 in TLS before a server without", (0, "a page"), (sealed.returncode, sealed.stdout.strip()))
            it.same("SETTINGS of a server without TLS before a late ClientHello", ([], "h2", SETTINGS), late_hello(proxy.port))
    finally:
        server.terminate()
        server.wait(10)


def compare(it):
    haproxy = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if not haproxy or not shutil.which("curl"):
        raise comparison.Skipped("HTTP/2 through the proxy (there is no haproxy or no curl)")
    port = free_port()
    configuration = pathlib.Path(it.folder, "haproxy.cfg")
    configuration.write_text(CONFIGURATION.format(port=port, certificate=it.certificates.server))
    process = subprocess.Popen([haproxy, "-db", "-q", "-f", str(configuration)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        awaits(port, process)
        without = ask(port, it.certificates.authority)
        bodies = [f"/{number} over 2.0 alpn h2" for number in range(10)]
        it.same("haproxy answers ten requests over h2 on one connection", (0, "", bodies, {("2", "200")}, 1), without)
        for mode, scheme in (("http", "http"), ("socks5", "socks5h")):
            with it.proxy(mode) as proxy:
                through = ask(port, proxy.authority, "--proxy", f"{scheme}://127.0.0.1:{proxy.port}", "--noproxy", "")
            it.same(f"h2 through {mode}", without, through)
            agreed = {(record.get("alpn"), record.get("secrets")) for record in it.records(proxy) if record["kind"] == "tls"}
            it.same(f"the log of {mode} tells h2", {("h2", "terminated")}, agreed)
        with it.proxy(f"reverse:https://localhost:{port}") as proxy:
            reverse = ask(proxy.port, proxy.authority)
        it.same("h2 through reverse", without, reverse)
        over_tls_on_one_side(it, port)
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
