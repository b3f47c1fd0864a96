#!/usr/bin/env python3
"""Holds what the display filter picks against what tshark picks with the same expression.

Over fixtures/ and every capture under $UNMASK_CAPTURES, for fields that both know. The two pick different things: we events, tshark packets. So
compared are, by expression, the packets in which the picked events end or begin, or the conversations that they belong to. Each difference has to be
explained by a row of docs/tshark-differences.md, where tshark reads something else, or of docs/filter.md; one that is not makes this script fail.

The program is called as `PROGRAM -n -Y EXPRESSION FILE` and prints records; by default `unmask read --format ndjson --payload none`.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where we read something else than tshark does, and where the filter picks something else of the same.
READING = ROOT / "docs" / "tshark-differences.md"
PICKING = ROOT / "docs" / "filter.md"
# What of the first page explains a difference of which fields.
TOPICS = {
    "http": {"requests", "responses", "conversations", "bytes"},
    "len": {"requests", "responses"},
    "count": {"requests", "responses"},
    "lower": {"requests", "responses"},
    "websocket": {"frames", "conversations"},
    "tls": {"names", "conversations"},
    "ip": {"conversations", "bytes"},
    "ipv6": {"conversations", "bytes"},
    "tcp": {"conversations", "bytes"},
}
SUFFIXES = (".pcap", ".pcapng", ".cap", ".ntar", ".dmp", ".snoop", ".gz", ".zst")

# Compared by packet: an event that is picked ends in a packet that tshark picks, and the other way round. What follows the comma narrows ours where
# a field of a conversation, or of a response's request, is on more events here.
BY_PACKET = [
    ("http.request",),
    ("http.response",),
    ("http.request.method == \"POST\"", "request"),
    ("http.request.method in {\"GET\", \"HEAD\"}", "request"),
    ("http.request.method != \"GET\"", "request"),
    ("http.request.uri contains \"a\"", "request"),
    ("http.request.uri matches \"\\\\.(png|js|html?)\"", "request"),
    ("http.request.uri[0:2] == \"/a\"", "request"),
    ("http.request.version == \"HTTP/1.0\"",),
    ("http.request.full_uri matches \"^http://[^/]*w\"",),
    ("http.request.uri.query",),
    ("http.response.code == 200",),
    ("http.response.code >= 300 and http.response.code < 500",),
    ("http.response.code in {301, 302, 404, 500..599}",),
    ("http.response.phrase == \"OK\"",),
    ("http.response.phrase != \"OK\"",),
    ("http.response.version == \"HTTP/1.1\"",),
    ("lower(http.server) contains \"apache\"",),
    ("http.host matches r\"^www\\.\"", "request"),
    ("http.host == \"chat.example\" || http.host[-1:] == \"m\"", "request"),
    ("http.user_agent contains \"Mozilla\"",),
    ("http.cookie",),
    ("http.set_cookie",),
    ("http.content_type contains \"html\"",),
    ("http.content_length > 1000",),
    ("http.location",),
    ("http.authorization",),
    ("len(http.user_agent) > 40",),
    ("count(http.set_cookie) > 1",),
    ("http.connection == \"close\"",),
    ("http.referer and not http.cookie",),
]
# Of HTTP/2, which has fields of its own in tshark and none here: tshark's words and ours.
BY_STREAM = [
    ("http2.headers.method", "request and stream"),
    ("http2.headers.method == \"POST\"", "request and stream and http.request.method == \"POST\""),
    ("http2.headers.path contains \"a\"", "request and stream and http.request.uri contains \"a\""),
    ("http2.headers.status", "response and stream"),
    ("http2.headers.status == 200", "response and stream and http.response.code == 200"),
    ("http2.headers.content_type contains \"html\"", "stream and http.content_type contains \"html\""),
    ("http2.headers.user_agent contains \"Mozilla\"", "stream and http.user_agent contains \"Mozilla\""),
    ("http2.goaway.error == 0", "http2.goaway.error == 0"),
    ("http2.rst_stream.error == 8", "http2.rst_stream.error == 8"),
]
# Compared by conversation: which of them have an event, or a packet, that is picked.
BY_CONVERSATION = [
    ("ip.addr == 10.0.0.0/8",),
    ("ip.src == 192.168.0.0/16 and tcp.len > 0", "ip.src == 192.168.0.0/16 and from"),
    ("tcp.port in {80, 443, 8000..8999}",),
    ("tcp.dstport < 1024 and tcp.len > 0", "tcp.dstport < 1024 and from"),
    ("ipv6.addr == fe80::/10",),
    ("tls.handshake.extensions_server_name",),
    ("tls.handshake.extensions_server_name contains \"google\"",),
    ("tls.handshake.extensions_alpn_str == \"h2\"",),
    ("websocket.opcode == 1",),
    ("websocket.opcode in {9, 10}",),
    ("websocket.payload.close.status_code == 1000",),
]


def expressions():
    """Each with its name, tshark's text, ours, and what is compared."""
    for rows, topic in ((BY_PACKET, "packets"), (BY_STREAM, "streams"), (BY_CONVERSATION, "conversations")):
        for row in rows:
            theirs = row[0]
            ours = theirs
            if topic == "packets":
                # What is said in a stream of HTTP/2 is http2 in tshark, and compared as that.
                ours = f"({theirs}) and {row[1]} and not stream" if len(row) > 1 else f"({theirs}) and not stream"
            elif len(row) > 1:
                ours = row[1]
            # Of what Wireshark calls HTTP over UDP, as SSDP, and of addresses of other packets nothing is known here.
            theirs = f"({theirs}) and tcp"
            yield row[0], theirs, ours, topic


