"""A client and a server that exchange so many WebSocket messages a second through a proxy, with as little work as Python can do for it.

Run by itself it is the client: `console_load.py PORT RATE SECONDS` prints, for each batch, the number after its last message and when the last
byte of it was written, in seconds since 1970.
"""

import base64
import os
import socket
import struct
import sys
import threading
import time

#: Batches a second.
BEAT = 100


def head(connection):
    """The bytes up to the blank line."""
    got = b""
    while b"\r\n\r\n" not in got:
        part = connection.recv(4_096)
        if not part:
            raise EOFError(got)
        got += part
    return got


def frame(number):
    """A text message in one frame, masked with zeros (RFC 6455, section 5.2)."""
    text = b'{"number":%d,"word":"%s","text":"good morning from the other side"}' % (number, b"odd" if number & 1 else b"even")
    return struct.pack(">BBI", 0x81, 0x80 | len(text), 0) + text


class Sink:
    """A server that takes what comes, on a thread of its own; `port` is where it listens."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.count = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        import hashlib
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            request = head(connection)
            key = next(line.split(b":", 1)[1].strip() for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                               b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            threading.Thread(target=self.drain, args=(connection,), daemon=True).start()

    @staticmethod
    def drain(connection):
        room = bytearray(1 << 18)
        with connection:
            try:
                while connection.recv_into(room):
                    pass
            except OSError:
                pass

    def close(self):
        self.listener.close()


def send(port, rate, seconds):
    """Sends, and yields after each batch how many messages there were and when."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        key = base64.b64encode(os.urandom(16))
        connection.sendall(b"GET /load HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: " + key
                           + b"\r\nSec-WebSocket-Version: 13\r\n\r\n")
        head(connection)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begun, sent, batch = time.monotonic(), 0, max(1, rate // BEAT)
        while sent < rate * seconds:
            connection.sendall(b"".join(map(frame, range(sent, sent + batch))))
            sent += batch
            yield sent, time.time()
            time.sleep(max(0, begun + sent / rate - time.monotonic()))


def main():
    for sent, moment in send(*map(int, sys.argv[1:])):
        print(f"{sent} {moment:.4f}", flush=True)


if __name__ == "__main__":
    main()
