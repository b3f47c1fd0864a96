#!/usr/bin/env python3
"""Holds what we say of messages against tshark's dissectors: MQTT, AMQP 0-9-1, IRC, XMPP, and the protobuf in gRPC, as rows of (stream, who, what).

    compare-payloads.py --unmask .build/debug/unmask CAPTURE…

Each difference is printed. Exit status: 1 where something differs.
"""

import argparse
import collections
import json
import subprocess
import sys

MQTT = ["reserved", "CONNECT", "CONNACK", "PUBLISH", "PUBACK", "PUBREC", "PUBREL", "PUBCOMP", "SUBSCRIBE", "SUBACK", "UNSUBSCRIBE", "UNSUBACK",
        "PINGREQ", "PINGRESP", "DISCONNECT", "AUTH"]


WIRE = {"varint": "0", "i64": "1", "len": "2", "group": "3", "i32": "5"}


def tshark(capture, shown, *fields, ports=()):
    """Rows of fields, one for each occurrence; several fields of one packet run side by side. HTTP/2 is read at these ports."""
    command = ["tshark", *(word for port in ports for word in ("-d", f"tcp.port=={port},http2")), "-r", capture, "-Y", shown, "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=\x1f", "-e", "tcp.stream", "-e", "tcp.srcport"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    for line in done.stdout.splitlines():
        stream, source, *columns = line.split("\t")
        yield stream.split("\x1f")[0], source, [column.split("\x1f") if column else [] for column in columns]


def theirs(capture, ports):
    """What tshark makes of a capture: counts of (protocol, what)."""
    found = collections.Counter()
    for _, _, (types,) in tshark(capture, "mqtt", "mqtt.msgtype"):
        found.update(("mqtt", MQTT[int(kind)]) for kind in types)
    for _, _, (topics,) in tshark(capture, "mqtt.msgtype == 3", "mqtt.topic"):
        found.update(("mqtt topic", topic) for topic in topics)
    for _, _, (types, classes) in tshark(capture, "amqp", "amqp.type", "amqp.method.class"):
        found.update(("amqp", {"1": "method", "2": "header", "3": "body", "8": "heartbeat"}.get(kind, kind)) for kind in types)
    for _, _, (requests, responses) in tshark(capture, "irc", "irc.request.command", "irc.response.command"):
        found.update(("irc", word) for word in requests + responses)
    for stanza in ("iq", "message", "presence"):
        for _, _, _ in tshark(capture, f"xmpp.{stanza}", f"xmpp.{stanza}"):
            found[("xmpp", stanza)] += 1
    for _, _, (numbers, wires) in tshark(capture, "grpc", "protobuf.field.number", "protobuf.field.wiretype", ports=ports):
        found.update(("protobuf", f"field {number}, wire type {wire}") for number, wire in zip(numbers, wires))
    return found


def fields_of(decoded):
    """The fields of the messages of a call of gRPC, the outermost alone, as tshark has them."""
    for message in decoded.get("messages", [decoded]):
        content = message.get("message")
        if isinstance(content, dict) and content.get("as") == "protobuf":
            yield from content.get("fields", [])


def ours(unmask, capture):
    """The same of ours, and the ports of servers that speak gRPC."""
    found = collections.Counter()
    servers, ports = {}, set()
    done = subprocess.run([unmask, "read", "--profile", "none", "--format", "ndjson", "--decoded", capture], capture_output=True, text=True, timeout=300, check=False)
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record.get("kind") == "opened":
            servers[record["conversation"]] = record.get("server", {}).get("port")
        decoded = record.get("decoded", {})
        if decoded.get("as") == "grpc":
            if "stream" in record:
                ports.add(servers.get(record["conversation"]))
            found.update(("protobuf", f"field {field['number']}, wire type {WIRE[field['wire']]}") for field in fields_of(decoded))
        for one in decoded.get("packets", [decoded]) if isinstance(decoded.get("packets"), list) else [decoded]:
            # tshark 4.0 does not read MQTT in WebSocket messages.
            if decoded.get("as") == "mqtt" and "framing" in record:
                found[("mqtt", one.get("type"))] += 1
                if one.get("type") == "PUBLISH":
                    found[("mqtt topic", one.get("topic"))] += 1
            elif decoded.get("as") == "amqp":
                kind = one.get("type")
                found[("amqp", kind if kind in ("header", "body", "heartbeat", "protocol") else "method")] += 1
            elif decoded.get("as") == "irc":
                found[("irc", one.get("command"))] += 1
            elif decoded.get("as") == "xmpp" and one.get("stanza") in ("iq", "message", "presence"):
                found[("xmpp", one["stanza"])] += 1
    found.pop(("amqp", "protocol"), None)
    return found, ports


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unmask", default=".build/debug/unmask")
    parser.add_argument("captures", nargs="+")
    given = parser.parse_args()
    differing = compared = 0
    for capture in given.captures:
        left, ports = ours(given.unmask, capture)
        right = theirs(capture, ports)
        if not left and not right:
            continue
        compared += 1
        for key in sorted(set(left) | set(right), key=str):
            if left[key] != right[key]:
                differing += 1
                print(f"{capture}: {key[0]} {key[1]}: {left[key]} here, {right[key]} in tshark")
    print(f"{compared} captures with such messages, {differing} differences")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
