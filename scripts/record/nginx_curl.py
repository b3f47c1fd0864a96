#!/usr/bin/env python3
"""curl and nginx: HTTP/1.1 in its many forms, TLS, proxies, upgrades that are taken and refused."""

import contextlib
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
from email.utils import formatdate

from recording import connect, read_until, recording, running
from websockets.sync.client import connect as open_websocket
from websockets.sync.server import serve

MODIFIED = 1_795_000_000
CONFIGURATION = """
daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log; user root;
events {{ worker_connections 64; }}
http {{
  access_log off; types {{ text/html html; text/plain txt; }} default_type application/octet-stream;
  client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3; uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;
  server {{
    listen 127.0.0.1:8080; root {root}/www;
    gzip on; gzip_types text/plain; gzip_min_length 100;
    location /chat {{
      proxy_pass http://127.0.0.1:9000; proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; proxy_set_header Host $host;
    }}
    location /upload {{ client_max_body_size 64k; proxy_pass http://127.0.0.1:8080/empty; }}
    location /empty {{ return 204; }}
    location /teapot {{ return 418 "short and stout\\n"; }}
  }}
  server {{
    listen 127.0.0.1:8443 ssl http2; ssl_protocols TLSv1.2 TLSv1.3; root {root}/www; server_name chat.example;
    ssl_certificate {root}/chat.crt; ssl_certificate_key {root}/chat.key;
  }}
}}
"""


def curl(*arguments):
    subprocess.run(["curl", "--silent", "--output", "/dev/null", "--max-time", "10", "--user-agent", "curl", *arguments], check=False)


def prepare(root):
    www = root / "www"
    www.mkdir()
    (www / "index.html").write_text("<!doctype html><title>chat</title><p>Good morning.\n")
    (www / "long.txt").write_text("All work and no play makes a dull capture.\n" * 60)
    for path in www.iterdir():
        os.utime(path, (MODIFIED, MODIFIED))
    (root / "nginx.conf").write_text(CONFIGURATION.format(root=root))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-subj",
         "/CN=chat.example", "-addext", "subjectAltName=DNS:chat.example", "-keyout", root / "chat.key", "-out", root / "chat.crt"],
        check=True, stderr=subprocess.DEVNULL)


def http_forms(base):
    with recording("curl-nginx-http", "curl asks nginx: keep-alive, HEAD, gzip in chunks, 304, 404, 206, Expect: 100-continue, 413, 418.", "tcp port 8080"):
        # One command, one connection: curl keeps it alive from one URL to the next.
        curl(f"{base}/index.html", "--next", "--silent", "-o", "/dev/null", "--user-agent", "curl", f"{base}/missing")
        curl("--head", f"{base}/long.txt")
        curl("--compressed", f"{base}/long.txt")
        curl("--header", f"If-Modified-Since: {formatdate(MODIFIED, usegmt=True)}", f"{base}/index.html")
        curl("--range", "43-85", f"{base}/long.txt")
        curl("--header", "Expect: 100-continue", "--data-binary", "x" * 2000, f"{base}/upload")
        curl("--header", "Expect: 100-continue", "--data-binary", "x" * 70_000, f"{base}/upload")
        curl("--http1.0", f"{base}/teapot")


def pipelined():
    with recording("pipelined", "Three requests in one segment (a Python socket) to nginx, which answers them in turn.", "tcp port 8080"):
        with connect(8080) as peer:
            peer.sendall(
                b"GET /index.html HTTP/1.1\r\nHost: chat.example\r\n\r\nHEAD /long.txt HTTP/1.1\r\nHost: chat.example\r\n\r\n"
                b"GET /teapot HTTP/1.1\r\nHost: chat.example\r\nConnection: close\r\n\r\n")
            while peer.recv(4096):
                pass


def upgrades(base):
    with recording("upgrade-refused", "Upgrades that nginx does not take: websocket to a file, and h2c, which curl offers.", "tcp port 8080"):
        curl(
            "--header", "Upgrade: websocket", "--header", "Connection: Upgrade", "--header", "Sec-WebSocket-Version: 13", "--header",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"{base}/index.html")
        curl("--http2", f"{base}/index.html")


def tls():
    with recording("tls-nginx", "curl and nginx over TLS 1.3 and TLS 1.2 with SNI and ALPN (h2, http/1.1), and a handshake that the client ends because it does not know the issuer.", "tcp port 8443"):
        resolve = ["--resolve", "chat.example:8443:127.0.0.1", "--insecure"]
        curl(*resolve, "https://chat.example:8443/index.html")
        curl(*resolve, "--tls-max", "1.2", "--http1.1", "https://chat.example:8443/index.html")
        curl("--resolve", "chat.example:8443:127.0.0.1", "https://chat.example:8443/index.html")


def echo(peer):
    for message in peer:
        peer.send(message)


def proxied_websocket():
    note = "A WebSocket through nginx as a reverse proxy, both legs: client to nginx (8080), nginx to Python's websockets (9000)."
    with recording("websocket-through-nginx", note, "tcp port 8080 or tcp port 9000"):
        with serve(echo, "127.0.0.1", 9000) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with open_websocket("ws://127.0.0.1:8080/chat") as peer:
                for text in ("through the proxy", "through the proxy and back"):
                    peer.send(text)
                    peer.recv()
            server.shutdown()


def connect_proxy(server):
    """Understands CONNECT and no more; relays until both sides have ended."""
    client, _ = server.accept()
    target = read_until(client, b"\r\n\r\n").split()[1].decode()
    upstream = connect(int(target.rpartition(":")[2]))
    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")

    def relay(source, sink):
        while part := source.recv(4096):
            sink.sendall(part)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    back = threading.Thread(target=relay, args=(upstream, client), daemon=True)
    back.start()
    relay(client, upstream)
    back.join(5)
    client.close()
    upstream.close()


def through_connect(base):
    with recording("connect-proxy", "curl through a CONNECT proxy (Python) to nginx; the leg to the proxy.", "tcp port 3128"):
        with socket.create_server(("127.0.0.1", 3128)) as server:
            threading.Thread(target=connect_proxy, args=(server,), daemon=True).start()
            curl("--proxy", "http://127.0.0.1:3128", "--proxytunnel", f"{base}/index.html")


def h2c(base, root):
    key, certificate = root / "chat.key", root / "chat.crt"
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(running(
                "nghttpx", "--frontend=127.0.0.1,8081;no-tls", "--backend=127.0.0.1,8080", "--workers=1", "--log-level=FATAL",
                "--conf=/dev/null", key, certificate, port=8081, stderr=subprocess.DEVNULL))
        except FileNotFoundError:
            print("skipped: upgrade-h2c, since there is no nghttpx here")
            return
        with recording("upgrade-h2c", "curl upgrades to h2c; nghttpx takes it and goes on in HTTP/2.", "tcp port 8081"):
            curl("--http2", "http://127.0.0.1:8081/index.html")


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    prepare(root)
    with running("nginx", "-c", root / "nginx.conf", "-p", root, "-e", root / "error.log", port=8080):
        base = "http://127.0.0.1:8080"
        http_forms(base)
        pipelined()
        upgrades(base)
        tls()
        proxied_websocket()
        through_connect(base)
        h2c(base, root)
