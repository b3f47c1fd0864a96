#!/usr/bin/env python3
"""curl against an HTTP server, plain and with TLS, directly and through the HTTP, SOCKS5 and reverse modes: the same answers."""

import hashlib
import http.server
import shutil
import ssl
import subprocess
import sys
import threading

import comparison

BIG = bytes(range(256)) * 8192


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/chunked":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for start in range(0, len(BIG), 100_000):
                part = BIG[start : start + 100_000]
                self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        elif self.path == "/until-the-end":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(BIG)
            self.close_connection = True
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"less")
            self.close_connection = True
        else:
            self.answer(404, b"no such page")

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "12345")
        self.end_headers()

    def do_POST(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, hashlib.sha256(body).hexdigest().encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def version_string(self):
        return "server"

    def date_time_string(self, timestamp=None):
        return "now"

    def log_message(self, *_):
        pass


def server(context=None):
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context:
        made.socket = context.wrap_socket(made.socket, server_side=True)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made.server_address[1]


def curl(url, authority, *options):
    command = ["curl", "-sS", "-q", "-i", "--max-time", "30", "--cacert", str(authority), *options, url]
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": "/dev/null"}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    return done.returncode, head.decode("latin-1"), len(body), hashlib.sha256(body).hexdigest()[:12]


TRIES = [
    ("/chunked", ()), ("/until-the-end", ()), ("/cut", ()), ("/missing", ()), ("/head", ("--head",)),
    ("/post", ("--data-binary", "@-")), ("/post", ("-H", "Transfer-Encoding: chunked", "--data-binary", "x" * 5000)),
]


def tries(base, authority, *options):
    return [curl(base + path, authority, *more, *options) for path, more in TRIES]


def compare(it):
    if not shutil.which("curl"):
        raise comparison.Skipped("curl through the proxy (there is no curl)")
    plain, secure = server(), server(it.certificates.server_context())
    own = it.certificates.authority
    without = {"http": tries(f"http://localhost:{plain}", own), "https": tries(f"https://localhost:{secure}", own)}
    upstreams = {"http": plain, "https": secure}
    for name, scheme in (("http", "http"), ("socks5", "socks5h")):
        with it.proxy(name) as proxy:
            for upstream, port in upstreams.items():
                # The answer to CONNECT is the proxy's, not the server's.
                options = ("--proxy", f"{scheme}://127.0.0.1:{proxy.port}", "--suppress-connect-headers", "--noproxy", "")
                it.same(f"curl, {upstream} through {name}", without[upstream], tries(f"{upstream}://localhost:{port}", proxy.authority, *options))
        roots = {record.get("secrets") for record in it.records(proxy) if record["kind"] == "tls"}
        it.same(f"TLS is opened in {name}", {"terminated"}, roots)
    for upstream, port in upstreams.items():
        with it.proxy(f"reverse:{upstream}://localhost:{port}") as proxy:
            through = tries(f"{upstream}://localhost:{proxy.port}", proxy.authority)
            it.same(f"curl, {upstream} through reverse", without[upstream], through)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
