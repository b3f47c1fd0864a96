"""Holds the proxy's log against what the load sent: every message is there, whole, and in order."""

import base64
import collections
import json
import subprocess
import threading

import bench_proxy_load as load

SIZE = 65_536
BULK = bytes((i * 131 + 7) & 255 for i in range(SIZE))
BLAST = bytes(SIZE)


class Log:
    """What the lines of a log come to."""

    def __init__(self):
        self.errors = []
        self.kinds = collections.Counter()
        # By content: bulk, blast, end, ping, control.
        self.messages = collections.Counter()
        self.next = {}
        self.end = {}

    def complain(self, text):
        if len(self.errors) < 10:
            self.errors.append(text)

    def read(self, stream):
        for line in stream:
            record = json.loads(line)
            kind = record["kind"]
            self.kinds[kind] += 1
            if kind == "message":
                self.message(record)
            elif kind == "end":
                self.end = record
            elif kind in ("gap", "data"):
                self.complain(f"a record of the kind {kind}: {line[:200]!r}")

    def message(self, record):
        place = (record["conversation"], record["from"])
        length = record["wireLength"]
        header = 2 + (0 if length < 126 else 2 if length < 65_536 else 8) + (4 if record["from"] == "client" else 0)
        # Every frame of the load is a message: each begins where the one before it ends, or one is missing or out of its order.
        if place in self.next and self.next[place] != record["offset"]:
            self.complain(f"a message of {place} at {record['offset']}, expected at {self.next[place]}")
        self.next[place] = record["offset"] + header + length
        content = record["text"].encode() if "text" in record else base64.b64decode(record["base64"])
        if record.get("truncated") or len(content) != record["length"]:
            self.complain(f"{len(content)} bytes of a message of {record['length']}")
        if record["opcode"] == "binary":
            name = "bulk" if record["from"] == "client" else "blast"
            if content != (BULK if name == "bulk" else BLAST):
                self.complain(f"the content of a {name} message is not what was sent")
        else:
            name = "end" if content == b"END" else "start" if content.startswith(b"BLAST ") else "ping " + record["from"]
        self.messages[name] += 1


def check(scratch, command, side, port, count=1_000, seconds=1):
    """Prints a line; returns whether something was lost."""
    log = Log()
    with load.echo_server(scratch, side):
        with load.running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as proxy:
            reader = threading.Thread(target=log.read, args=(proxy.stdout,))
            reader.start()
            load.wait_for_port(port)
            ping = load.client(scratch, side, port, mode="ping", conns=64, secs=seconds)
            bulk = load.client(scratch, side, port, mode="bulk", size=SIZE, count=count)
            blast = load.client(scratch, side, port, mode="blast", size=SIZE, count=count)
            setup = load.client(scratch, side, port, mode="setup", conc=32, secs=seconds)
            proxy.terminate()
            reader.join(60)
    got = log.messages
    # The load tool's pings under way when time is up reach the server, and their answers may or may not be sent.
    for name, least, most in (
        ("ping client", ping["roundtrips"], ping["roundtrips"] + 64),
        ("ping server", ping["roundtrips"], ping["roundtrips"] + 64),
        ("bulk", count, count),
        ("blast", count, count),
        ("start", 1, 1),
        ("end", 3, 3),
    ):
        if not least <= got[name] <= most:
            log.complain(f"{got[name]} messages of {name}, {least} to {most} were sent")
    if log.end.get("messages") != log.kinds["message"]:
        log.complain(f"the totals say {log.end.get('messages')} messages, the log holds {log.kinds['message']}")
    if log.kinds["upgrade"] < setup["setups"] + 66:
        log.complain(f"{log.kinds['upgrade']} upgrades, {setup['setups'] + 66} were made")
    if log.kinds["opened"] != log.kinds["closed"]:
        log.complain(f"{log.kinds['opened']} conversations opened and {log.kinds['closed']} closed")
    for dead in (run for run in (ping, bulk, blast, setup) if run["dead"] or run.get("failed")):
        log.complain(f"connections failed: {dead}")
    print(
        f"log, {side}: {log.kinds['message']} messages and {log.kinds['upgrade']} upgrades, "
        + ("nothing lost, nothing reordered" if not log.errors else "MISSED\n  " + "\n  ".join(log.errors)),
        flush=True)
    return bool(log.errors)
