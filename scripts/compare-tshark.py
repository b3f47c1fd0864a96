#!/usr/bin/env python3
"""Holds what unmask reads in captures against what tshark reads in them.

Compared over fixtures/ and every capture under $UNMASK_CAPTURES: the TCP conversations, and for each of them the WebSocket frames (opcode and
length), the HTTP/1 requests and the status codes of the responses. Printed is a table of the differences. Each of them has
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
SUFFIXES = (".pcap", ".pcapng", ".cap", ".ntar", ".dmp", ".gz", ".zst")
TOPICS = ("conversations", "frames", "requests", "responses")
FIELDS = [
    "tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport", "websocket.opcode", "websocket.payload_length",
    "websocket.payload_length_ext_16", "websocket.payload_length_ext_64", "http.request.method", "http.request.uri", "http.response.code",
]


class Conversation:
    """What one TCP connection carried, in any order."""

    def __init__(self, ends):
        self.ends = ends
        self.frames = collections.Counter()
        self.requests = collections.Counter()
        self.responses = collections.Counter()

    def content(self, topic):
        return getattr(self, topic)


def read_with_unmask(program, capture):
    """What `unmask read --format ndjson --frames` makes of it. Damaged input (exit 1) is still read as far as it goes."""
    command = [*program, "read", "--format", "ndjson", "--frames", "--payload", "none", str(capture)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {run.stderr.decode(errors='replace').strip()[-200:]}")
    return conversations_of_records(run.stdout.splitlines())


def conversations_of_records(lines):
    found = {}
    for line in lines:
        record = json.loads(line)
        kind, number = record["kind"], record.get("conversation")
        if kind == "opened":
            ends = frozenset((record[side]["address"], record[side]["port"]) for side in ("client", "server"))
            found[number] = Conversation(ends)
        elif kind == "frame":
            found[number].frames[(record["opcode"], record["length"])] += 1
        elif kind == "request":
            found[number].requests[(record["method"], record["target"])] += 1
        elif kind == "response":
            found[number].responses[record["status"]] += 1
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
    return list(found.values())


def add_packet(found, values):
    """Adds one packet of tshark's output. In tunnels the innermost addresses count, which come last."""

    def last(*names):
        return next((values[name][-1] for name in names if values.get(name)), "")

    stream = values["tcp.stream"][-1]
    ends = frozenset((last(f"ip.{end}", f"ipv6.{end}"), int(last(f"tcp.{end}port") or 0)) for end in ("src", "dst"))
    conversation = found.setdefault(stream, Conversation(ends))
    extended = {126: iter(values["websocket.payload_length_ext_16"]), 127: iter(values["websocket.payload_length_ext_64"])}
    for opcode, length in zip(values["websocket.opcode"], values["websocket.payload_length"]):
        length = int(length)
        conversation.frames[(int(opcode), int(next(extended[length], length)) if length in extended else length)] += 1
    for method, target in zip(values["http.request.method"], values["http.request.uri"]):
        conversation.requests[(method, target)] += 1
    for code in values["http.response.code"]:
        conversation.responses[int(code)] += 1


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
                one = here[index].content(topic) if index < len(here) else collections.Counter()
                other = there[index].content(topic) if index < len(there) else collections.Counter()
                only_here += one - other
                only_there += other - one
        if only_here or only_there:
            yield topic, f"{summary(only_here)} only here, {summary(only_there)} only there"


def summary(counter):
    total = sum(counter.values())
    if not total:
        return "none"
    examples = ", ".join(" ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key, _ in counter.most_common(2))
    return f"{total} ({examples[:80]}{', …' if len(counter) > 2 else ''})"


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

    for pattern, _, _ in rows:
        if pattern not in used and any(fnmatch.fnmatch(name, pattern) for name, _ in chosen) and options.only == "*":
            print(f"unused       {pattern}: there is no such difference any more; remove its row")
    print(f"{compared} captures compared, {unexplained} differences without an explanation in docs/{EXPLANATIONS.name}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
