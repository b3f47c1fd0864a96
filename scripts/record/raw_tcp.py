#!/usr/bin/env python3
"""Protocols on raw TCP, and the ways in which a connection can end."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from recording import connect, read_until, recording
from websockets.sync.client import connect as open_websocket
from websockets.sync.server import serve


def listener(port, host="127.0.0.1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, port))
    server.listen()
    return server


def beside(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def framed(payload):
    return struct.pack(">I", len(payload)) + payload


def read_framed(peer):
    head = peer.recv(4, socket.MSG_WAITALL)
    return peer.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL) if len(head) == 4 else b""


def chat_server(server):
    peer, _ = server.accept()
    while message := read_framed(peer):
        peer.sendall(framed(b'{"ack":%d}' % len(message)))
    # The client has ended its direction; this one goes on (half-close).
    time.sleep(0.05)
    peer.sendall(framed(b'{"type":"bye"}'))
    peer.close()


with recording("raw-length-prefixed", "A chat of our own on raw TCP: messages behind a length of four bytes, the client half-closes first.", "tcp port 7000"):
    with listener(7000) as server:
        thread = beside(chat_server, server)
        with connect(7000) as peer:
            for text in (b'{"type":"join"}', b'{"type":"text","text":"hello"}'):
                message = framed(text)
                peer.sendall(message[:4])
                time.sleep(0.01)
                peer.sendall(message[4:])
                read_framed(peer)
            peer.sendall(framed(b'{"type":"like"}') + framed(b'{"type":"leave"}'))
            read_framed(peer), read_framed(peer)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(4096):
                pass
        thread.join(5)


def line_server(server):
    peer, _ = server.accept()
    peer.sendall(b"220 chat.example ready\r\n")
    while (line := read_until(peer, b"\r\n")) and not line.startswith(b"QUIT"):
        peer.sendall(b"250 " + line)
    peer.sendall(b"221 bye\r\n")
    peer.close()


with recording("raw-delimited", "A chat of our own on raw TCP in lines that end in CRLF, in the manner of SMTP; the server ends it.", "tcp port 7001"):
    with listener(7001) as server:
        thread = beside(line_server, server)
        with connect(7001) as peer:
            read_until(peer, b"\r\n")
            for line in (b"HELO ana\r\n", b"TEXT hello everybody\r\n", b"QUIT\r\n"):
                peer.sendall(line)
                read_until(peer, b"\r\n")
            while peer.recv(4096):
                pass
        thread.join(5)


# WebSockets without a Close frame.


def quiet_echo(socket):
    try:
        for message in socket:
            socket.send(message)
    except Exception:
        pass


def reset(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(peer.detach())


CHILD = """
import sys
from websockets.sync.client import connect
with connect("ws://127.0.0.1:9000/killed", compression=None) as socket:
    socket.send("the last that I say"); socket.recv()
    print("said", flush=True); sys.stdin.read()
"""
NOTE = """
WebSockets on loopback that end without a Close handshake: the client resets (SO_LINGER 0), the client is killed (SIGKILL), the client's
socket is closed without a Close frame.
"""
with recording("websocket-abrupt-ends", NOTE, "tcp port 9000"):
    with serve(quiet_echo, "127.0.0.1", 9000, compression=None, close_timeout=0.2) as server:
        beside(server.serve_forever)
        for end in (reset, lambda peer: peer.shutdown(socket.SHUT_WR)):
            raw = connect(9000)
            key = "dGhlIHNhbXBsZSBub25jZQ=="
            raw.sendall(
                f"GET /abrupt HTTP/1.1\r\nHost: 127.0.0.1:9000\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            read_until(raw, b"\r\n\r\n")
            raw.sendall(b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")
            raw.recv(4096)
            end(raw)
            time.sleep(0.4)
        child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
        time.sleep(0.4)
        server.shutdown()


# Captures that begin late or keep little.

for name, note, path in [
    ("websocket-midstream", "A WebSocket (Python's websockets on both ends) whose capture began after the handshake.", "/late"),
    ("websocket-midstream-deflate", "A compressed WebSocket (Python's websockets on both ends) whose capture began after the handshake and the first messages.", "/late"),
]:
    compression = "deflate" if name.endswith("deflate") else None
    with serve(quiet_echo, "127.0.0.1", 9000, compression=compression) as server:
        beside(server.serve_forever)
        with open_websocket("ws://127.0.0.1:9000" + path, compression=compression) as peer:
            peer.send("this was before the capture, and so was that")
            peer.recv()
            with recording(name, note, "tcp port 9000"):
                for text in ("what was before the capture is not here", "what was before the capture is still not here", "but this is"):
                    peer.send(text)
                    peer.recv()
                peer.ping(b"hb").wait(5)
                peer.close(1001, "leaving")
        server.shutdown()

with recording("websocket-snaplen-96", "A WebSocket (Python's websockets on both ends) of which 96 bytes a packet were captured.", "tcp port 9000", snaplen=96):
    with serve(quiet_echo, "127.0.0.1", 9000, compression=None) as server:
        beside(server.serve_forever)
        with open_websocket("ws://127.0.0.1:9000/cut", compression=None) as peer:
            for text in ("short", "longer than what is left of the ninety-six bytes of its packet", "short again"):
                peer.send(text)
                peer.recv()
        server.shutdown()
