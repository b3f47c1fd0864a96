#!/usr/bin/env python3
"""Values that Python's libraries for MessagePack, CBOR, BSON and Protocol Buffers write, read by us and by them.

    values_peers.py UNMASK [COUNT [SEED]]

What a library reads of its own bytes, in the words of docs/payloads.md, has to be what stands in `decoded`. `protoc --decode_raw` has to
see the same fields with the same wire types; whether a field is text, a message or bytes is a guess there as here, so two readings of it are
held against each other only where both take it for the same.
"""

import base64
import datetime
import json
import math
import random
import re
import struct
import subprocess
import sys

import comparison
from messaging_talks import Absent, library

PIECES = ["", "a", "grüß dich", "\u0000\n\"\\\u007f", "😀" * 3, "x" * 300, "room"]


def log_of(payloads):
    """A log whose messages have these payloads."""
    start = {"kind": "capture", "version": 1, "tool": "values", "source": {"type": "file", "name": "values"}}
    common = {"conversation": 1, "time": "2026-11-23T00:00:00.000000000Z"}
    opened = {
        "kind": "opened", **common, "client": {"address": "127.0.0.1", "port": 50000}, "server": {"address": "127.0.0.1", "port": 7000},
        "transport": "tcp", "start": "handshake", "roles": "handshake"}
    upgrade = {"kind": "upgrade", **common, "from": "server", "offset": 0, "protocol": "websocket", "accepted": True, "target": "/"}
    yield from (start, opened, upgrade)
    for number, payload in enumerate(payloads):
        yield {
            "kind": "message", **common, "from": "client", "offset": number, "opcode": "binary", "length": len(payload),
            "wireLength": len(payload), "fragments": 1, "compressed": False, "base64": base64.b64encode(payload).decode()}


def decoded(unmask, payloads, format, *options):
    """What we say of payloads."""
    text = "".join(json.dumps(record) + "\n" for record in log_of(payloads))
    command = [unmask, "read", "--profile", "none", "--format", "ndjson", "--payload-as", f"*={format}", *options, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, check=False)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [record.get("decoded", {}) for record in records if record["kind"] == "message"]


class Values:
    """Makes values that nest, with what a format has beside those of JSON."""

    def __init__(self, seed, leaves):
        self.random = random.Random(seed)
        self.leaves = leaves

    def number(self):
        bits = self.random.choice([1, 5, 7, 8, 15, 16, 31, 32, 62, 63])
        return self.random.choice([-1, 1]) * self.random.getrandbits(bits)

    def real(self):
        return self.random.choice([0.0, -0.0, 0.1, 1.5, -2.25e300, 5e-324, 1e22, math.pi * self.random.random(), float("inf")])

    def leaf(self):
        one = self.random.random
        return self.random.choice([
            self.number, self.number, self.real, lambda: one() < 0.5, lambda: None, lambda: self.random.choice(PIECES),
            lambda: self.random.randbytes(self.random.choice([0, 1, 31, 300])), *self.leaves])()

    def value(self, level=0):
        kind = self.random.random()
        if level > 5 or kind < 0.5:
            return self.leaf()
        if kind < 0.75:
            return [self.value(level + 1) for _ in range(self.random.choice([0, 1, 3, 20]))]
        return self.document(level)

    def document(self, level=0):
        return {f"{self.random.choice(PIECES[1:3])}{number}": self.value(level + 1) for number in range(self.random.choice([0, 1, 4, 17]))}


def plain(value, special=lambda _: None):
    """A value in the words of docs/payloads.md, bytes by their length."""
    found = special(value)
    if found is not None:
        return found
    if isinstance(value, (bytes, bytearray)):
        return {"$binary": len(value)}
    if isinstance(value, dict):
        return {key: plain(one, special) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one, special) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no such number.
        return str(value)
    return value