def conversation_key(one, other):
    return tuple(sorted((one, other)))


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.stdout


def ours(program, capture, expression, ends, spans):
    """Packets (from the lowest to the highest of each message) and conversations that we pick."""
    packets, conversations = [], set()
    for line in run([*program, "-Y", expression, str(capture)]).splitlines():
        record = json.loads(line)
        if "conversation" not in record:
            continue
        if head_key(record) in spans:
            packets.append(tuple(spans[head_key(record)]))
        if record["conversation"] in ends:
            conversations.add(ends[record["conversation"]])
    return packets, conversations


def head_key(record):
    return record["conversation"], record["kind"], record.get("channel", 0), record.get("stream"), record.get("offset")


def overview(program, capture):
    """Between whom each conversation is; and of each head, from where to where it and its body reach, since tshark shows it where the body ends."""
    ends, spans, current = {}, {}, {}
    for line in run([*program, "-Y", "opened or http or gap or control", str(capture)]).splitlines():
        record = json.loads(line)
        number = record.get("conversation")
        if record["kind"] == "opened" and "address" in record["client"]:
            client, server = record["client"], record["server"]
            ends[number] = conversation_key((client["address"], client["port"]), (server["address"], server["port"]))
        elif record["kind"] in ("request", "response", "control"):
            current[number, record["from"], record.get("stream")] = spans[head_key(record)] = list(record["packets"])
        elif record["kind"] in ("body", "gap") and "packets" in record and (number, record.get("from"), record.get("stream")) in current:
            span = current[number, record["from"], record.get("stream")]
            span[1] = max(span[1], record["packets"][1])
    return ends, spans


# A listener for each expression: all of them in one run of tshark. Of addresses in a tunnel the inner ones come last.
LISTENERS = r"""
local fields = {}
for place, name in ipairs({"ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport"}) do fields[place] = Field.new(name) end
local function last(field)
  local values = {field()}
  return #values > 0 and tostring(values[#values]) or ""
end
for number, text in ipairs(expressions) do
  local tap = Listener.new("frame", text)
  function tap.packet(packet)
    local words = {number, packet.number}
    for place, field in ipairs(fields) do words[place + 2] = last(field) end
    io.stdout:write(table.concat(words, "\t"), "\n")
  end
end
"""


def theirs(capture, texts):
    """Packets and conversations that tshark picks by each expression."""
    picked = [(set(), set()) for _ in texts]
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as script:
        quoted = ", ".join("[==[" + text + "]==]" for text in texts)
        script.write(f"local expressions = {{{quoted}}}\n{LISTENERS}")
        script.flush()
        command = ["tshark", "-2", "-o", "tcp.reassemble_out_of_order:TRUE", "-n", "-q", "-X", f"lua_script:{script.name}", "-r", str(capture)]
        lines = run(command).decode(errors="replace").splitlines()
    for line in lines:
        words = line.split("\t")
        if len(words) != 8:
            continue
        packets, conversations = picked[int(words[0]) - 1]
        packets.add(int(words[1]))
        source4, source6, source_port, target4, target6, target_port = words[2:]
        if source_port:
            # Of one version in the other either may be the inner one: what is no conversation of ours is left out later.
            for source, target in ((source4, target4), (source6, target6)):
                if source:
                    conversations.add(conversation_key((source, int(source_port)), (target, int(target_port))))
    return picked


