"""The messages of chat.proto, written and read by hand, and their frame: four bytes of length, big-endian."""

import struct

TEXT, LIKE, JOIN, LEAVE, ACK, HEARTBEAT = range(6)
FIELDS = {"type": 1, "sequence": 2, "sender": 3, "room": 4, "text": 5, "sent_at": 6}
LONGEST = 1 << 20


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def encode(**message):
    """The fields that are not empty, behind their length."""
    out = b""
    for name, value in message.items():
        if isinstance(value, str) and value:
            data = value.encode()
            out += varint(FIELDS[name] << 3 | 2) + varint(len(data)) + data
        elif isinstance(value, int) and value:
            out += varint(FIELDS[name] << 3) + varint(value)
    return struct.pack(">I", len(out)) + out


def decode(data):
    names, message, at = {number: name for name, number in FIELDS.items()}, {"type": TEXT}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = data[at : at + value].decode(), at + value
        message[names.get(key >> 3, key >> 3)] = value
    return message


class Frames:
    """A receive buffer that grows until a whole message is in it."""

    def __init__(self):
        self.buffer = b""

    def take(self, data):
        self.buffer += data
        while len(self.buffer) >= 4:
            (length,) = struct.unpack_from(">I", self.buffer)
            if length > LONGEST:
                raise ValueError(f"a message of {length} bytes")
            if len(self.buffer) < 4 + length:
                return
            data, self.buffer = self.buffer[4 : 4 + length], self.buffer[4 + length :]
            yield decode(data)
