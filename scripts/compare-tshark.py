#!/usr/bin/env python3
"""Holds what unmask reads in captures against what tshark reads in them.

Compared over fixtures/ and every capture under $UNMASK_CAPTURES: the TCP conversations, and for each of them the payload bytes of each
direction (each byte of the stream once), the WebSocket frames (opcode and length), the HTTP/1 requests and the status codes
of the responses, in order, and the TLS server names. Printed is a table of the differences. Each of them has
to be explained by a row of docs/tshark-differences.md; one that is not makes this script fail.
"""

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPLANATIONS = ROOT / "docs" / "tshark-differences.md"
SUFFIXES = (".pcap", ".pcapng", ".cap", ".ntar", ".dmp", ".snoop", ".gz", ".zst")
TOPICS = ("conversations", "bytes", "frames", "requests", "responses", "names")
MISREADS = (
    "deflate-server-no-context-takeover", "deflate-fragmented", "fragments-both-ways", "out-of-order", "out-of-order-deflate",
    "midstream", "handshake-cut-by-snaplen", "bad-accept", "utf8-invalid", "mask-wrong-direction", "reserved-bits-and-opcodes",
    "control-frames-too-long", "length-not-minimal", "close-codes-reserved", "close-of-one-byte",
)
FIELDS = [
    "tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport", "websocket.opcode", "websocket.payload_length",
    "websocket.payload_length_ext_16", "websocket.payload_length_ext_64", "http.request.method", "http.request.uri", "http.response.code",
    "tcp.seq", "tcp.len", "tcp.flags.syn", "tls.handshake.extensions_server_name", "frame.protocols",
    "http2.headers.method", "http2.headers.path", "http2.headers.status",
]


class Conversation:
    """What one TCP connection carried."""

    def __init__(self, ends):
        self.ends = ends
        # By end: how many bytes of its stream were on the wire; and from tshark, where its segments lie.
        self.bytes = collections.Counter()
        self.segments = collections.defaultdict(list)
        # Frames of the two directions are in no order that both tools keep.
        self.frames = []
        self.requests = []
        self.responses = []
        self.names = []

    def content(self, topic):
        if topic == "bytes":
            return [(*end, count) for end, count in sorted(self.bytes.items()) if count]
        return getattr(self, topic)

    def count_bytes(self):
        """Adds up the segments, those that overlap once."""
        for end, segments in self.segments.items():
            reached = None
            for start, stop in sorted(segments):
                if reached is None or start > reached:
                    reached = start
                self.bytes[end] += max(0, stop - reached)
                reached = max(reached, stop)


