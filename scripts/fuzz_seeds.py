#!/usr/bin/env python3
"""fuzz_seeds.py FUZZER FOLDER: writes seeds for one fuzzer, made from fixtures/.

capture-file   the captures as they are
packets        their packets, in the form that Tests/Support/Fuzzers/PacketFuzzing.swift reads
http1          the talks of talk.wire, in the form that Tests/Support/Fuzzers/TalkFuzzing.swift reads
websocket      the same behind the opening handshake
payloads       payloads in the form that Tests/Support/Fuzzers/PayloadFuzzing.swift reads: those of expected.ndjson that a format reads,
               and one of each format that no fixture has
"""

import base64
import json
import pathlib
import re
import struct
import sys

import wiretext

LONGEST = 1400
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
# The order of the tables in PacketFuzzing.swift and TalkFuzzing.swift.
LINK_TYPES = [1, 0, 101, 113, 276, 105, 119, 127, 9, 51, 104, 163, 166, 192, 239, 258]
# The order of the table in PayloadTable.swift; a test holds the two against each other.
FORMATS = """
socket.io sockjs graphql-ws actioncable wamp stomp mqtt xmpp redis amqp nats irc phoenix signalr signalr json-rpc sse json-lines json
msgpack cbor bson form multipart grpc image xml protobuf
""".split()
TEXT, BINARY, FRAMED, BODY, FOUND = 0, 1, 2, 3, 4
# What no fixture has: how it is carried, the number of the settings in PayloadFuzzing.swift, the payload.
SAMPLES = {
    "sockjs": (TEXT, 3, b'a["SEND\\ndestination:/a\\n\\nhi\\u0000","x"]'),
    "graphql-ws": (TEXT, 4, b'{"id":"7","type":"subscribe","payload":{"query":"subscription N { m }"}}'),
    "actioncable": (TEXT, 5, b'{"command":"message","identifier":"{\\"channel\\":\\"C\\"}","data":"{\\"action\\":\\"a\\"}"}'),
    "wamp": (TEXT, 6, b'[48,7814135,{},"com.example.add",[1,2],{"a":1}]'),
    "wamp cbor": (BINARY, 13, bytes.fromhex("85 18 30 07 a0 63 616464 82 01 02")),
    "sockjs jsonp": (BODY, 13, b'/**/_jp.a("a[\\"x\\",\\"\\u00fc\\"]");'),
    "phoenix": (TEXT, 4, b'["3","4","room:1","phx_join",{"a":1}]'),
    "signalr": (TEXT, 0, b'{"type":1,"invocationId":"3","target":"Send","arguments":["x"]}\x1e{"type":6}\x1e'),
    "signalr pack": (BINARY, 0, bytes.fromhex("0e960180a137a2536493a168ffc09002 9106")),
    "json-rpc": (TEXT, 0, b'{"jsonrpc":"2.0","method":"sum","params":[1,2],"id":1}'),
    "sse": (BODY, 5, b'event: a\nid: 1\ndata: {"jsonrpc":"2.0","result":1,"id":1}\n\n: c\n\n'),
    "json-lines": (BODY, 4, b'{"a":1}\n[2]\n'),
    "json": (TEXT, 0, b'{"a":[1,{"b":"c\\n"}]}'),
    "msgpack": (BINARY, 0, bytes.fromhex("85a16193 01ca3dcccccd c4020102 a162d7ff0000000400000001 a163dc0002c0c3 05db0000000178 a164de0000")),
    "cbor": (BINARY, 0, bytes.fromhex("bf61619f018202f93c00ff61625f4101420203ff6163c1fb3ff80000000000006164a1057f6161ffff")),
    "bson": (BINARY, 0, bytes.fromhex("2b000000 016400000000000000f83f 036f000f000000 02730002000000780000 0b720061006900 00")),
    "form": (BODY, 9, b"a=1&b=x+y%20%C3%BC&a=&c&&%zz=%4"),
    "multipart": (BODY, 6, b'--b\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\nme\r\n--b\r\n\r\n\r\n--b--'),
    "grpc": (BODY, 7, bytes.fromhex("00000000050a036d652101000000010080 0000000f") + b"grpc-status: 5\n"),
    "image": (BODY, 11, bytes.fromhex("52494646240000005745425056503 84c180000002f7fc27700000000000000000000".replace(" ", ""))),
    "xml": (BODY, 10, b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e ''>]><a b=\"&lt;\"><!-- - --><![CDATA[x]]><b>&#10;</b></a>"),
    "protobuf": (BINARY, 0, bytes.fromhex("089601120268691a0301ac022a060a026d6518013a090a016112040a026d650b08010c7501000000")),
}


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


def payload_seed(name, carrier, setting, payloads):
    out = bytearray([FORMATS.index(name), carrier, setting])
    for side, payload in payloads:
        out += struct.pack(">BH", side, len(payload)) + payload
    return bytes(out)


def payloads():
    """Of each fixture the messages that its protocol frames, or that are Socket.IO's; then the samples."""
    for path in sorted(FIXTURES.glob("*/expected.ndjson")):
        said, how = [], None
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["kind"] == "upgrade" and "EIO=" in path.with_name("expected.txt").read_text(encoding="utf-8"):
                how = ("socket.io", TEXT, 1)
            if record["kind"] != "message":
                continue
            protocol = record.get("framing", {}).get("protocol")
            how = (protocol, FRAMED, 0) if protocol in FORMATS else how
            payload = record["text"].encode() if "text" in record else base64.b64decode(record.get("base64", ""))
            said.append((0 if record["from"] == "client" else 1, payload[:LONGEST]))
        if how and said:
            yield path.parent.name, payload_seed(*how, said[:64])
    for name, (carrier, setting, payload) in SAMPLES.items():
        seed = payload_seed(name.split()[0], carrier, setting, [(0, payload), (1, payload)])
        if name == "signalr pack":
            seed = bytes([FORMATS.index("signalr") + 1]) + seed[1:]
        yield f"format-{name.replace(' ', '-')}", seed
        # The same without the rule.
        yield f"found-{name.replace(' ', '-')}", seed[:1] + bytes([carrier | FOUND]) + seed[2:]


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
    elif fuzzer == "payloads":
        yield from payloads()
    else:
        sys.exit(f"fuzz_seeds.py: no fuzzer {fuzzer}")


def main(fuzzer, folder):
    for name, seed in seeds(fuzzer):
        (pathlib.Path(folder) / name).write_bytes(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
