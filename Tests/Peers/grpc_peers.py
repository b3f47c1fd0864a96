#!/usr/bin/env python3
"""grpcio's client and server, in the clear and with TLS, directly and through the proxy; captured beside the log, record for record."""

import sys

import comparison
import exchanges
import grpc_talks
import messaging_talks
from programs import Unmask

EXPECTED = [
    ["HELLO", -1], [[0, 0.0], [1, 0.5], [2, 1.0]], ["one two three", 3], ["PING", "GRÜSS DICH"], "again and " * 200,
    ["NOT_FOUND", "no such room: grün 100%"], ["DEADLINE_EXCEEDED", ""], ["UNIMPLEMENTED", ""],
]
WORDS = (
    "im.chat.Chat", "Collect", "hello", "HELLO", "GRÜSS DICH", "again and again", "'compressed': True", "'statusName': 'OK'",
)


def settled(records):
    """Without what the response to the late call says of its request: on one of the connections the client may have cancelled it before."""
    return [{key: value for key, value in record.items() if key != "decoded"}
            if record["kind"] == "response" and record.get("decoded", {}).get("status") == 4 else record for record in records]


def through(it, scheme, certificate):
    with grpc_talks.server(certificate) as port:
        name = f"gRPC, {'TLS' if certificate else 'h2c'}"
        it.same(f"{name}: the talk", EXPECTED, grpc_talks.talk(port, it.certificates.authority if certificate else None))
        folder = it.folder / f"grpc-{scheme}"
        keys, capture, recording = folder / "keys.log", folder / "both.pcap", folder / "talk.pcapng"
        more = ("--upstream-ca", it.certificates.authority, "--decoded", "--keys", keys, "-w", recording)
        with Unmask(it.unmask, folder, "--mode", f"reverse:{scheme}://localhost:{port}", *more) as proxy:
            with exchanges.capturing(capture, [port, proxy.port]):
                it.same(f"{name}: the talk through the proxy", EXPECTED, grpc_talks.talk(proxy.port, proxy.authority if certificate else None))
        log = it.records(proxy)
    told = [record["decoded"] for record in log if record.get("decoded", {}).get("as") == "grpc"]
    it.same(f"{name}: what is in the log", [], [word for word in WORDS if not any(word in str(one) for one in told)])
    failed = [[value for name, value in record["headers"] if name == "grpc-status"] for record in log if record["kind"] == "response"]
    # At its deadline a call may be cancelled before the server says so.
    it.same(f"{name}: calls without a message that failed", [["5"], ["12"]], [one for one in failed if one and one != ["4"]])
    decoded = [record.get("decoded", {}).get("status") for record in log if record["kind"] == "response"]
    it.same(f"{name}: what these calls say once decoded", [5, 12], [status for status in decoded if status not in (None, 4)])
    deadlines = {record["target"].rsplit("/", 1)[1]: record.get("deadline", 0) for record in log if record["kind"] == "request"}
    it.same(f"{name}: deadlines", True, 0.28 < deadlines["Wait"] <= 0.31 and 14 < deadlines["Say"] <= 15.1)
    late = [record for record in log if record["kind"] == "finding" and record["severity"] != "note"]
    calls = {record["stream"]: record["target"] for record in log if record["kind"] == "request"}
    it.same(f"{name}: the call that was late, and no other accusation", [("http2.call-deadline", "/im.chat.Chat/Wait")],
            sorted({(record["id"], calls.get(record.get("stream"))) for record in late}))
    live = exchanges.said(settled(log))
    it.same(f"{name}: the capture of both connections says the same", exchanges.NOTHING, exchanges.difference(
        live, exchanges.said(settled(exchanges.read(it.unmask, "--decoded", "--keys", keys, capture))), 2))
    it.same(f"{name}: the recording says the same", exchanges.NOTHING, exchanges.difference(
        live, exchanges.said(settled(exchanges.read(it.unmask, "--decoded", recording)))))


def compare(it):
    try:
        through(it, "http", None)
        through(it, "https", it.certificates.server)
    except messaging_talks.Absent as missing:
        raise comparison.Skipped(f"gRPC through the proxy ({missing} is not installed)") from missing


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
