#!/usr/bin/env python3
"""A server that ends each connection at its first bytes, and a client of an HTTP proxy that asks for it with TLS all the same: it trusts
the proxy's certificate, and sends a request whose body comes after the answer. Prints the first line of what it got.

It is told how to leave: `untrusting` (it refuses the certificate), `reset` or `close` (without a request), `stays` (until it is told to go on)."""

import json
import socket
import ssl
import struct
import sys

from threaded import Server


def refuse(client):
    client.recv(1)


def leave(end, context, raw):
    try:
        tls = context.wrap_socket(raw, server_hostname="localhost")
    except ssl.SSLCertVerificationError:
        return
    if end == "stays":
        print("secured", flush=True)
        sys.stdin.readline()
    if end == "reset":
        tls.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    tls.close()


def main():
    server = Server(refuse, patience=20)
    print("listening", server.port, flush=True)
    told = json.loads(sys.stdin.readline())
    raw = socket.create_connection(("127.0.0.1", told["port"]), 20)
    raw.sendall(b"CONNECT localhost:%d HTTP/1.1\r\n\r\n" % server.port)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += raw.recv(1)
    end = told.get("end")
    context = ssl.create_default_context(cafile=None if end == "untrusting" else told["authority"])
    context.set_alpn_protocols(["http/1.1"])
    if end:
        leave(end, context, raw)
        print(end, flush=True)
        return
    with context.wrap_socket(raw, server_hostname="localhost") as tls:
        tls.sendall(b"POST /lost HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
        answer = b""
        while data := tls.recv(65536):
            answer += data
        tls.sendall(b"hello")
    print(head.split(b"\r\n")[0].decode(), "|", answer.split(b"\r\n")[0].decode(), flush=True)


if __name__ == "__main__":
    main()
