#!/usr/bin/env python3
"""bench_http_load.py FOLDER: makes the captures `tls`, `h2` and `json` for `make bench`, each with what is true of it.

tls   HTTP/1.1 inside TLS 1.3 (AES-128-GCM), with its key log beside it; needs the package cryptography
h2    HTTP/2 in the clear, with header tables, several streams at once, and bodies of a few kilobytes
json  WebSocket, small messages of JSON each way, those of the client masked

All are written packet by packet: what is in them is known, and they are the same on every machine. What is there already stays.
"""

import hashlib
import hmac
import json
import pathlib
import struct
import sys

MSS = 1448
CONNECTIONS, EXCHANGES = 200, 60
BODY = json.dumps([{"id": n, "name": f"item {n}", "price": n * 7 % 100 / 4, "tags": ["a", "b"]} for n in range(40)]).encode()


class Capture:
    """A pcap file that grows packet by packet, a packet every ten microseconds."""

    def __init__(self, file):
        self.file, self.packets, self.requests, self.messages = file, 0, 0, 0
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))

    def packet(self, source, target, ports, numbers, flags, payload):
        segment = struct.pack(">HHIIBBHHH", *ports, *numbers, 5 << 4, flags, 65535, 0, 0) + payload
        packet = bytes(12) + b"\x08\0" + struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(segment), 0, 0x4000, 64, 6, 0, source, target) + segment
        time = 1_700_000_000_000_000_000 + self.packets * 10_000
        self.file.write(struct.pack("<IIII", time // 10**9, time % 10**9, len(packet), len(packet)) + packet)
        self.packets += 1


class Connection:
    """One TCP connection; each run of bytes is acknowledged."""

    def __init__(self, capture, number, port):
        self.capture = capture
        self.ends = [(0x0A000000 + number, 20_000 + number % 40_000), (0x0AFF0001, port)]
        self.next = [1_000, 2_000]
        self.send(0, b"", 2)
        self.send(1, b"", 0x12)
        self.send(0, b"", 0x10)

    def send(self, side, payload, flags=0x18):
        (source, sport), (target, tport) = self.ends[side], self.ends[1 - side]
        numbers = (self.next[side], self.next[1 - side] if flags & 0x10 else 0)
        self.capture.packet(source, target, (sport, tport), numbers, flags, payload)
        self.next[side] += len(payload) + (1 if flags & 3 else 0)

    def say(self, side, payload):
        for at in range(0, len(payload), MSS):
            self.send(side, payload[at : at + MSS])
        self.send(1 - side, b"", 0x10)

    def close(self):
        for side in (0, 1):
            self.send(side, b"", 0x11)
        self.send(0, b"", 0x10)


def expand(secret, label, length):
    """HKDF-Expand-Label with an empty context (RFC 8446, section 7.1), for lengths up to one hash."""
    info = struct.pack(">HB", length, 6 + len(label)) + b"tls13 " + label + b"\0"
    return hmac.new(secret, info + b"\x01", hashlib.sha256).digest()[:length]


class Sealer:
    """Seals records under one traffic secret."""

    def __init__(self, secret):
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.cipher, self.vector, self.sequence = AESGCM(expand(secret, b"key", 16)), expand(secret, b"iv", 12), 0

    def seal(self, content, kind=23):
        out = b""
        for at in range(0, len(content), 16384):
            inner = content[at : at + 16384] + bytes([kind])
            header = struct.pack(">BHH", 23, 0x0303, len(inner) + 16)
            nonce = (int.from_bytes(self.vector) ^ self.sequence).to_bytes(12)
            out += header + self.cipher.encrypt(nonce, inner, header)
            self.sequence += 1
        return out


def message(kind, body):
    return bytes([kind]) + struct.pack(">I", len(body))[1:] + body


def sized(size, body):
    return len(body).to_bytes(size) + body


def extension(kind, body):
    return struct.pack(">HH", kind, len(body)) + body


def handshake(connection, number, log):
    """A handshake of TLS 1.3; nobody holds a certificate or a signature against anything. Returns what seals the data of each side."""
    random = [hashlib.sha256(f"{number} {side}".encode()).digest() for side in ("client", "server")]
    labels = ["CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]
    secrets = [hashlib.sha256(f"{number} {label}".encode()).digest() for label in labels]
    for label, secret in zip(labels, secrets):
        log.write(f"{label} {random[0].hex()} {secret.hex()}\n")
    key = b"\x00\x1d" + sized(2, random[0])
    asked = extension(0, sized(2, b"\0" + sized(2, b"bench.example"))) + extension(43, sized(1, b"\x03\x04"))
    asked += extension(51, sized(2, key)) + extension(13, sized(2, b"\x04\x03")) + extension(16, sized(2, sized(1, b"http/1.1")))
    hello = message(1, b"\x03\x03" + random[0] + sized(1, b"") + sized(2, b"\x13\x01") + sized(1, b"\0") + sized(2, asked))
    agreed = extension(43, b"\x03\x04") + extension(51, key)
    answer = message(2, b"\x03\x03" + random[1] + sized(1, b"") + b"\x13\x01\0" + sized(2, agreed))
    connection.say(0, struct.pack(">BHH", 22, 0x0301, len(hello)) + hello)
    flight = message(8, sized(2, extension(16, sized(2, sized(1, b"http/1.1"))))) + message(15, b"\x04\x03" + sized(2, bytes(70)))
    flight += message(20, bytes(32))
    client, server = Sealer(secrets[0]), Sealer(secrets[1])
    connection.say(1, struct.pack(">BHH", 22, 0x0303, len(answer)) + answer + server.seal(flight, 22))
    connection.say(0, client.seal(message(20, bytes(32)), 22))
    return Sealer(secrets[2]), Sealer(secrets[3])


def tls(capture, folder):
    with open(folder / "tls.pcap.keys", "w", encoding="ascii") as log:
        for number in range(CONNECTIONS):
            connection = Connection(capture, number, 443)
            client, server = handshake(connection, number, log)
            for index in range(EXCHANGES):
                head = f"GET /items/{number}/{index} HTTP/1.1\r\nHost: bench.example\r\nAccept: application/json\r\nCookie: session=0123456789abcdef\r\n\r\n"
                connection.say(0, client.seal(head.encode()))
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\nETag: \"{index}\"\r\n\r\n"
                connection.say(1, server.seal(head.encode() + BODY))
                capture.requests += 1
            connection.close()


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(index, value):
    """A value with the name of an entry, which goes into the table."""
    return bytes([0x40 | index]) + sized(1, value)


def h2(capture, folder):
    common = literal(1, b"bench.example") + literal(58, b"bench/1.0") + literal(19, b"application/json") + literal(32, b"session=0123456789abcdef")
    typed = literal(31, b"application/json") + literal(54, b"bench/1.0")
    for number in range(CONNECTIONS):
        connection = Connection(capture, number, 8080)
        connection.say(0, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + frame(8, 0, 0, struct.pack(">I", 1 << 30)))
        connection.say(1, frame(4, 0, 0) + frame(4, 1, 0))
        connection.say(0, frame(4, 1, 0))
        for first in range(0, EXCHANGES, 3):
            asked, begun, rest = b"", b"", b""
            for index in range(first, first + 3):
                stream, path = 2 * index + 1, f"/items/{number}/{index}".encode()
                # Four fields of the table once the first request has put them there; a path that stays out of it.
                block = b"\x82\x86\x04" + sized(1, path) + (common if index == 0 else b"\xc1\xc0\xbf\xbe")
                asked += frame(1, 5, stream, block)
                begun += frame(1, 4, stream, b"\x88" + (typed if index == 0 else b"\xbf\xbe") + b"\x0f\x0d" + sized(1, str(len(BODY)).encode()))
                begun += frame(0, 0, stream, BODY[:1000])
                rest += frame(0, 1, stream, BODY[1000:])
                capture.requests += 1
            connection.say(0, asked)
            connection.say(1, begun + rest)
        connection.close()


def frame_of_text(text, key=None):
    """A WebSocket frame of one text message (RFC 6455, section 5.2), masked where there is a key."""
    length = bytes([len(text)]) if len(text) < 126 else b"\x7e" + struct.pack(">H", len(text))
    if key is None:
        return b"\x81" + length + text
    return b"\x81" + bytes([length[0] | 0x80]) + length[1:] + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(text))


def json_messages(capture, folder):
    asked = "GET /feed HTTP/1.1\r\nHost: bench.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    agreed = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    for number in range(20):
        connection = Connection(capture, number, 8080)
        connection.say(0, asked.encode())
        connection.say(1, agreed.encode())
        for index in range(2_000):
            said = {"type": "order", "id": index, "user": {"name": f"user {number}", "tags": ["a", "b"]}, "price": index * 7 % 100 / 4, "note": "x" * 60, "done": index % 2 == 0}
            side = index % 2
            connection.say(side, frame_of_text(json.dumps(said).encode(), None if side else struct.pack(">I", 0x9E3779B9 * index & 0xFFFFFFFF)))
            capture.messages += 1
        connection.close()
    capture.requests = 20


def main(folder):
    for name, write in (("tls", tls), ("h2", h2), ("json", json_messages)):
        path = folder / f"{name}.pcap"
        if (folder / f"{name}.pcap.truth.json").exists():
            continue
        try:
            with open(path, "wb") as file:
                capture = Capture(file)
                write(capture, folder)
        except ImportError:
            path.unlink()
            print("skipped: tls, which needs the Python package cryptography")
            continue
        known = {"packets": capture.packets, "requests": capture.requests}
        if capture.messages:
            known["messages"] = capture.messages
        pathlib.Path(f"{path}.truth.json").write_text(json.dumps(known))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