def compare(program, capture):
    """The differences of one capture: name of the expression, what, how many of each."""
    differences = []
    ends, spans = overview(program, capture)
    if not ends:
        return differences
    rows = list(expressions())
    for (name, _, our_text, topic), (their_packets, their_conversations) in zip(rows, theirs(capture, [row[1] for row in rows])):
        our_packets, our_conversations = ours(program, capture, our_text, ends, spans)
        if topic != "conversations":
            mine = [span for span in our_packets if not any(span[0] <= packet <= span[1] for packet in their_packets)]
            other = [packet for packet in their_packets if not any(low <= packet <= high for low, high in our_packets)]
            same = len(their_packets) - len(other)
        else:
            known = set(ends.values())
            mine = our_conversations - their_conversations
            other = {pair for pair in their_conversations - our_conversations if pair in known}
            same = len(our_conversations & their_conversations)
        differences.append((name, topic, same, len(mine), len(other)))
    return differences


def explanations():
    """Rows of both pages: capture, what of it or which expression."""
    rows = []
    for page in (READING, PICKING):
        for line in page.read_text(encoding="utf-8").splitlines():
            match = re.match(r"\| `((?:fixtures|captures)/[^`]+)` \| ([^|]+) \| .+ \|$", line)
            if match:
                rows.append((match[1], match[2].strip(), page == READING))
    return rows


def is_explained(capture, name, rows):
    topics = TOPICS.get(re.match(r"\w+", name)[0], set())
    for pattern, what, is_reading in rows:
        if not fnmatch.fnmatch(capture, pattern):
            continue
        if is_reading and topics & set(re.split(r",\s*", what)):
            return True
        if not is_reading and (what == "any" or fnmatch.fnmatchcase(name, what.strip("`"))):
            return True
    return False


def captures(arguments):
    """The captures to compare, each with the name that explanations have for it."""
    fixtures = ROOT / "fixtures"
    folder = pathlib.Path(os.environ["UNMASK_CAPTURES"]) if os.environ.get("UNMASK_CAPTURES") else None
    paths = [pathlib.Path(path).absolute() for path in arguments]
    if not paths:
        paths = [path for top in (fixtures, folder) if top for path in sorted(top.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    found = []
    for path in paths:
        name = str(path)
        for word, top in (("fixtures", fixtures), ("captures", folder)):
            if top and path.is_relative_to(top):
                name = f"{word}/{path.relative_to(top)}"
        found.append((name, path))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="unmask read --format ndjson --payload none", help="what reads a capture, up to -Y")
    parser.add_argument("--most", type=int, default=50, help="MB of the largest capture that is compared")
    parser.add_argument("captures", nargs="*")
    options = parser.parse_args()
    program = options.program.split()
    rows = explanations()
    total, unexplained, explained = collections.Counter(), [], 0
    chosen = [(name, path) for name, path in captures(options.captures) if path.stat().st_size <= options.most << 20]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for (capture, _), differences in zip(chosen, pool.map(lambda item: attempt(program, item[1]), chosen)):
            if differences is None:
                print(f"{capture}: took too long")
                continue
            total["captures"] += 1
            for name, topic, same, mine, other in differences:
                total["tests"] += 1
                total["same " + topic] += same
                if not mine and not other:
                    continue
                if is_explained(capture, name, rows):
                    explained += 1
                    continue
                unexplained.append(capture)
                print(f"{capture}: {name}: {same} {topic} in both, {mine} only here, {other} only there", flush=True)
    print(f"{total['captures']} captures, {total['tests']} tests, {total['same packets']} packets, {total['same streams']} of HTTP/2 and "
          f"{total['same conversations']} conversations picked by both, {explained} differences explained, {len(unexplained)} not")
    return 1 if unexplained else 0


def attempt(program, path):
    try:
        return compare(program, path)
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return None


if __name__ == "__main__":
    sys.exit(main())
