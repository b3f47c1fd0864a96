#!/usr/bin/env python3
"""wiretext.py TALK.wire CAPTURE.pcap: makes a capture file from a wire text.

A wire text is a talk between a client and a server written down by hand, one element a line, with the order, the loss and
the overlap of its TCP segments chosen. What it makes is the same every time. Only Python's standard library is needed.

    # A greeting, then a clean end.
    > ws upgrade /chat
    < ws accept
    > ws text "Hello"
    wait 1.2s
    < ws close 1000 "bye"
    > ws close 1000
    < fin
    > fin

The whole language is in fixtures/README.md; the tables ELEMENTS and DIRECTIVES below are its words.
"""

import base64
import hashlib
import ipaddress
import re
import struct
import sys
import zlib

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
WEBSOCKET_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
OPCODES = {"continuation": 0, "text": 1, "binary": 2, "close": 8, "ping": 9, "pong": 10}
LINK_TYPES = {"null": 0, "ethernet": 1, "raw": 101, "sll": 113, "pktap": 258, "sll2": 276}
SEQUENCE_SPACE = 1 << 32


class WireError(Exception):
    """Something in the text that cannot be followed."""


# --- The text ------------------------------------------------------------------------------------------------------


class Payload(bytes):
    """Bytes that stood in the text as "…" or 0x…, told apart from words."""


def unescape(text):
    r"""The bytes of a text with \r \n \t \0 \\ \" and \xNN in it."""
    named = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\", '"': b'"'}
    out, at = bytearray(), 0
    while at < len(text):
        if text[at] != "\\":
            out += text[at].encode()
            at += 1
        elif text[at + 1 : at + 2] == "x":
            out.append(int(text[at + 2 : at + 4], 16))
            at += 4
        elif text[at + 1 : at + 2] in named:
            out += named[text[at + 1]]
            at += 2
        else:
            raise WireError(f"unknown escape in {text!r}")
    return bytes(out)


def tokens(line):
    """The words of a line; strings and hexadecimal numbers become Payloads."""
    found = []
    for match in re.finditer(r'"((?:[^"\\]|\\.)*)"|0x((?:[0-9a-fA-F]{2})+)(?=\s|$)|(\S+)', line):
        if match[1] is not None:
            found.append(Payload(unescape(match[1])))
        elif match[2] is not None:
            found.append(Payload(bytes.fromhex(match[2])))
        else:
            found.append(match[3])
    return found


def options_of(words, known):
    """Takes `name=value` and bare option names out of the words; answers both parts."""
    options, rest = {}, []
    for word in words:
        name, _, value = word.partition("=") if isinstance(word, str) else ("", "", "")
        if name in known:
            options[name] = value
        else:
            rest.append(word)
    return options, rest


def number(word):
    if isinstance(word, Payload):  # 0x…, where a number is wanted
        return int.from_bytes(word, "big")
    try:
        return int(word, 0)
    except (TypeError, ValueError):
        raise WireError(f"a number was expected, not {word!r}") from None


