#!/usr/bin/env python3
"""fuzz_seeds.py FUZZER FOLDER: writes seeds for one fuzzer, made from fixtures/. fuzz_seeds.py --formats lists the targets that the payload
formats are, and --number FORMAT says which first byte of an input chooses one.

capture-file   the captures as they are
packets        their packets, in the form that Tests/Support/Fuzzers/PacketFuzzing.swift reads
http1          the talks of talk.wire, in the form that Tests/Support/Fuzzers/TalkFuzzing.swift reads
websocket      the same behind the opening handshake
http2          talks in HTTP/2, in the form that Tests/Support/Fuzzers/HTTP2Fuzzing.swift reads
hpack          header blocks, in the form that Tests/Support/Fuzzers/HPACKFuzzing.swift reads: those of RFC 7541, appendix C
tls            key logs, records and talks of Tests/DecryptionTests/Recordings, in the forms that
               Tests/Support/Fuzzers/DecryptionFuzzing.swift reads
console        connections to the web console; the token and the names are those of Tests/ConsoleFuzzing
console-requests  requests in the form that Tests/ConsoleFuzzing/ConsoleRequests.swift reads
payloads       payloads in the form that Tests/Support/Fuzzers/PayloadFuzzing.swift reads: those of expected.ndjson that a format reads,
               and one of each format that no fixture has
"""

import base64
import gzip
import json
import pathlib
import re
import struct
import sys

import wiretext

