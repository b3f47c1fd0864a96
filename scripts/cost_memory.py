#!/usr/bin/env python3
"""cost_memory.py UNMASK: prints the peak of resident memory, in KiB, that `read --format ndjson` takes for three captures made here.

open-conversations  16,000 WebSocket connections with two messages each, all of which stay open
out-of-order        800 connections that send 64 KiB after a hole, which the last packets fill
long-messages       64 messages of 1 MiB, assembled at once out of fragments

The median of three runs counts, with huge pages switched off and the program in the cache of the system, so that the number is the program's.
"""

import base64
import ctypes
import hashlib
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

from bench_http_load import Capture, Connection

RUNS = 3
KEY = base64.b64encode(bytes(range(16))).decode()
ACCEPT = base64.b64encode(hashlib.sha1((KEY + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
REQUEST = f"GET /feed HTTP/1.1\r\nHost: memory.example\r\n{UPGRADE}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n".encode()
RESPONSE = f"HTTP/1.1 101 Switching Protocols\r\n{UPGRADE}Sec-WebSocket-Accept: {ACCEPT}\r\n\r\n".encode()


def frame(opcode, payload, final=True, masked=False):
    length = bytes([len(payload)]) if len(payload) < 126 else struct.pack(">BQ", 127, len(payload))
    if masked:
        # A key of zeroes is valid, and leaves the payload as it is.
        return bytes([opcode | final << 7, length[0] | 0x80]) + length[1:] + bytes(4) + payload
    return bytes([opcode | final << 7]) + length + payload


def websockets(capture, count):
    """Connections with a WebSocket on each."""
    connections = [Connection(capture, number, 80) for number in range(count)]
    for side, head in ((0, REQUEST), (1, RESPONSE)):
        for connection in connections:
            connection.say(side, head)
    return connections


def open_conversations(capture):
    connections = websockets(capture, 16_000)
    for connection in connections:
        connection.say(0, frame(1, b'{"subscribe":"ticks"}', masked=True))
    for connection in connections:
        connection.say(1, frame(1, b'{"tick":1}'))


def out_of_order(capture):
    connections = websockets(capture, 800)
    message = frame(2, bytes(range(256)) * 255)
    holes = []
    for connection in connections:
        holes.append(connection.next[1])
        connection.next[1] += 1_000
        for at in range(1_000, len(message), 1_448):
            connection.send(1, message[at : at + 1_448])
    for connection, hole in zip(connections, holes):
        connection.next[1] = hole
        connection.send(1, message[:1_000])


def long_messages(capture):
    connections = websockets(capture, 64)
    part = b"0123456789abcdef" * 4_096
    for number in range(16):
        for connection in connections:
            connection.say(1, frame(0 if number else 1, part, final=number == 15))


def peak(unmask, path):
    # Not through os.wait4: what this process has had before it becomes the program would count.
    result = path.with_suffix(".peak")
    command = ["/usr/bin/time", "-f", "%M", "-o", result, unmask, "read", "--format", "ndjson", path]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return int(result.read_text())


def main(unmask):
    # PR_SET_THP_DISABLE, which the program inherits: with huge pages the system's settings would decide.
    ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
    os.environ["SWIFT_DETERMINISTIC_HASHING"] = "1"
    subprocess.run(["cat", unmask], stdout=subprocess.DEVNULL, check=True)
    with tempfile.TemporaryDirectory() as folder:
        for make in (open_conversations, out_of_order, long_messages):
            path = pathlib.Path(folder, "capture.pcap")
            with open(path, "wb") as file:
                make(Capture(file))
            peaks = [peak(unmask, path) for _ in range(RUNS)]
            print("memory", make.__name__.replace("_", "-"), statistics.median(peaks), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
