#!/usr/bin/env python3
"""Clients that do not read, behind a proxy, and a server that says to each what goes.

Prints where the server listens, reads the proxy's and how many clients there are. Prints `stuck` once nothing goes any more; reads a line, lets the
clients read what there is, and prints `same` where each has got what was sent to it.
"""

import os
import select
import socket
import sys
import time

server = socket.create_server(("127.0.0.1", 0), backlog=512)
print("listening", server.getsockname()[1], flush=True)
port, count = (int(word) for word in sys.stdin.readline().split())

# No two places of it are alike within 251 KiB, so that a piece that is lost or comes twice shows.
pattern = bytes(range(251)) * 4096
ends = []
for number in range(count):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
    client.connect(("127.0.0.1", port))
    peer, _ = server.accept()
    # What the system holds would hide what the proxy does.
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    peer.setblocking(False)
    ends.append([client, peer, 0])


def push(most):
    """Sends what goes until nothing has gone for half a second."""
    poll = select.poll()
    by_number = {end[1].fileno(): end for end in ends}
    for number in by_number:
        poll.register(number, select.POLLOUT)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        events = poll.poll(500)
        if not events:
            return
        for number, _ in events:
            end = by_number[number]
            if end[2] >= most:
                poll.unregister(number)
                continue
            try:
                start = end[2] % len(pattern)
                end[2] += end[1].send(pattern[start:start + 65536])
            except BlockingIOError:
                pass


push(16 << 20)
print("stuck", sum(end[2] for end in ends), flush=True)
sys.stdin.readline()
for client, peer, sent in ends:
    peer.close()
    client.settimeout(30)
    got = 0
    while True:
        piece = client.recv(1 << 16)
        if not piece:
            break
        start = got % len(pattern)
        expected = (pattern + pattern[:1 << 16])[start:start + len(piece)]
        if piece != expected:
            print("changed at", got, flush=True)
            os._exit(1)
        got += len(piece)
    if got != sent:
        print("got", got, "of", sent, flush=True)
        os._exit(1)
    client.close()
print("same", flush=True)
