#!/usr/bin/env python3
"""fuzz_seeds.py FUZZER FOLDER: writes seeds for one fuzzer, made from fixtures/.

capture-file   the captures as they are
packets        their packets, in the form that Tests/Support/Fuzzers/PacketFuzzing.swift reads
http1          the talks of talk.wire, in the form that Tests/Support/Fuzzers/TalkFuzzing.swift reads
websocket      the same behind the opening handshake
"""

import pathlib
import re
import struct
import sys

import wiretext

LONGEST = 1400
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
# The order of the tables in PacketFuzzing.swift and TalkFuzzing.swift.
LINK_TYPES = [1, 0, 101, 113, 276, 105, 119, 127, 9, 51, 104, 163, 166, 192, 239, 258]


def captures():
    for path in sorted(FIXTURES.glob("*/capture.pcap*")):
        yield path.parent.name, path.read_bytes()


def packets(capture):
    """The link type and the bytes of each packet of a pcap or pcapng file of either byte order."""
    if capture[:4] != b"\x0a\x0d\x0d\x0a":
        order = "<" if capture[:1] in b"\xd4\x4d" else ">"
        link, at = struct.unpack_from(order + "I", capture, 20)[0], 24
        while at + 16 <= len(capture):
            length = struct.unpack_from(order + "I", capture, at + 8)[0]
            yield link, capture[at + 16 : at + 16 + length]
            at += 16 + length
        return
    order = "<" if capture[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    links, at = [], 0
    while at + 12 <= len(capture):
        kind, length = struct.unpack_from(order + "II", capture, at)
        if kind == 1:
            links.append(struct.unpack_from(order + "H", capture, at + 8)[0])
        elif kind == 6:
            interface, _, _, captured = struct.unpack_from(order + "IIII", capture, at + 8)
            yield links[interface], capture[at + 28 : at + 28 + captured]
        at += length


def packet_seed(capture):
    out = bytearray([1])
    for link, data in packets(capture):
        if link in LINK_TYPES:
            out += struct.pack(">BH", LINK_TYPES.index(link), min(len(data), 65535)) + data[:65535]
    return bytes(out)


def dialogues():
    """Of each wire text: its name, and who sent which bytes."""
    for path in sorted(FIXTURES.glob("*/talk.wire")):
        text = path.read_text(encoding="utf-8")
        if "capture large" in text:
            continue
        said = []

        class Listening(wiretext.Talk):
            def send(self, side, payload):
                if self.together is None:
                    said.append((side, bytes(payload)))
                super().send(side, payload)

        wiretext.Talk = Listening
        wiretext.Script().run(text)
        wiretext.Talk = Listening.__base__
        yield path.parent.name, said


def talk_seed(choice, said):
    out = bytearray([choice])
    for side, payload in said:
        for at in range(0, len(payload), LONGEST):
            run = payload[at : at + LONGEST]
            out += struct.pack(">BH", side, len(run)) + run
    return bytes(out)


def websocket_seed(said):
    """Without the handshake, if there is one; the first byte says what it agreed to."""
    answers = [payload for side, payload in said if payload.startswith(b"HTTP/1.1 101")]
    if not answers:
        return talk_seed(16, said)
    head = answers[0].split(b"\r\n\r\n")[0]
    agreed = re.search(rb"(?im)^sec-websocket-extensions: *(.*)$", head)
    agreed = agreed.group(1) if agreed else b""
    choice = 0 if b"deflate" not in agreed else 2 if b"no_context" in agreed else 3 if b"window_bits" in agreed else 1
    frames = [(side, payload.split(b"\r\n\r\n", 1)[-1] if payload[:5] in (b"GET /", b"HTTP/") else payload) for side, payload in said]
    return talk_seed(choice, frames)


def seeds(fuzzer):
    if fuzzer == "capture-file":
        yield from captures()
    elif fuzzer == "packets":
        for name, capture in captures():
            yield name, packet_seed(capture)
    elif fuzzer == "http1":
        for name, said in dialogues():
            yield name, talk_seed(64, said)
    elif fuzzer == "websocket":
        for name, said in dialogues():
            yield name, websocket_seed(said)
    else:
        sys.exit(f"fuzz_seeds.py: no fuzzer {fuzzer}")


def main(fuzzer, folder):
    for name, seed in seeds(fuzzer):
        (pathlib.Path(folder) / name).write_bytes(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