def is_same(one, other):
    """1 and 1.0 are one number in JSON, and -0.0 is 0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def hold(it, name, payloads, expected, read):
    """Prints the first payload that is read otherwise."""
    wrong = [
        (payload.hex(), want, got) for payload, want, got in zip(payloads, expected, read)
        if "error" in got or not is_same(want, got.get("value", got.get("fields")))]
    it.same(f"{len(payloads)} values of {name}", "all", "all" if len(read) == len(payloads) and not wrong else (len(wrong), wrong[:1]))


def msgpack(it, count, seed):
    pack = library("msgpack")
    values = Values(seed, [])
    values.leaves = [
        lambda: pack.ExtType(values.random.randrange(0, 128), values.random.randbytes(values.random.choice([1, 2, 16, 17]))),
        lambda: pack.Timestamp(values.random.getrandbits(33), values.random.choice([0, 500_000_000])), lambda: 2**64 - 1]
    payloads = [pack.packb(values.value(), use_single_float=False) for _ in range(count)]

    def special(value):
        if isinstance(value, pack.ExtType):
            return {"$type": value.code, "$binary": len(value.data)}
        if isinstance(value, pack.Timestamp):
            return {"$time": value.seconds + value.nanoseconds / 1e9}
        return None

    expected = [plain(pack.unpackb(payload, strict_map_key=False), special) for payload in payloads]
    hold(it, "MessagePack", payloads, expected, decoded(it.unmask, payloads, "msgpack"))


def cbor(it, count, seed):
    library_ = library("cbor2")
    values = Values(seed, [])
    values.leaves = [
        lambda: library_.undefined, lambda: library_.CBORSimpleValue(values.random.choice([0, 19, 32, 255])),
        lambda: library_.CBORTag(values.random.choice([1000, 70_000]), values.number()), lambda: -2**64, lambda: 2**64 - 1]
    made = [values.value() for _ in range(count)]
    payloads = [library_.dumps(value, canonical=number % 2 == 0) for number, value in enumerate(made)]

    def special(value):
        if value is library_.undefined:
            return {"$undefined": True}
        if isinstance(value, library_.CBORSimpleValue):
            return {"$simple": value.value}
        if isinstance(value, library_.CBORTag):
            return {"$tag": value.tag, "value": plain(value.value, special)}
        return None

    expected = [plain(library_.loads(payload), special) for payload in payloads]
    hold(it, "CBOR", payloads, expected, decoded(it.unmask, payloads, "cbor"))


def bson(it, count, seed):
    library_, objectid = library("bson"), library("bson.objectid")
    regex, timestamp, int64 = library("bson.regex"), library("bson.timestamp"), library("bson.int64")
    values = Values(seed, [])
    choose = values.random
    values.leaves = [
        lambda: objectid.ObjectId(choose.randbytes(12)), lambda: timestamp.Timestamp(choose.getrandbits(32), choose.getrandbits(32)),
        lambda: regex.Regex("a+\\d", "im"), lambda: int64.Int64(choose.getrandbits(10)),
        lambda: datetime.datetime(2026, 11, 23, 1, 2, 3, 456_000, datetime.timezone.utc)]
    payloads = [library_.encode(values.document()) for _ in range(count)]

    def special(value):
        if isinstance(value, bytes):
            return {"$binary": len(value), "$type": 0}
        if isinstance(value, objectid.ObjectId):
            return {"$oid": str(value)}
        if isinstance(value, timestamp.Timestamp):
            return {"$timestamp": {"t": value.time, "i": value.inc}}
        if isinstance(value, regex.Regex):
            return {"$regex": "a+\\d", "$options": "im"}
        if isinstance(value, datetime.datetime):
            return {"$date": round(value.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)}
        return None

    expected = [plain(library_.decode(payload), special) for payload in payloads]
    hold(it, "BSON", payloads, expected, decoded(it.unmask, payloads, "bson"))


PROTO = """syntax = "proto3";
package values;
message Node {
  enum Kind { NONE = 0; TEXT = 1; LIKE = 5; }
  int32 small = 1; sint64 signed = 2; uint64 large = 3; fixed32 four = 4; sfixed64 eight = 5; float single = 6; double real = 7;
  bool yes = 8; string text = 9; bytes raw = 10; Kind kind = 11; Node inner = 12; repeated int64 packed = 13; repeated string texts = 14;
  map<string, sint32> likes = 15; repeated Node nodes = 2000;
}
"""


def node(values, make, level=0):
    """A message with some of its fields."""
    one, choose = make(), values.random
    chance = lambda: choose.random() < 0.4
    single = struct.unpack("f", struct.pack("f", choose.random() * 100))[0]
    for field, value in (
        ("small", choose.getrandbits(31) - 2**30), ("signed", values.number()), ("large", choose.getrandbits(64)), ("four", choose.getrandbits(32)),
        ("eight", -choose.getrandbits(60)), ("single", single), ("real", choose.random()), ("yes", True), ("text", choose.choice(PIECES[2:])),
        ("raw", choose.randbytes(9)), ("kind", choose.choice([1, 5, 7])),
    ):
        if chance():
            setattr(one, field, value)
    if chance():
        one.packed.extend(values.number() for _ in range(3))
    if chance():
        one.texts.extend(["", "b"])
    if chance():
        one.likes["ada"] = -3
    if level < 4 and chance():
        one.inner.CopyFrom(node(values, make, level + 1))
        one.nodes.extend([node(values, make, level + 1)] * 2)
    return one


def told(message):
    """The fields of a message in the words of docs/payloads.md."""
    fields = {}
    for field, value in message.ListFields():
        def one(value, field=field):
            if field.message_type:
                return told(value)
            if field.enum_type:
                known = field.enum_type.values_by_number.get(value)
                return known.name if known else value
            return plain(value)
        if field.message_type and field.message_type.GetOptions().map_entry:
            fields[field.name] = dict(value)
        elif isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
            fields[field.name] = one(value)
        else:
            fields[field.name] = [one(element) for element in value]
    return fields


def protobuf(it, count, seed):
    pool, factory = library("google.protobuf.descriptor_pool"), library("google.protobuf.message_factory")
    descriptors = library("google.protobuf.descriptor_pb2")
    file, set_ = it.folder / "values.proto", it.folder / "values.pb"
    file.write_text(PROTO)
    try:
        subprocess.run(["protoc", f"-I{it.folder}", f"--descriptor_set_out={set_}", file], check=True, timeout=60)
    except FileNotFoundError:
        raise Absent("protoc") from None
    types = pool.DescriptorPool()
    types.Add(descriptors.FileDescriptorSet.FromString(set_.read_bytes()).file[0])
    make = factory.GetMessageClass(types.FindMessageTypeByName("values.Node"))
    values = Values(seed, [])
    payloads = [payload for payload in (node(values, make).SerializeToString() for _ in range(count)) if payload]
    expected = [rounded(told(make.FromString(payload))) for payload in payloads]
    for schema in (file, set_):
        read = decoded(it.unmask, payloads, "protobuf:values.Node", "--proto", str(schema))
        hold(it, f"Protocol Buffers by {schema.name}", payloads, expected, [rounded(one) for one in read])
    few = payloads[:40]
    wrong = [
        (payload.hex(), difference) for payload, ours in zip(few, decoded(it.unmask, few, "protobuf"))
        if (difference := raw_difference(raw_fields(payload), ours.get("fields", [])))]
    it.same(f"{len(few)} messages for protoc --decode_raw", [], wrong[:1])


def rounded(value):
    """Numbers as 32 bits hold them: a float is told in as few digits as name it among floats."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return struct.unpack("f", struct.pack("f", value))[0] if isinstance(value, float) and abs(value) < 1e38 else value