def seconds(word):
    """Nanoseconds of `1.2s`, `300ms`, `5us`."""
    match = re.fullmatch(r"([0-9.]+)(s|ms|us|ns)", word)
    if not match:
        raise WireError(f"a time such as 1.2s or 300ms was expected, not {word!r}")
    return round(float(match[1]) * {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[match[2]])


# --- The capture file ----------------------------------------------------------------------------------------------


class Capture:
    """The packets in the order in which they were seen, and how the file is written."""

    def __init__(self):
        self.packets = []  # (nanoseconds, bytes, captured length, direction and process)
        self.clock = 1_795_211_280_123_000_000  # 2026-11-20T21:48:00.123Z
        self.tick = 200_000
        self.link_type = "ethernet"
        self.snaplen = 262_144
        self.every_packet_twice = False
        self.nanoseconds = False
        self.big_endian = False
        self.pcapng = False

    def add(self, frame, captured=None, origin=(0, None)):
        length = min(len(frame), self.snaplen, captured if captured is not None else len(frame))
        for _ in range(2 if self.every_packet_twice else 1):
            self.packets.append((self.clock, frame, length, origin))
        self.clock += self.tick

    def write(self, file):
        order = ">" if self.big_endian else "<"
        if self.pcapng:
            return self.write_blocks(file, order)
        magic, divisor = (0xA1B23C4D, 1) if self.nanoseconds else (0xA1B2C3D4, 1000)
        file.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, self.snaplen, LINK_TYPES[self.link_type]))
        for time, frame, length, _ in self.packets:
            whole, rest = divmod(time, 1_000_000_000)
            file.write(struct.pack(order + "IIII", whole, rest // divisor, length, len(frame)))
            file.write(frame[:length])

    def write_blocks(self, file, order):
        """As tcpdump of macOS writes pcapng: a block for each process, and its number beside each packet (pcap/pcap-ng.h of Apple's libpcap)."""

        def block(kind, body, *options):
            for code, value in options:
                body += struct.pack(order + "HH", code, len(value)) + value + b"\0" * (-len(value) % 4)
            body += struct.pack(order + "HH", 0, 0) if options else b""
            file.write(struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12))

        block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        block(1, struct.pack(order + "HHI", LINK_TYPES[self.link_type], 0, self.snaplen), (2, b"en0"))
        processes = []
        for time, frame, length, (side, process) in self.packets:
            options = [(2, struct.pack(order + "I", 1 if side else 2))]
            if process:
                if process not in processes:
                    processes.append(process)
                    block(0x80000001, struct.pack(order + "I", process[1]), (2, process[0]))
                options.insert(0, (0x8001, struct.pack(order + "I", processes.index(process))))
            microseconds = time // 1000
            head = struct.pack(order + "IIIII", 0, microseconds >> 32, microseconds & 0xFFFFFFFF, length, len(frame))
            block(6, head + frame[:length] + b"\0" * (-length % 4), *options)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# --- A talk --------------------------------------------------------------------------------------------------------


class Deflater:
    """What one side compresses its messages with (RFC 7692, section 7)."""

    def __init__(self, bits=15, takeover=True):
        self.bits, self.takeover, self.stream = bits, takeover, None

    def compress(self, payload, last_block=False):
        if last_block:  # One block with BFINAL set, after which nothing of the context is left (section 7.2.3.4).
            stream, self.stream = zlib.compressobj(9, zlib.DEFLATED, -max(self.bits, 9)), None
            return stream.compress(payload) + stream.flush(zlib.Z_FINISH) + b"\0"
        if self.stream is None or not self.takeover:
            self.stream = zlib.compressobj(9, zlib.DEFLATED, -max(self.bits, 9))
        out = self.stream.compress(payload) + self.stream.flush(zlib.Z_SYNC_FLUSH)
        return out[:-4]  # without the 00 00 ff ff of the flush (section 7.2.1)


class Peer:
    """One side of a talk."""

    def __init__(self, address, port, initial):
        self.address, self.port = ipaddress.ip_address(address), port
        self.initial = self.next = initial
        self.window = 64_240
        self.packet_id = initial & 0x0FFF
        self.deflater = Deflater()
        self.last = (initial, b"")  # where the element sent last began, and its bytes


class Shape:
    """What the next element's segments go through; used once."""

    def __init__(self):
        self.cuts, self.order, self.dropped, self.doubled, self.snap = [], None, None, None, {}


class Talk:
    """One TCP connection."""

    def __init__(self, capture, index, options):
        self.capture = capture
        ipv6 = "ipv6" in options
        client, server = ("fd00::5", "fd00::9") if ipv6 else ("10.0.0.5", "10.0.0.9")
        client, client_port = split_endpoint(options.get("client"), client, 51_422 + index)
        server, server_port = split_endpoint(options.get("server"), server, 8080)
        self.peers = [Peer(client, client_port, 0x1000_0000 + index * 0x10_0000), Peer(server, server_port, 0x5000_0000 + index * 0x10_0000)]
        self.vlan = number(options["vlan"]) if "vlan" in options else None
        name, _, identifier = options.get("process", "").rpartition(":")
        self.process = (name.encode(), number(identifier)) if name else None
        self.start = "handshake"
        self.started = False
        self.mss = 1448
        self.acks = True
        self.fragment_size, self.fragments_turned = None, False
        self.shape = Shape()
        self.together = None  # (side, bytes) while elements are gathered
        self.key = base64.b64encode(b"the sample nonce").decode()
        self.masks = 0

    def masking_key(self):
        """A different key for each frame, the same ones every time."""
        self.masks += 1
        return hashlib.sha1(b"mask %d" % self.masks).digest()[:4]

    # Packets

    def segment(self, side, flags, sequence, payload=b"", captured=None, acknowledgement=None, options=b""):
        sender, receiver = self.peers[side], self.peers[1 - side]
        if acknowledgement is None:
            acknowledgement = receiver.next if flags & ACK else 0
        offset = (20 + len(options)) // 4
        head = struct.pack(
            ">HHIIBBHHH", sender.port, receiver.port, sequence % SEQUENCE_SPACE, acknowledgement % SEQUENCE_SPACE,
            offset << 4, flags, sender.window, 0, 0)
        segment = head + options + payload
        if sender.address.version == 4:
            pseudo = sender.address.packed + receiver.address.packed + struct.pack(">BBH", 0, 6, len(segment))
        else:
            pseudo = sender.address.packed + receiver.address.packed + struct.pack(">IHBB", len(segment), 0, 0, 6)
        segment = segment[:16] + struct.pack(">H", checksum(pseudo + segment)) + segment[18:]
        self.packet(side, 6, segment, captured)

    def packet(self, side, protocol, payload, captured=None):
        """One IP packet, or the fragments of one (RFC 791, section 3.2; RFC 8200, section 4.5)."""
        sender, receiver = self.peers[side], self.peers[1 - side]
        sender.packet_id = (sender.packet_id + 1) & 0xFFFF
        size = self.fragment_size
        if not size or len(payload) <= size:
            head = ip_header(sender, receiver, protocol, len(payload))
            self.capture.add(self.link_header(side) + head + payload, captured, (side, self.process))
            return
        starts = list(range(0, len(payload), size))
        for start in starts[1:] + starts[:1] if self.fragments_turned else starts:
            part, more = payload[start : start + size], start + size < len(payload)
            head = ip_header(sender, receiver, protocol, len(part), fragment=(start // 8, more))
            self.capture.add(self.link_header(side) + head + part, captured, (side, self.process))

    def link_header(self, side):
        ether_type = 0x0800 if self.peers[0].address.version == 4 else 0x86DD
        addresses = [bytes.fromhex("020000000005"), bytes.fromhex("020000000009")]
        link = self.capture.link_type
        if link == "null":
            return struct.pack("<I", 2 if ether_type == 0x0800 else 10)
        if link == "raw":
            return b""
        if link == "sll":
            return struct.pack(">HHH", 0 if side else 4, 1, 6) + addresses[side] + b"\0\0" + struct.pack(">H", ether_type)
        if link == "sll2":
            return struct.pack(">HHIHBB", ether_type, 0, 2, 1, 0 if side else 4, 6) + addresses[side] + b"\0\0"
        if link == "pktap":
            return self.pktap_header(side) + addresses[1 - side] + addresses[side] + struct.pack(">H", ether_type)
        tag = struct.pack(">HH", 0x8100, self.vlan) if self.vlan is not None else b""
        return addresses[1 - side] + addresses[side] + tag + struct.pack(">H", ether_type)

    def pktap_header(self, side):
        """struct pktap_header of macOS (bsd/net/pktap.h) up to pth_ecomm: a packet of Ethernet on en0, and its process, or -1 for none."""
        name, identifier = self.process or (b"", 0xFFFFFFFF)
        family = 2 if self.peers[0].address.version == 4 else 30
        return struct.pack(
            "<III24sIIIII20sIHHI20s", 108, 1, 1, b"en0", 1 if side else 2, family, 14, 0, identifier, name, 0, 6, 0, 0xFFFFFFFF, b"")

    # The connection

    def begin(self):
        if self.started:
            return
        self.started = True
        client, server = self.peers
        if self.start == "midstream":
            return
        for peer in self.peers:
            peer.next = peer.initial + 1
        maximum = struct.pack(">BBH", 2, 4, 1460)
        if self.start == "simultaneous":
            self.segment(0, SYN, client.initial, options=maximum)
            self.segment(1, SYN, server.initial, options=maximum)
            self.segment(1, SYN | ACK, server.initial, options=maximum)
            self.segment(0, SYN | ACK, client.initial, options=maximum)
            return
        self.segment(0, SYN, client.initial, options=maximum)
        self.segment(1, SYN | ACK, server.initial, options=maximum)
        self.segment(0, ACK, client.next)

    def send(self, side, payload):
        """Sends the bytes of one element, in the segments that were asked for."""
        if self.together is not None:
            if self.together[0] not in (None, side):
                raise WireError("what is sent together has one sender")
            self.together = (side, self.together[1] + payload)
            return
        self.begin()
        peer, shape, self.shape = self.peers[side], self.shape, Shape()
        boundaries = [0]
        for boundary in [*shape.cuts, len(payload)]:
            while boundary - boundaries[-1] > self.mss:
                boundaries.append(boundaries[-1] + self.mss)
            if boundary > boundaries[-1]:
                boundaries.append(boundary)
        pieces = list(zip(boundaries, boundaries[1:]))
        first, peer.last = peer.next, (peer.next, payload)
        order = shape.order or range(1, len(pieces) + 1)
        if sorted(order) != list(range(1, len(pieces) + 1)):
            raise WireError(f"the element has {len(pieces)} segments, which `order` has to name once each")
        for place in order:
            start, end = pieces[place - 1]
            if shape.dropped is not None and (not shape.dropped or place in shape.dropped):
                self.capture.clock += self.capture.tick
                continue
            push = PSH if end == len(payload) else 0
            for _ in range(2 if shape.doubled is not None and (not shape.doubled or place in shape.doubled) else 1):
                self.segment(side, ACK | push, first + start, payload[start:end], shape.snap.get(place, shape.snap.get(0)))
        peer.next = first + len(payload)
        if self.acks and payload:
            self.segment(1 - side, ACK, self.peers[1 - side].next)

    def send_at(self, side, offset, payload):
        """Sends one segment that begins `offset` bytes after what was sent so far (before, when negative)."""
        self.begin()
        peer = self.peers[side]
        self.segment(side, ACK | PSH, peer.next + offset, payload)
        peer.next = max(peer.next, peer.next + offset + len(payload))


def ip_header(sender, receiver, protocol, length, fragment=None):
    offset, more = fragment or (0, False)
    if sender.address.version == 6:
        addresses = sender.address.packed + receiver.address.packed
        if fragment is None:
            return struct.pack(">IHBB", 6 << 28, length, protocol, 64) + addresses
        extension = struct.pack(">BBHI", protocol, 0, offset << 3 | more, sender.packet_id)
        return struct.pack(">IHBB", 6 << 28, 8 + length, 44, 64) + addresses + extension
    flags = 0x4000 if fragment is None else (0x2000 if more else 0) | offset
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, sender.packet_id, flags, 64, protocol, 0)
    head += sender.address.packed + receiver.address.packed
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:]


def split_endpoint(text, address, port):
    if text is None:
        return address, port
    host, colon, last = text.rpartition(":")
    if not colon:
        return text, port
    return host.strip("[]"), number(last)


# --- Elements: what follows > or < ---------------------------------------------------------------------------------


def element_text(talk, side, words):
    """text "…" …: these bytes."""
    options, rest = options_of(words, {"repeat"})
    talk.send(side, payload_of(rest) * number(options.get("repeat", "1")))


def element_hex(talk, side, words):
    """hex 81 05 …: these bytes."""
    talk.send(side, bytes.fromhex("".join(words)))


def element_framed(talk, side, words):
    """framed 4 "…": a message behind its length, of 1, 2, 4 or 8 bytes in network order."""
    payload = payload_of(words[1:])
    talk.send(side, len(payload).to_bytes(number(words[0]), "big") + payload)


def element_http(talk, side, words, block):
    """http, with lines | below: a head, an empty line, a body; {key}, {accept} and {length} are filled in."""
    if "" in block:
        split = block.index("")
        head, body = block[:split], b"".join(unescape(line) for line in block[split + 1 :])
    else:
        head, body = block, b""
    text = "\r\n".join([*head, "", ""])
    text = text.replace("{key}", talk.key).replace("{length}", str(len(body)))
    if key := re.search(r"(?im)^sec-websocket-key: *(\S+)", text):
        talk.key = key[1]
    text = text.replace("{accept}", accept_for(talk.key))
    talk.send(side, unescape(text) + body)


def element_ws(talk, side, words):
    """ws …: an opening handshake (upgrade, accept) or a frame; see WEBSOCKET."""
    if words[0] == "upgrade":
        return websocket_upgrade(talk, side, words[1:])
    if words[0] == "accept":
        return websocket_accept(talk, side, words[1:])
    return websocket_frames(talk, side, words)


def element_at(talk, side, words):
    """at -5 "…": one segment that begins 5 bytes before the end of what was sent (+5: after it)."""
    options, rest = options_of(words[1:], {"repeat"})
    talk.send_at(side, number(words[0]), payload_of(rest) * number(options.get("repeat", "1")))


def element_again(talk, side, words):
    """again [FROM TO]: the element sent last once more, or these bytes of it (a retransmission)."""
    talk.begin()
    first, payload = talk.peers[side].last
    start, end = (number(words[0]), number(words[1])) if words else (0, len(payload))
    for at in range(start, end, talk.mss):
        talk.segment(side, ACK | PSH, first + at, payload[at : min(at + talk.mss, end)])


def element_fin(talk, side, words):
    """fin: the end of this direction, acknowledged by the other."""
    talk.begin()
    talk.segment(side, FIN | ACK, talk.peers[side].next)
    talk.peers[side].next += 1
    if talk.acks:
        talk.segment(1 - side, ACK, talk.peers[1 - side].next)


def element_rst(talk, side, words):
    """rst: the connection is cut."""
    talk.begin()
    talk.segment(side, RST | ACK, talk.peers[side].next)


def element_syn(talk, side, words):
    """syn: the first packet of a connection alone, answered or not."""
    talk.started = True
    peer = talk.peers[side]
    talk.segment(side, SYN | (ACK if side else 0), peer.initial)
    peer.next = peer.initial + 1


def element_ack(talk, side, words):
    """ack: an acknowledgement of all that was sent."""
    talk.begin()
    talk.segment(side, ACK, talk.peers[side].next)


def element_probe(talk, side, words):
    """probe [BYTES]: a TCP keep-alive probe, one before the next sequence number, with 0 or 1 byte, and its answer."""
    talk.begin()
    talk.segment(side, ACK, talk.peers[side].next - 1, b"\0" * (number(words[0]) if words else 0))
    talk.segment(1 - side, ACK, talk.peers[1 - side].next)


def element_udp(talk, side, words):
    """udp PAYLOAD: a datagram between the same two ends; no part of the connection."""
    sender, receiver, payload = talk.peers[side], talk.peers[1 - side], payload_of(words)
    talk.packet(side, 17, struct.pack(">HHHH", sender.port, receiver.port, 8 + len(payload), 0) + payload)


def element_window(talk, side, words):
    """window N: this side takes N bytes at most from here on, and says so."""
    talk.begin()
    talk.peers[side].window = number(words[0])
    talk.segment(side, ACK, talk.peers[side].next)


ELEMENTS = {
    "text": element_text, "hex": element_hex, "framed": element_framed, "ws": element_ws, "at": element_at, "again": element_again,
    "fin": element_fin, "rst": element_rst, "syn": element_syn, "ack": element_ack, "probe": element_probe, "udp": element_udp,
    "window": element_window,
}


def payload_of(words):
    if not all(isinstance(word, Payload) for word in words):
        raise WireError(f'a payload is written "…" or 0x…, not {" ".join(map(str, words))!r}')
    return b"".join(words)


# --- WebSocket -----------------------------------------------------------------------------------------------------


def accept_for(key):
    return base64.b64encode(hashlib.sha1(key.encode() + WEBSOCKET_GUID).digest()).decode()


def websocket_upgrade(talk, side, words):
    """ws upgrade TARGET [host=…] [protocol=…] [extensions "…"]: the client's opening handshake."""
    options, rest = options_of(words, {"host", "protocol"})
    head = [f"GET {rest[0]} HTTP/1.1", f"Host: {options.get('host', 'chat.example')}", "Upgrade: websocket", "Connection: Upgrade"]
    head += [f"Sec-WebSocket-Key: {talk.key}", "Sec-WebSocket-Version: 13"]
    head += websocket_offer(options, rest[1:])
    talk.send(side, "\r\n".join([*head, "", ""]).encode())


def websocket_accept(talk, side, words):
    """ws accept [protocol=…] [extensions "…"]: the server's 101. What it agrees to, both then compress by."""
    options, rest = options_of(words, {"protocol"})
    head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
    head += [f"Sec-WebSocket-Accept: {accept_for(talk.key)}"]
    head += websocket_offer(options, rest)
    for peer, name in zip(talk.peers, ("client", "server")):
        agreed = " ".join(head)
        bits = re.search(rf"{name}_max_window_bits=(\d+)", agreed)
        peer.deflater = Deflater(int(bits[1]) if bits else 15, f"{name}_no_context_takeover" not in agreed)
    talk.send(side, "\r\n".join([*head, "", ""]).encode())


def websocket_offer(options, rest):
    lines = [f"Sec-WebSocket-Protocol: {options['protocol'].replace(',', ', ')}"] if "protocol" in options else []
    if rest[:1] == ["extensions"]:
        lines.append("Sec-WebSocket-Extensions: " + payload_of(rest[1:]).decode())
    return lines


def websocket_frames(talk, side, words):
    """ws OPCODE [options] [payload]: one frame, or a message in fragments. The options stand in fixtures/README.md."""
    known = {"fin", "rsv", "masked", "unmasked", "length", "declare", "deflate", "bfinal", "repeat", "fragments", "ping-between"}
    options, rest = options_of(words[1:], known)
    opcode = OPCODES[words[0]] if words[0] in OPCODES else number(words[0])
    if opcode == 8 and rest and isinstance(rest[0], str):
        payload = struct.pack(">H", number(rest[0])) + payload_of(rest[1:])
    else:
        payload = payload_of(rest) * number(options.get("repeat", "1"))
    rsv = number(options.get("rsv", "0"))
    if "deflate" in options or "bfinal" in options:
        rsv |= 4
        payload = talk.peers[side].deflater.compress(payload, last_block="bfinal" in options)
    last = options.get("fin", "1") != "0"
    count = number(options.get("fragments", "1"))
    size = -(-len(payload) // count) if count else 0
    for index in range(count):
        part = payload[index * size : (index + 1) * size]
        final = last and index == count - 1
        talk.send(side, frame(talk, side, 0 if index else opcode, final, 0 if index else rsv, part, options))
        if "ping-between" in options and index == 0:
            talk.send(side, frame(talk, side, OPCODES["ping"], True, 0, b"between", {}))


def frame(talk, side, opcode, final, rsv, payload, options):
    """One frame as it stands on the wire (RFC 6455, section 5.2)."""
    masked = side == 0 and "unmasked" not in options or "masked" in options
    declared = number(options.get("declare", str(len(payload))))
    form = number(options.get("length", "7" if declared < 126 else "16" if declared < 65_536 else "64"))
    head = bytes([(0x80 if final else 0) | rsv << 4 | opcode])
    mask_bit = 0x80 if masked else 0
    if form == 7:
        head += bytes([mask_bit | declared])
    elif form == 16:
        head += bytes([mask_bit | 126]) + struct.pack(">H", declared)
    else:
        head += bytes([mask_bit | 127]) + struct.pack(">Q", declared)
    if not masked:
        return head + payload
    key = bytes.fromhex(options["masked"]) if options.get("masked") else talk.masking_key()
    pad = (key * (len(payload) // 4 + 1))[: len(payload)]
    mixed = int.from_bytes(payload, "big") ^ int.from_bytes(pad, "big")
    return head + key + mixed.to_bytes(len(payload), "big")


# --- Directives: every other line ----------------------------------------------------------------------------------


def directive_capture(script, words):
    """capture WORD …: link TYPE, snaplen N, twice, nanoseconds, big-endian, pcapng, large."""
    name = words[0]
    if name == "link":
        script.capture.link_type = words[1]
    elif name == "snaplen":
        script.capture.snaplen = number(words[1])
    elif name == "twice":
        script.capture.every_packet_twice = True
    elif name == "nanoseconds":
        script.capture.nanoseconds = True
    elif name == "big-endian":
        script.capture.big_endian = True
    elif name == "pcapng":
        script.capture.pcapng = True
    elif name != "large":  # Too big to be kept; who needs it makes it from the text.
        raise WireError(f"unknown property of the capture: {name}")


def directive_talk(script, words):
    """talk NAME [client=ADDRESS:PORT] [server=ADDRESS:PORT] [ipv6] [vlan=N] [process=NAME:PID]: begins a connection, or goes on with it."""
    options, rest = options_of(words, {"client", "server", "ipv6", "vlan", "process"})
    script.turn_to(rest[0] if rest else "", options)


def directive_start(script, words):
    """start handshake | midstream | simultaneous: how the connection comes into sight."""
    if words[0] not in ("handshake", "midstream", "simultaneous"):
        raise WireError(f"unknown start: {words[0]}")
    script.talk.start = words[0]


def directive_isn(script, words):
    """isn client|server N: the initial sequence number of a side."""
    peer = script.talk.peers[("client", "server").index(words[0])]
    peer.initial = peer.next = number(words[1])


def directive_mss(script, words):
    """mss N: payload bytes of a segment at most, from here on."""
    script.talk.mss = number(words[0])


def directive_fragment(script, words):
    """fragment N [turned] | off: IP packets of more than N bytes go in fragments from here on; turned: the first comes last."""
    script.talk.fragment_size = None if words[0] == "off" else number(words[0]) // 8 * 8
    script.talk.fragments_turned = "turned" in words[1:]


def directive_acks(script, words):
    """acks on | off: whether the receiver acknowledges each element with a packet of its own."""
    script.talk.acks = words[0] == "on"


def directive_deflate(script, words):
    """deflate client|server [bits=N] [takeover=no]: what a side compresses by, whatever was agreed."""
    options, rest = options_of(words, {"bits", "takeover"})
    peer = script.talk.peers[("client", "server").index(rest[0])]
    peer.deflater = Deflater(number(options.get("bits", "15")), options.get("takeover") != "no")


def directive_wait(script, words):
    """wait 1.2s: nothing happens for so long."""
    script.capture.clock += seconds(words[0])


def directive_tick(script, words):
    """tick 200us: the time from one packet to the next, from here on."""
    script.capture.tick = seconds(words[0])


def directive_split(script, words):
    """split 3 10: the next element is cut into segments at these offsets."""
    script.talk.shape.cuts = [number(word) for word in words]


def directive_order(script, words):
    """order 2 1 3: the segments of the next element are captured in this order."""
    script.talk.shape.order = [number(word) for word in words]


def directive_drop(script, words):
    """drop [2 …]: the next element's segments, or these of them, are missing from the capture."""
    script.talk.shape.dropped = [number(word) for word in words]


def directive_dup(script, words):
    """dup [2 …]: the next element's segments, or these of them, come twice."""
    script.talk.shape.doubled = [number(word) for word in words]


def directive_cut(script, words):
    """cut N [SEGMENT]: of the next element's packets, or of this one, only N bytes are captured."""
    script.talk.shape.snap[number(words[1]) if len(words) > 1 else 0] = number(words[0])


def directive_together(script, words):
    """together … end: what is sent between goes out as one run of bytes."""
    script.talk.together = (None, b"")


def directive_end(script, words):
    if script.talk.together is None:
        raise WireError("`end` without `together`")
    (side, payload), script.talk.together = script.talk.together, None
    if side is not None:
        script.talk.send(side, payload)


DIRECTIVES = {
    name.removeprefix("directive_"): function for name, function in list(globals().items()) if name.startswith("directive_")
}


# --- A script ------------------------------------------------------------------------------------------------------


class Script:
    """Follows a wire text line by line."""

    def __init__(self):
        self.capture = Capture()
        self.talks = {}
        self.talk = None

    def turn_to(self, name, options):
        if name not in self.talks:
            self.talks[name] = Talk(self.capture, len(self.talks), options)
        self.talk = self.talks[name]

    def run(self, text):
        lines = text.split("\n")
        at = 0
        while at < len(lines):
            line, first = lines[at].strip(), at + 1
            at += 1
            block = []
            while at < len(lines) and lines[at].lstrip().startswith("|"):
                block.append(re.sub(r"^\s*\| ?", "", lines[at]))
                at += 1
            try:
                self.follow(line, block)
            except WireError as error:
                raise WireError(f"line {first}: {error}") from None
            except (IndexError, ValueError, KeyError) as error:
                raise WireError(f"line {first}: cannot be followed ({error!r}): {line}") from None

    def follow(self, line, block):
        if not line or line.startswith("#"):
            return
        if line[0] in "<>":
            if self.talk is None:
                self.turn_to("", {})
            side, rest = (0 if line[0] == ">" else 1), line[1:].strip()
            words = tokens(rest)
            if words and words[0] == "http":
                element_http(self.talk, side, words[1:], block)
            elif words and isinstance(words[0], str) and words[0] in ELEMENTS:
                ELEMENTS[words[0]](self.talk, side, words[1:])
            else:
                self.talk.send(side, unescape(rest))
            return
        words = tokens(line)
        if words[0] not in DIRECTIVES:
            raise WireError(f"unknown directive: {words[0]}")
        if words[0] not in ("capture", "talk") and self.talk is None:
            self.turn_to("", {})
        DIRECTIVES[words[0]](self, words[1:])


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: wiretext.py TALK.wire CAPTURE.pcap")
    script = Script()
    try:
        with open(arguments[0], encoding="utf-8") as file:
            script.run(file.read())
    except WireError as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        sys.exit(2)
    with open(arguments[1], "wb") as file:
        script.capture.write(file)


if __name__ == "__main__":
    main(sys.argv[1:])