def read_with_unmask(program, capture):
    """What `unmask read --format ndjson --frames` makes of it. Damaged input (exit 1) is still read as far as it goes."""
    command = [*program, "read", "--format", "ndjson", "--frames", "--payload", "none", str(capture)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {run.stderr.decode(errors='replace').strip()[-200:]}")
    return conversations_of_records(run.stdout.splitlines())


def conversations_of_records(lines):
    found, sides = {}, {}
    for line in lines:
        record = json.loads(line)
        kind, number = record["kind"], record.get("conversation")
        if kind == "opened":
            sides[number] = {side: (record[side]["address"], record[side]["port"]) for side in ("client", "server")}
            found[number] = Conversation(frozenset(sides[number].values()))
        elif kind == "frame":
            found[number].frames.append((record["opcode"], record["length"]))
        elif kind == "request":
            found[number].requests.append((record["method"], record["target"]))
        elif kind == "response":
            found[number].responses.append(record["status"])
        elif kind == "tls" and "serverName" in record:
            found[number].names.append(record["serverName"])
        elif kind == "gap" and record["cause"] == "truncated":
            # Bytes that the snapshot length cut off were on the wire.
            found[number].bytes[sides[number][record["from"]]] += record["length"]
        elif kind == "closed":
            for side in ("client", "server"):
                found[number].bytes[sides[number][side]] += record[side]["bytes"]
    return list(found.values())


def read_with_tshark(capture):
    command = ["tshark", "-2", "-n", "-r", str(capture), "-o", "tcp.reassemble_out_of_order:TRUE", "-Y", "tcp && !icmp && !icmpv6"]
    command += ["-T", "fields", "-E", "separator=/t", "-E", "aggregator=\x1f", "-E", "occurrence=a"]
    for field in FIELDS:
        command += ["-e", field]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    found = {}
    for line in run.stdout.decode(errors="replace").splitlines():
        values = dict(zip(FIELDS, ([part for part in value.split("\x1f") if part] for value in line.split("\t"))))
        if values.get("tcp.stream"):
            add_packet(found, values)
    for conversation in found.values():
        conversation.count_bytes()
    return list(found.values())


def add_packet(found, values):
    """Adds one packet of tshark's output. In tunnels the innermost addresses count, which come last."""

    def last(*names):
        return next((values[name][-1] for name in names if values.get(name)), "")

    stream = values["tcp.stream"][-1]
    layers = [layer for protocols in values["frame.protocols"] for layer in protocols.split(":") if layer in ("ip", "ipv6")]
    innermost, outer = ("ip", "ipv6") if layers[-1:] == ["ip"] else ("ipv6", "ip")
    ends = frozenset((last(f"{innermost}.{end}", f"{outer}.{end}"), int(last(f"tcp.{end}port") or 0)) for end in ("src", "dst"))
    conversation = found.setdefault(stream, Conversation(ends))
    extended = {126: iter(values["websocket.payload_length_ext_16"]), 127: iter(values["websocket.payload_length_ext_64"])}
    for opcode, length in zip(values["websocket.opcode"], values["websocket.payload_length"]):
        length = int(length)
        conversation.frames.append((int(opcode), int(next(extended[length], length)) if length in extended else length))
    conversation.requests += zip(values["http.request.method"], values["http.request.uri"])
    conversation.responses += map(int, values["http.response.code"])
    conversation.requests += zip(values["http2.headers.method"], values["http2.headers.path"])
    conversation.responses += map(int, values["http2.headers.status"])
    conversation.names += values["tls.handshake.extensions_server_name"]
    if length := int(last("tcp.len") or 0):
        # Numbers before the first one that was seen come as large ones; data in a SYN follows it.
        start = (int(last("tcp.seq")) + (last("tcp.flags.syn") in ("1", "True")) + (1 << 31)) % (1 << 32) - (1 << 31)
        source = (last(f"{innermost}.src", f"{outer}.src"), int(last("tcp.srcport")))
        conversation.segments[source].append((start, start + length))


def differences(ours, theirs):
    """(topic, what differs) for each topic that differs, conversations matched by their ends in order of first sight."""
    if len(ours) != len(theirs):
        yield "conversations", f"{len(ours)} here, {len(theirs)} there"
    paired = collections.defaultdict(lambda: ([], []))
    for index, side in enumerate((ours, theirs)):
        for conversation in side:
            paired[conversation.ends][index].append(conversation)
    for topic in TOPICS[1:]:
        only_here, only_there = collections.Counter(), collections.Counter()
        for here, there in paired.values():
            for index in range(max(len(here), len(there))):
                one = here[index].content(topic) if index < len(here) else []
                other = there[index].content(topic) if index < len(there) else []
                only_here += collections.Counter(one) - collections.Counter(other)
                only_there += collections.Counter(other) - collections.Counter(one)
                if topic != "frames" and one != other and sorted(one) == sorted(other):
                    yield topic, f"in another order: {one} here, {other} there"[:160]
        if only_here or only_there:
            yield topic, f"{summary(only_here)} only here, {summary(only_there)} only there"


def summary(counter):
    total = sum(counter.values())
    if not total:
        return "none"
    examples = ", ".join(" ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key, _ in counter.most_common(2))
    return f"{total} ({examples[:80]}{', …' if len(counter) > 2 else ''})"


def print_misreads(program, folder):
    """The talks of TsharkMisreadsTests: how many messages each tool can read, and how many broken rules it names.

    A message counts as read by tshark where its text stands in what `tshark -V` prints with its settings as they come.
    """
    print(f"\n{'ordinary WebSocket traffic that tshark misreads':50} {'messages':>16} {'broken rules':>16}\n{'':50} {'here   there':>16} {'here   there':>16}")
    for name in MISREADS:
        capture = folder / name / "capture.pcap"
        ours = subprocess.run([*program, "read", "--format", "ndjson", capture], stdout=subprocess.PIPE, check=True).stdout
        theirs = subprocess.run(["tshark", "-n", "-V", "-r", capture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        records = [json.loads(line) for line in ours.splitlines()]
        texts = [record["text"] for record in records if record["kind"] == "message" and record.get("text")]
        found = sum(record["kind"] == "finding" and record["severity"] == "violation" for record in records)
        shown = plain(theirs.decode(errors="replace"))
        # Long texts are shown in lines; their end will do.
        read = sum(plain(text[-40:]) in shown for text in texts)
        noted = len(re.findall(r"\[Expert Info \((?:Warning|Error)/(?:Protocol|Malformed)\)[^\n]*", theirs.decode(errors="replace")))
        print(f"{name:50} {len(texts):7} {read:8} {found:7} {noted:8}", flush=True)


def plain(text):
    """Without the escapes in which tshark shows quotes and line ends."""
    return re.sub(r"\\[\\rn]|[\\\s]", "", text)


def explanations():
    """The rows of the table: (pattern of the capture's name, topics, reason)."""
    rows = []
    for line in EXPLANATIONS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 3:
            rows.append((cells[0].strip("`"), set(re.split(r",\s*", cells[1])), cells[2]))
    return rows


def captures(folders):
    for label, folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name.endswith(SUFFIXES):
                yield f"{label}/{path.relative_to(folder)}", path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--unmask", default=str(ROOT / ".build/debug/unmask"), help="the program to compare, with its first arguments")
    parser.add_argument("--only", default="*", help="compare only captures whose name matches this pattern")
    parser.add_argument("--records", type=pathlib.Path, help="take our records from this file instead of running the program")
    parser.add_argument("capture", nargs="*", type=pathlib.Path, help="compare these captures instead")
    options = parser.parse_args()
    if not shutil.which("tshark"):
        print("skipped: comparison with tshark, which is not here")
        return 0

    folders = [("fixtures", ROOT / "fixtures")]
    if shared := os.environ.get("UNMASK_CAPTURES"):
        folders.append(("captures", pathlib.Path(shared)))
    else:
        print("skipped: captures other than fixtures/, since UNMASK_CAPTURES is not set")
    chosen = [(str(path), path) for path in options.capture] or list(captures(folders))
    rows, used, unexplained, compared = explanations(), set(), 0, 0

    for name, path in chosen:
        if not fnmatch.fnmatch(name, options.only):
            continue
        compared += 1
        try:
            ours = conversations_of_records(options.records.read_bytes().splitlines()) if options.records else read_with_unmask(options.unmask.split(), path)
            found = list(differences(ours, read_with_tshark(path)))
        except (RuntimeError, subprocess.TimeoutExpired, KeyError, json.JSONDecodeError) as error:
            found = [("conversations", f"not compared: {error!r}"[:200])]
        for topic, text in found:
            row = next((row for row in rows if fnmatch.fnmatch(name, row[0]) and topic in row[1]), None)
            if row:
                used.add(row[0])
            else:
                unexplained += 1
            print(f"{'explained  ' if row else 'UNEXPLAINED'} {name:60} {topic:14} {text}", flush=True)

    if not options.capture and options.only == "*":
        print_misreads(options.unmask.split(), ROOT / "fixtures")
    for pattern, _, _ in rows:
        if pattern not in used and any(fnmatch.fnmatch(name, pattern) for name, _ in chosen) and options.only == "*":
            print(f"unused       {pattern}: there is no such difference any more; remove its row")
    print(f"{compared} captures compared, {unexplained} differences without an explanation in docs/{EXPLANATIONS.name}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