def raw_fields(payload):
    """What `protoc --decode_raw` prints: pairs of a number and a value, which is a list for a message."""
    done = subprocess.run(["protoc", "--decode_raw"], input=payload, capture_output=True, timeout=60, check=True)
    open_, top = [], []
    for line in done.stdout.decode("latin1").splitlines():
        line = line.strip()
        if line == "}":
            top = open_.pop()
        elif line.endswith("{"):
            inner = []
            top.append((int(line.split()[0]), inner))
            open_.append(top)
            top = inner
        else:
            number, value = line.split(": ", 1)
            top.append((int(number), value))
    return top


def raw_difference(theirs, ours):
    """Where two readings of a message differ; nothing where they do not."""
    if [number for number, _ in theirs] != [one["number"] for one in ours]:
        return [theirs, ours]
    for (_, value), one in zip(theirs, ours):
        wire, mine = one["wire"], one["value"]
        if isinstance(value, list):
            if wire not in ("len", "group"):
                return [value, one]
            if isinstance(mine, list) and mine and isinstance(mine[0], dict) and (found := raw_difference(value, mine)):
                return found
        elif value.startswith('"'):
            if wire != "len" or isinstance(mine, str) and mine.encode() != unquoted(value):
                return [value, one]
        elif re.fullmatch("0x[0-9a-f]{8}|0x[0-9a-f]{16}", value):
            if wire != ("i32" if len(value) == 10 else "i64"):
                return [value, one]
        elif wire != "varint" or int(value) != mine % 2**64:
            return [value, one]
    return []


def unquoted(text):
    """The bytes of a string as protoc prints it, with the escapes of C."""
    names = {"n": b"\n", "r": b"\r", "t": b"\t"}

    def plain_(match):
        word = match.group(1)
        return (bytes([int(word, 8)]) if word.isdigit() else names.get(word, word.encode())).decode("latin1")

    return re.sub(r"\\([0-7]{3}|.)", plain_, text[1:-1]).encode("latin1")


def compare(it):
    count, seed = (int(word) for word in (sys.argv[2:] + ["150", "7"][len(sys.argv) - 2:])[:2])
    for one in (msgpack, cbor, bson, protobuf):
        try:
            one(it, count, seed)
        except Absent as missing:
            print(f"skipped: values of {one.__name__} ({missing} is not installed)", flush=True)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
