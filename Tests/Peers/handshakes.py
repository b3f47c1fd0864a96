#!/usr/bin/env python3
"""A server, and a client that comes to a proxy with TLS, once for each of the acts that it is told: `close` right after the handshake, as a client
does that pins, `speak`, or `read` what the server says and leave.

The server answers "ok", in plaintext, or in TLS 1.3 where an argument says so: `serves` does no more, `asks` asks for a client certificate, `wants`
requires one, `greets` speaks first, and `settings` speaks first over HTTP/2. The TLS version may follow: `asks 1.2`."""

import json
import socket
import ssl
import sys
import tempfile

from certificates import Certificates, client_context
from threaded import Server

GREETINGS = {"greets": b"220 ready\r\n", "settings": bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])}
VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}


def server_context(certificates, kind, version="1.3"):
    context = certificates.server_context(["h2"] if kind == "settings" else None)
    context.minimum_version = context.maximum_version = VERSIONS[version]
    if kind in ("asks", "wants"):
        context.load_verify_locations(certificates.authority)
        context.verify_mode = ssl.CERT_REQUIRED if kind == "wants" else ssl.CERT_OPTIONAL
    return context


def serve(client, context, greeting):
    if context:
        client = context.wrap_socket(client, server_side=True)
    if greeting:
        client.sendall(greeting)
    if client.recv(65536):
        client.sendall(b"ok")
    client.close()


def visit(told, act, protocols):
    context = client_context(told["authority"])
    if protocols:
        context.set_alpn_protocols(protocols)
    try:
        with socket.create_connection(("127.0.0.1", told["port"]), 20) as raw, context.wrap_socket(raw, server_hostname="localhost") as tls:
            if act == "speak":
                tls.sendall(b"hello")
            if act != "close":
                tls.recv(100)
    except OSError:
        pass


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        context = server_context(certificates, *sys.argv[1:]) if kind else None
        server = Server(lambda client: serve(client, context, GREETINGS.get(kind)), patience=20)
        print("listening", server.port, certificates.authority, flush=True)
        told = json.loads(sys.stdin.readline())
        for act in told["acts"]:
            visit(told, act, ["h2"] if kind == "settings" else None)


if __name__ == "__main__":
    main()