LONGEST = 1400
RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "DecryptionTests" / "Recordings"
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
# The order of the tables in PacketFuzzing.swift and TalkFuzzing.swift.
LINK_TYPES = [1, 0, 101, 113, 276, 105, 119, 127, 9, 51, 104, 163, 166, 192, 239, 258]
# The order of the table in PayloadTable.swift; a test holds the two against each other.
FORMATS = """
socket.io sockjs graphql-ws actioncable wamp stomp mqtt xmpp redis amqp nats irc phoenix signalr signalr json-rpc sse json-lines json
msgpack cbor bson form multipart grpc image xml protobuf compression ocpp pusher
centrifugo
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
    "ocpp": (TEXT, 14, b'[2,"19","BootNotification",{"chargePointModel":"a","chargePointVendor":"b"}]'),
    "pusher": (TEXT, 15, b'{"event":"said","channel":"room","data":"{\\"text\\":\\"hi\\"}"}'),
    "centrifugo": (TEXT, 16, b'{"id":2,"subscribe":{"channel":"news"}}\n{"id":3,"rpc":{"method":"sum","data":{"a":1}}}'),
    "compression": (BINARY, 0, gzip.compress(b'{"op":0,"t":"READY"}', mtime=0)),
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


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def fields(*pairs):
    """A header block of literals that go into the table."""
    block = b""
    for name, value in pairs:
        block += b"\x40" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
    return block


def http2_talks():
    """Of each: the number of what was said before, as HTTP2Fuzzing.swift has it, and who sends which bytes."""
    get, post, ok = b"\x82\x84\x86\x41\x01x", b"\x83\x84\x86\x41\x01x", b"\x88"
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, struct.pack(">HIHI", 4, 100, 5, 16384))
    grpc = b"\0\0\0\0\x05\x0a\x03me!"
    yield "exchange", 0, [
        (0, preface + frame(1, 4, 1, post) + frame(0, 9, 1, b"\x03Hello\0\0\0")),
        (1, frame(4, 0, 0) + frame(4, 1, 0) + frame(1, 4, 1, ok + fields(("content-length", "2"))) + frame(0, 1, 1, b"ok")),
        (0, frame(4, 1, 0) + frame(8, 0, 0, b"\0\0\0\x09") + frame(6, 0, 0, b"12345678")),
        (1, frame(6, 1, 0, b"12345678") + frame(7, 0, 0, struct.pack(">II", 1, 2) + b"bye")),
    ]
    yield "continued", 1, [
        (0, frame(1, 1, 1, get[:3]) + frame(9, 0, 1, get[3:5]) + frame(9, 4, 1, get[5:]) + frame(2, 0, 3, b"\0\0\0\x01\x10")),
        (1, frame(5, 4, 1, b"\0\0\0\x02" + get) + frame(1, 5, 1, ok) + frame(1, 5, 2, ok) + frame(16, 0, 0, b"\0\0\0\x01u=1")),
        (0, frame(3, 0, 5, b"\0\0\0\x08") + frame(1, 0x2D, 3, b"\x01\0\0\0\x01\x10" + get + b"\x07")),
    ]
    yield "websocket", 2, [
        (0, frame(0, 0, 1, bytes.fromhex("818200000000") + b"hi") + frame(0, 0, 1, bytes.fromhex("888200000000") + b"\x03\xe8")),
        (1, frame(0, 0, 1, b"\x81\x02h") + frame(0, 1, 1, b"o\x88\x02\x03\xe8")),
    ]
    yield "tunnel", 3, [
        (0, frame(0, 0, 1, b"GET /in HTTP/1.1\r\nHost: x\r\n\r\n")),
        (1, frame(0, 1, 1, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
    ]
    coded = bytes.fromhex("1f8b08000000000000034b4c4a4e494d4bcfc8cc020065ba63390900 0000")
    yield "coded", 4, [(1, frame(0, 0, 1, coded[:14]) + frame(0, 0, 1, coded[14:]) + frame(1, 5, 1, fields(("a", "b"))))]
    yield "grpc", 5, [(0, frame(0, 1, 1, grpc * 2)), (1, frame(0, 0, 1, grpc) + frame(1, 5, 1, fields(("grpc-status", "5"))))]
    yield "lost", 6, [
        (0, b"\x01\x02" + frame(1, 5, 5, get) + frame(6, 0, 0, b"12345678")), (1, frame(1, 4, 5, ok)), (3, b""),
        (1, frame(0, 1, 5, b"x") + frame(4, 1, 0)),
    ]
    yield "upgraded", 7, [(1, frame(1, 4, 1, ok) + frame(0, 1, 1, b"up"))]


def http2_seed(choice, said):
    """As talk_seed, with gaps of 64 bytes where a step is 2 or 3."""
    out = bytearray([choice])
    for step, payload in said:
        out += struct.pack(">BH", step, 64 if step > 1 else len(payload)) + payload
    return bytes(out)


# Requests and responses of RFC 7541, appendices C.3 to C.6: sender and block.
BLOCKS = [
    (0, "828684410f7777772e6578616d706c652e636f6d"),
    (0, "828684be58086e6f2d6361636865"),
    (0, "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"),
    (1, "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3"),
    (0, "828684418cf1e3c2e5f23a6ba0ab90f4ff"),
    (1, "4883640effc1c0bf"),
    (0, "3fe11f828684be5886a8eb10649cbf"),
    (1, "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f95"
        "87316065c003ed4ee5b1063d5007"),
]


def hpack_seeds():
    for name, choice in (("plain", 0), ("tight", 1), ("no-table", 2), ("large-table", 4), ("lost", 8)):
        out = bytearray([choice])
        for side, block in BLOCKS:
            block = bytes.fromhex(block)
            out += struct.pack(">BH", side | 2 | len(out) % 64 << 2, len(block)) + block
        yield name, bytes(out)


def tls_seeds():
    for folder in sorted(RECORDINGS.iterdir()):
        wire, at, runs = (folder / "wire").read_bytes(), 0, []
        while at + 5 <= len(wire):
            side, length = struct.unpack_from(">BI", wire, at)
            runs.append((side, wire[at + 5 : at + 5 + length]))
            at += 5 + length
        if len(wire) > 12000:
            continue
        yield f"keys-{folder.name}", b"\0" + (folder / "keys").read_bytes()
        yield f"talk-{folder.name}", talk_seed(2, runs)
        streams, records = {0: b"", 1: b""}, b""
        for side, run in runs:
            streams[side] += run
            while len(streams[side]) >= 5 and len(streams[side]) >= 5 + struct.unpack_from(">H", streams[side], 3)[0]:
                kind, _, length = struct.unpack_from(">BHH", streams[side])
                records += struct.pack(">BH", side | 4 | (kind - 20 & 7) << 3, length) + streams[side][5 : 5 + length]
                streams[side] = streams[side][5 + length :]
        yield f"records-{folder.name}", b"\x01" + records
        yield f"opened-{folder.name}", b"\x03" + records


REQUESTS = [
    ["Gstate", "Gconversations?from=0&count=3&sort=bytes&order=down&match=a", "Gconversations/1", "Grecords/5", "Gpayloads/5?from=1&count=3", "Gnotes"],
    ['Pviews\n{"filter":"message.length > 3 or http.request.method == \\"GET\\"","kinds":"messages"}', "Gviews/v1/rows?from=0&count=5", "Gviews/v1/position?id=6"],
    ['Pviews\n{"conversation":2,"search":"word","heartbeats":false}', "Gviews/v1/timeline?buckets=20", "Gstatistics?view=v1", "Pviews/v1/close\n{}"],
    ['Pviews\n{"since":"1795211040000000000","until":1795211100000000000,"replaces":"v1"}', "Gviews/v2/rows?from=9007199254740992&count=9223372036854775807"],
    ['Pnotes\n{"row":3,"text":"a","mark":true}', 'Pnotes\n{"conversation":1,"text":""}', 'Pcomplete\n{"text":"message.le"}', "Gviews/v1/position?id=-1"],
    ['Pviews\n{"filter":"message.text matches \\"(a+)+$\\" and not closed","search":"\\u00fc"}', "Gviews/v1/rows", "L", '{"view":"v1"}', '{"view":null}'],
    ["L", '{"view":"v9"}', "[]", "{"],
]


def console_seeds():
    host, token = "Host: 127.0.0.1:8181\r\n", "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n"
    yield "page", f"GET / HTTP/1.1\r\n{host}\r\nHEAD /theme.css HTTP/1.1\r\nHost: LOCALHOST:8181\r\nOrigin: http://localhost:8181\r\n\r\n".encode()
    yield "state", f"GET /api/state HTTP/1.1\r\n{host}{token}\r\nGET /api/records/%35 HTTP/1.0\r\n{host}{token}\r\n".encode()
    yield "refused", f"GET /api/state HTTP/1.1\r\n{host}\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode()
    yield "elsewhere", f"GET /api/state HTTP/1.1\r\nHost: [::1]:8181\r\nOrigin: null\r\n{token}\r\n".encode()
    body = '{"filter":"message","kinds":"all"}'
    yield "post", f"POST /api/views HTTP/1.1\r\n{host}{token}Content-Length: {len(body)}\r\n\r\n{body}GET /api/views/v1/rows HTTP/1.1\r\n{host}{token}\r\n".encode()
    yield "chunked", f"POST /api/views HTTP/1.1\r\n{host}{token}Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n{len(body):x};a=b\r\n{body}\r\n0\r\nX: y\r\n\r\n".encode()
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    live = f"GET /api/live HTTP/1.1\r\n{host}Origin: http://127.0.0.1:8181\r\n{upgrade}\r\n".encode()
    first = b'{"token":"0123456789abcdef0123456789abcdef"}'
    frames = bytes([0x81, 0x80 | len(first), 0, 0, 0, 0]) + first + bytes.fromhex("8184") + b"abcd" + bytes.fromhex("1a1f1e19")
    yield "live", live + frames + bytes.fromhex("898200000000") + b"hi" + bytes.fromhex("888200000000") + b"\x03\xe8"
    yield "frames", live + bytes.fromhex("010100") + bytes.fromhex("82fe00800000000080") + bytes.fromhex("81ff7fffffffffffffff00000000")


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
    elif fuzzer == "http2":
        for name, choice, said in http2_talks():
            yield name, http2_seed(choice, said)
            yield f"{name}-tight", http2_seed(choice | 8, said)
            yield f"{name}-midstream", http2_seed(choice | 16, said)
    elif fuzzer == "hpack":
        yield from hpack_seeds()
    elif fuzzer == "tls":
        yield from tls_seeds()
    elif fuzzer == "console":
        yield from console_seeds()
    elif fuzzer == "console-requests":
        for number, requests in enumerate(REQUESTS):
            yield str(number), "\0".join(requests).encode()
    elif fuzzer == "payloads":
        yield from payloads()
    else:
        sys.exit(f"fuzz_seeds.py: no fuzzer {fuzzer}")


def targets():
    """The formats in the order of the table. SignalR has two rows: JSON, then MessagePack."""
    return [f"{name}-pack" if name in FORMATS[:index] else name for index, name in enumerate(FORMATS)]


def main(fuzzer, folder=None):
    if fuzzer == "--formats":
        print("\n".join(f"payloads/{name}" for name in targets()))
        return
    if fuzzer == "--number":
        if folder not in targets():
            sys.exit(f"fuzz_seeds.py: no payload format {folder}; there are {', '.join(targets())}")
        print(targets().index(folder))
        return
    for name, seed in seeds(fuzzer):
        (pathlib.Path(folder) / name).write_bytes(seed)


if __name__ == "__main__":
    main(*sys.argv[1:])
