#!/usr/bin/env python3
"""A TLS server, and clients that reach it through a proxy: one that speaks plaintext and half-closes, one of TLS whose server
leaves first. Prints what the server saw of the first, and that the second was served."""

import json
import socket
import ssl
import sys
import tempfile

from certificates import Certificates
from threaded import Server


def talk(client, context):
    try:
        with context.wrap_socket(client, server_side=True) as tls:
            if tls.selected_alpn_protocol() == "leave":
                try:
                    tls.unwrap()
                except OSError:
                    pass  # The client's FIN is all the answer that it gives.
                return
            total = 0
            while data := tls.recv(65536):
                total += len(data)
            tls.sendall(b"proper end after %d" % total)
    except OSError as error:
        print("server:", error, flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        context = certificates.server_context(["leave"])
        server = Server(lambda client: talk(client, context), patience=20)
        print("listening", server.port, certificates.authority, flush=True)
        told = json.loads(sys.stdin.readline())

        with socket.create_connection(("127.0.0.1", told["port"]), 20) as plain:
            plain.sendall(b"x" * 100_000)
            plain.shutdown(socket.SHUT_WR)
            answer = b""
            while data := plain.recv(4096):
                answer += data
            print("plain:", answer.decode(), flush=True)

        trusting = ssl.create_default_context(cafile=told["authority"])
        trusting.set_alpn_protocols(["leave"])
        with socket.create_connection(("127.0.0.1", told["port"]), 20) as raw:
            with trusting.wrap_socket(raw, server_hostname="localhost") as tls:
                print("tls:", tls.recv(100), flush=True)


if __name__ == "__main__":
    main()
