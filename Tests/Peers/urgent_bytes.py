#!/usr/bin/env python3
"""A client and a server that send each other urgent bytes (MSG_OOB) through a proxy, whose port comes on standard input. Prints what
arrived, and whether it was urgent. With `tls`, a TLS server that prints what a plaintext client's bytes have become; with `http`, a
server behind an HTTP proxy whose response ends in an urgent byte and goes on beyond its length, and what the client had of it."""

import select
import socket
import sys
import tempfile

from certificates import Certificates
from ways import read_exactly

PATIENCE = 20


def urgent(sock):
    """Waits for an urgent byte and takes it."""
    _, _, found = select.select([], [], [sock], PATIENCE)
    assert found, "no urgent byte came"
    # With a timeout, Python would wait until there is something to read beside it.
    sock.setblocking(False)
    byte = sock.recv(1, socket.MSG_OOB)
    sock.settimeout(PATIENCE)
    return byte


def pair(listener, port):
    client = socket.create_connection(("127.0.0.1", port), PATIENCE)
    server = listener.accept()[0]
    for sock in (client, server):
        sock.settimeout(PATIENCE)
    return client, server


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print("listening", listener.getsockname()[1], flush=True)
    port = int(sys.stdin.readline())

    client, server = pair(listener, port)
    client.send(b"!", socket.MSG_OOB)
    byte = urgent(server)
    client.sendall(b"after")
    print("first: urgent", byte, "then", read_exactly(server, 5), flush=True)

    client, server = pair(listener, port)
    client.sendall(b"before")
    client.send(b"?", socket.MSG_OOB)
    byte = urgent(server)
    client.sendall(b"after")
    print("middle:", read_exactly(server, 6), "urgent", byte, "then", read_exactly(server, 5), flush=True)

    client, server = pair(listener, port)
    server.sendall(b"before")
    server.send(b"#", socket.MSG_OOB)
    byte = urgent(client)
    server.sendall(b"after")
    print("back:", read_exactly(client, 6), "urgent", byte, "then", read_exactly(client, 5), flush=True)

    # A server that wants them in line sees the stream as it was sent; of urgent bytes that follow each other only the last has to be
    # urgent, and none may be lost.
    client, server = pair(listener, port)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    for byte in b"abcdef":
        client.send(bytes([byte]), socket.MSG_OOB)
    client.shutdown(socket.SHUT_WR)
    print("in line:", read_exactly(server, 6), "whole" if server.recv(1) == b"" else "and more", flush=True)

    # The urgent byte stands behind more than any buffer takes, and the server does not read at first.
    client, server = pair(listener, port)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    client.setblocking(True)
    import threading

    def send():
        client.sendall(b"x" * 4_000_000)
        client.send(b"~", socket.MSG_OOB)
        client.sendall(b"after")
        client.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()
    total, found = 0, b""
    while True:
        data = server.recv(65536)
        if not data:
            break
        if b"~" in data:
            found = data[data.index(b"~"):][:1]
        total += len(data)
    print(f"much: {total} bytes, urgent {found}", flush=True)


def tls():
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        context = certificates.server_context()
        listener = socket.create_server(("127.0.0.1", 0))
        print("listening", listener.getsockname()[1], certificates.authority, flush=True)
        client = socket.create_connection(("127.0.0.1", int(sys.stdin.readline())), PATIENCE)
        client.sendall(b"before")
        client.send(b"?", socket.MSG_OOB)
        with context.wrap_socket(listener.accept()[0], server_side=True) as server:
            server.settimeout(PATIENCE)
            data = read_exactly(server, 7)
            client.sendall(b"after")
            client.send(b"!", socket.MSG_OOB)
            print("tls:", data + read_exactly(server, 6), flush=True)


def http():
    listener = socket.create_server(("127.0.0.1", 0))
    origin = listener.getsockname()[1]
    print("listening", origin, flush=True)
    client = socket.create_connection(("127.0.0.1", int(sys.stdin.readline())), PATIENCE)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)
    client.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (origin, origin))
    server = listener.accept()[0]
    data = b""
    while b"\r\n\r\n" not in data:
        data += server.recv(65536)
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")
    # In one segment, so that one read brings both.
    server.send(b"c", socket.MSG_OOB | socket.MSG_MORE)
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
    data = b""
    while b"abc" not in data:
        more = client.recv(65536)
        assert more, data
        data += more
    client.shutdown(socket.SHUT_WR)
    while more := client.recv(65536):
        data += more
    print("http:", data.partition(b"\r\n\r\n")[2], flush=True)


if __name__ == "__main__":
    {"tls": tls, "http": http}.get("".join(sys.argv[1:]), main)()
