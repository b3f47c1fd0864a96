#!/usr/bin/env python3
"""A server that answers "ok", and a client that comes to a proxy with TLS, once for each of the acts that it is told: `close` right after the
handshake, as a client does that pins, or `speak`. With `asks` or `wants` the server speaks TLS 1.3 and asks for a client certificate, or wants one."""

import json
import socket
import ssl
import sys
import tempfile

from certificates import Certificates, client_context
from threaded import Server


def serve(client, context):
    if context:
        client = context.wrap_socket(client, server_side=True)
    if client.recv(65536):
        client.sendall(b"ok")
    client.close()


def visit(told, act):
    with socket.create_connection(("127.0.0.1", told["port"]), 20) as raw:
        with client_context(told["authority"]).wrap_socket(raw, server_hostname="localhost") as tls:
            try:
                if act == "speak":
                    tls.sendall(b"hello")
                    tls.recv(100)
            except OSError:
                pass


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificates, context = Certificates(folder), None
        if len(sys.argv) > 1:
            context = certificates.server_context()
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.load_verify_locations(certificates.authority)
            context.verify_mode = ssl.CERT_REQUIRED if sys.argv[1] == "wants" else ssl.CERT_OPTIONAL
        server = Server(lambda client: serve(client, context), patience=20)
        print("listening", server.port, certificates.authority, flush=True)
        told = json.loads(sys.stdin.readline())
        for act in told["acts"]:
            visit(told, act)


if __name__ == "__main__":
    main()
