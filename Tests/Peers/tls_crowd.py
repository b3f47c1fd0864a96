#!/usr/bin/env python3
"""A server that says back what it gets, and a crowd of clients that reach it through a proxy with TLS and stay. Prints after how many one
is refused; then one leaves, and another is let in."""

import socket
import ssl
import sys

from threaded import Server


def echo(client):
    while data := client.recv(1024):
        client.sendall(data)


def visit(context, port):
    """A client that was served, or none."""
    try:
        tls = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 20), server_hostname="localhost")
        tls.sendall(b"ping")
        return tls if tls.recv(4) == b"ping" else None
    except OSError:
        return None


def main():
    server = Server(echo)
    print("listening", server.port, flush=True)
    port = int(sys.stdin.readline())
    # The proxy makes its authority for the first of them.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    crowd = []
    while len(crowd) < 1000 and (client := visit(context, port)):
        crowd.append(client)
    print("refused after", len(crowd), flush=True)
    crowd.pop().close()
    # The proxy notices on its own time.
    for _ in range(1000):
        if visit(context, port):
            print("again", flush=True)
            return


if __name__ == "__main__":
    main()
