#!/usr/bin/env python3
"""A TLS server, and a client that uses three connections through a proxy, opens others ahead of need and never uses them, and then
still gets the proxy's certificate; a second client leaves in the midst of its first handshake. Prints what each got."""

import json
import socket
import ssl
import sys
import tempfile

from certificates import Certificates
from threaded import Server


def echo(client, context):
    with context.wrap_socket(client, server_side=True) as tls:
        while data := tls.recv(65536):
            tls.sendall(data)


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        context = certificates.server_context()
        # Clients that leave early are what this is about: what the server says of them is of no interest.
        server = Server(lambda client: echo(client, context), patience=20)
        print("listening", server.port, certificates.authority, flush=True)
        told = json.loads(sys.stdin.readline())
        trusting = ssl.create_default_context(cafile=told["authority"])

        def connect(source="127.0.0.1"):
            return socket.create_connection(("127.0.0.1", told["port"]), 20, source_address=(source, 0))

        def use():
            with trusting.wrap_socket(connect(), server_hostname="localhost") as tls:
                tls.sendall(b"hello")
                return tls.recv(100).decode()

        def leave(source):
            """Sends a ClientHello, and resets the connection at the first byte of the server's flight."""
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = trusting.wrap_bio(incoming, outgoing, server_hostname="localhost")
            try:
                tls.do_handshake()
            except ssl.SSLWantReadError:
                pass
            with connect(source) as raw:
                raw.sendall(outgoing.read())
                raw.recv(1)

        print("used:", *(use() for _ in range(3)), flush=True)
        for _ in range(3):
            trusting.wrap_socket(connect(), server_hostname="localhost").close()
        for _ in range(3):
            leave("127.0.0.1")
        print("used again:", use(), flush=True)
        leave("127.0.0.2")
        sys.stdin.readline()


if __name__ == "__main__":
    main()
