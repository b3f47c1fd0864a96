#!/usr/bin/env python3
"""TLS whose keys are known: curl and nginx, a WebSocket, and what follows STARTTLS; the capture without its keys, and with them inside."""

import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading

from recording import FIXTURES, connect, recording, running
from websockets.sync.client import connect as open_websocket
from websockets.sync.server import serve

CONFIGURATION = """
daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log; user root;
events {{ worker_connections 64; }}
http {{
  access_log off; types {{ text/html html; }}
  client_body_temp_path {root}/t1; proxy_temp_path {root}/t2; fastcgi_temp_path {root}/t3; uwsgi_temp_path {root}/t4; scgi_temp_path {root}/t5;
  server {{
    listen 127.0.0.1:8443 ssl; ssl_protocols TLSv1.2 TLSv1.3; root {root}/www; server_name chat.example;
    ssl_certificate {root}/chat.crt; ssl_certificate_key {root}/chat.key;
    ssl_ciphers ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-SHA256;
  }}
}}
"""
NOTE = "Over TLS, with the secrets of every session: curl asks nginx over TLS 1.3, TLS 1.2 (GCM) and TLS 1.2 (CBC); a WebSocket with permessage-deflate (the library websockets on both ends); a mail server that agrees on STARTTLS."


def prepare(root):
    (root / "www").mkdir()
    (root / "www" / "index.html").write_text("<!doctype html><title>chat</title><p>Good morning.\n")
    (root / "nginx.conf").write_text(CONFIGURATION.format(root=root))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-subj",
         "/CN=chat.example", "-addext", "subjectAltName=DNS:chat.example", "-keyout", root / "chat.key", "-out", root / "chat.crt"],
        check=True, stderr=subprocess.DEVNULL)


def curl(keys, *arguments):
    environment = dict(os.environ, SSLKEYLOGFILE=str(keys))
    subprocess.run(
        ["curl", "--silent", "--output", "/dev/null", "--max-time", "10", "--user-agent", "curl", "--insecure", "--http1.1", "--resolve",
         "chat.example:8443:127.0.0.1", *arguments, "https://chat.example:8443/index.html"], check=True, env=environment)


def context_of(keys):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.keylog_filename = str(keys)
    return context


def chat(websocket):
    for message in websocket:
        websocket.send(message.upper())
    websocket.close()


def websocket(root, keys):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(root / "chat.crt", root / "chat.key")
    with serve(chat, "127.0.0.1", 8444, ssl=context, server_header="chat") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with open_websocket(
            "wss://chat.example:8444/room?id=7", sock=connect(8444), ssl=context_of(keys), server_hostname="chat.example",
            user_agent_header="chat"
        ) as peer:
            for text in ("good morning", "all work and no play makes a dull capture. " * 30):
                peer.send(text)
                peer.recv()
        server.shutdown()
        thread.join()


def mail(root, listener):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(root / "chat.crt", root / "chat.key")
    peer, _ = listener.accept()
    peer.sendall(b"220 chat.example ready\r\n")
    for answer in (b"250-chat.example\r\n250 STARTTLS\r\n", b"220 go ahead\r\n"):
        peer.recv(4096)
        peer.sendall(answer)
    with context.wrap_socket(peer, server_side=True) as sealed:
        while words := sealed.recv(4096):
            sealed.sendall(b"221 bye\r\n" if words == b"QUIT\r\n" else b"250 ok\r\n")


def starttls(root, keys):
    with socket.create_server(("127.0.0.1", 2525)) as listener:
        thread = threading.Thread(target=mail, args=(root, listener))
        thread.start()
        with connect(2525) as peer:
            peer.recv(4096)
            for words in (b"EHLO client.example\r\n", b"STARTTLS\r\n"):
                peer.sendall(words)
                peer.recv(4096)
            with context_of(keys).wrap_socket(peer, server_hostname="chat.example") as sealed:
                for words in (b"EHLO client.example\r\n", b"NOOP\r\n", b"QUIT\r\n"):
                    sealed.sendall(words)
                    sealed.recv(4096)
        thread.join()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        prepare(root)
        keys = root / "keys.log"
        with running("nginx", "-c", root / "nginx.conf", "-p", root, "-e", root / "error.log", port=8443):
            with recording("tls-keys", NOTE + " The secrets are in keys.log.", "tcp port 8443 or tcp port 8444 or tcp port 2525") as folder:
                curl(keys)
                curl(keys, "--tls-max", "1.2")
                curl(keys, "--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-SHA256")
                websocket(root, keys)
                starttls(root, keys)
        lines = [line for line in keys.read_text().splitlines(keepends=True) if not line.startswith("#")]
        (folder / "keys.log").write_text("".join(lines))
    inside = FIXTURES / "tls-keys-inside"
    inside.mkdir(exist_ok=True)
    subprocess.run(
        ["editcap", "-F", "pcapng", "--inject-secrets", f"tls,{folder}/keys.log", folder / "capture.pcapng", inside / "capture.pcapng"],
        check=True, stderr=subprocess.DEVNULL)
    (inside / "README.md").write_text(
        "The capture of `tls-keys` with its secrets in a Decryption Secrets Block.\n\nRecorded by `scripts/record/tls_keys.py`.\n")


main()
