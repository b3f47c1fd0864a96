#!/usr/bin/env python3
"""console_requests.py PROGRAM PART: one part of what the web console promises, over loopback. Prints `same` and what was looked at, or `different` lines."""

import hashlib
import json
import os
import pathlib
import select
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

from console_client import Console, Live, scratch

PROGRAM = sys.argv[1]
PROJECT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ["chromium-websocket", "http-oddities", "messaging-socketio", "http2-grpc", "raw-delimited", "gap-then-resync", "several-messages-in-a-packet"]
DIFFERENCES = []


def check(truth, *words):
    if not truth:
        DIFFERENCES.append("different: " + " ".join(str(word) for word in words))


def capture(name):
    return str(next((PROJECT / "fixtures" / name).glob("capture.*")))


def read(*arguments):
    lines = subprocess.run([PROGRAM, "read", "--format", "ndjson", *arguments], capture_output=True, check=False, timeout=60).stdout.splitlines()
    return [json.loads(line) for line in lines]


def nanoseconds(text):
    seconds = time.strptime(text[:19] + "UTC", "%Y-%m-%dT%H:%M:%S%Z")
    import calendar

    return str(calendar.timegm(seconds) * 10**9 + int(text[20:29]))


def key(record):
    side = {"client": 0, "server": 1}.get(record.get("from"))
    moment = nanoseconds(record["time"]) if "time" in record else None
    return record["kind"], record.get("conversation", 0), moment, side


def key_of_row(row):
    return row["k"], row["n"], row["t"], row["s"]


def rows():
    """Rows are the lines of `read --format ndjson`, also of a session file, and so are records and payloads."""
    with scratch() as folder:
        for name in FIXTURES:
            session = f"{folder}/{name}.unmask"
            records = read(capture(name), "--save", session)
            for source in (capture(name), session):
                console = Console(PROGRAM, "console", source).finished()
                shown = console.view()
                check([key(record) for record in records] == [key_of_row(row) for row in shown], name, source, "rows")
                for row, record in list(zip(shown, records))[:120]:
                    status, detail = console.json(f"/api/records/{row['id']}")
                    payload = record.pop("text", None)
                    import base64

                    data = base64.b64decode(record.pop("base64")) if "base64" in record else (payload or "").encode()
                    bare = {k: v for k, v in detail["record"].items() if k not in ("heartbeats", "unanswered", "unansweredTotal")}
                    if record["kind"] not in ("capture", "end"):
                        check(status == 200 and bare == record, name, row["id"], bare, record)
                    if payload is not None or data:
                        _, fields, content = console.request(f"/api/payloads/{row['id']}?from=0&count=1048576")
                        check(content == data and fields["X-Total-Bytes"] == str(len(data)), name, row["id"], "payload")
                        _, _, slice_ = console.request(f"/api/payloads/{row['id']}?from=1&count=3")
                        check(slice_ == data[1:4], name, row["id"], "slice")
                check(console.end() == 0, name, "ends", console.said)
    return f"{len(FIXTURES)} captures"


FILTERS = [
    "websocket", "message and from == client", "message.length > 30", "request", "http.response.code >= 200", "finding", "closed", "tcp.port == 8080",
    'message.text contains "join"', "conversation == 2", "not message", "json", "ping or pong", "frame.number > 20",
]


def filters():
    """A view with a filter is what `read -Y` prints."""
    for name in FIXTURES[:4]:
        console = Console(PROGRAM, "console", capture(name)).finished()
        for expression in FILTERS:
            wanted = [key(record) for record in read("-Y", expression, capture(name)) if record.get("conversation")]
            shown = console.view(filter=expression)
            check(isinstance(shown, list) and wanted == [key_of_row(row) for row in shown], name, expression, len(wanted))
        for number in {row["n"] for row in console.view() if row["n"]}:
            wanted = [key(record) for record in read("--conversation", str(number), capture(name)) if record.get("conversation")]
            check(wanted == [key_of_row(row) for row in console.view(conversation=number)], name, "conversation", number)
            both = [row["id"] for row in console.view(conversation=number, filter="message")]
            check(both == [row["id"] for row in console.view(conversation=number) if row["k"] == "message"], name, "both", number)
        found = [key(record) for record in read("--grep", "(?i)HTTP/1", capture(name)) if record.get("conversation")]
        check(found == [key_of_row(row) for row in console.view(search="http/1")], name, "search")
        console.end()
    console = Console(PROGRAM, "console", capture("chromium-websocket")).finished()
    status, problem = console.json("/api/views", {"filter": "message.text contains 3 and bogus.field"})
    check(status == 400 and problem["column"] >= 1 and problem["error"], problem)
    check(console.json("/api/views", {"filter": "bogus.x == 3"})[1]["column"] == 1, "column")
    everything = console.view()
    silent = console.view(heartbeats=False)
    check({row["k"] for row in everything if row["id"] not in {r["id"] for r in silent}} == {"ping", "pong"}, "heartbeats")
    middle = everything[20]["t"]
    check(all(int(row["t"]) >= int(middle) for row in console.view(since=middle)), "since")
    check(len(console.view(since=middle)) + len(console.view(until=str(int(middle) - 1))) == len([r for r in everything if r["t"]]), "until")
    check(console.view(search="grüß DICH 👋") and not console.view(search=".*"), "a search is for a text, in any case of letters")
    names = [console.json("/api/views", {"kinds": "messages"})[1]["view"] for _ in range(20)]
    check(console.request(f"/api/views/{names[0]}/rows")[0] == 404, "the oldest view is evicted")
    check(console.request(f"/api/views/{names[-1]}/rows")[0] == 200, "the newest view is there")
    check(console.json("/api/views", {"replaces": names[-1]})[0] == 200 and console.request(f"/api/views/{names[-1]}/rows")[0] == 404, "replaced")
    console.end()
    return f"{len(FILTERS)} expressions"


def hostile():
    """No bytes end the console or fill its memory, and pages are served all the while."""
    console = Console(PROGRAM, "console", capture("chromium-websocket"), "--console-host", "tunnel.example").finished()
    host = f"Host: {console.host}\r\n"
    token = f"Authorization: Bearer {console.token}\r\n"
    post = f"POST /api/views HTTP/1.1\r\n{host}{token}"
    table = [
        ("another Host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        ("no Host", "GET / HTTP/1.1\r\n\r\n", 421),
        ("two Hosts", f"GET / HTTP/1.1\r\n{host}{host}\r\n", 421),
        ("a rebound name", f"GET /api/state HTTP/1.1\r\nHost: evil.example:{console.port}\r\nOrigin: http://evil.example:{console.port}\r\n{token}\r\n", 421),
        ("an allowed name", "GET / HTTP/1.1\r\nHost: tunnel.example\r\nConnection: close\r\n\r\n", 200),
        ("another Host, any method", f"DELETE /x HTTP/1.1\r\nHost: x\r\n{token}\r\n", 421),
        ("another Origin", f"GET /api/state HTTP/1.1\r\n{host}{token}Origin: http://evil.example\r\n\r\n", 403),
        ("the null Origin", f"{post}Origin: null\r\nContent-Length: 2\r\n\r\n{{}}", 403),
        ("no token", f"GET /api/state HTTP/1.1\r\n{host}\r\n", 401),
        ("the token in a cookie", f"GET /api/state HTTP/1.1\r\n{host}Cookie: token={console.token}\r\n\r\n", 401),
        ("no token for what is not there", f"GET /api/nothing HTTP/1.1\r\n{host}\r\n", 401),
        ("nothing of the name", f"GET /../../etc/passwd HTTP/1.1\r\n{host}\r\n", 404),
        ("an encoded path", f"GET /%2e%2e%2fetc%2fpasswd HTTP/1.1\r\n{host}\r\n", 404),
        ("a method that changes", f"PUT /api/views HTTP/1.1\r\n{host}{token}Content-Length: 0\r\n\r\n", 405),
        ("a GET where only POST is", f"GET /api/views HTTP/1.1\r\n{host}{token}\r\n", 405),
        ("a preflight", f"OPTIONS /api/views HTTP/1.1\r\n{host}Origin: http://{console.host}\r\nAccess-Control-Request-Method: POST\r\n\r\n", 401),
        ("broken JSON", f"{post}Connection: close\r\nContent-Length: 3\r\n\r\n{{\"a", 400),
        ("deep JSON", f"{post}Connection: close\r\nContent-Length: 100000\r\n\r\n" + "[" * 100_000, 400),
        ("another type", f"{post}Connection: close\r\nContent-Length: 14\r\n\r\n{{\"filter\":[1]}}", 400),
        ("2 MiB of a field", "GET / HTTP/1.1\r\nA: " + "a" * (2 << 20), 431),
        ("2 MiB of fields", "GET / HTTP/1.1\r\n" + "Abcdefgh: 12345678\r\n" * 100_000, 431),
        ("2 MiB of a target", "GET /" + "a" * (2 << 20), 431),
        ("a long body", f"{post}Content-Length: 9000000\r\n\r\n" + "a" * 3_000_000, 413),
        ("a long body in chunks", f"{post}Transfer-Encoding: chunked\r\n\r\n" + ("10000\r\n" + "a" * 65_536 + "\r\n") * 40, 413),
        ("both lengths", f"{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "x" * 512, 400),
        ("no HTTP", "hello\r\n\r\n", 400),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        ("a WebSocket without an Origin", f"GET /api/live HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n", 403),
        ("an upgrade to something else", f"GET / HTTP/1.1\r\n{host}Origin: http://{console.host}\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n", 200),
        ("a WebSocket elsewhere", f"GET /api/state HTTP/1.1\r\n{host}Origin: http://{console.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n", 401),
        ("a WebSocket of another version", f"GET /api/live HTTP/1.1\r\n{host}{token}Origin: http://{console.host}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: x\r\n\r\n", 426),
    ]
    before = console.memory()
    for name, data, status in table:
        answer, ended = console.raw(data.encode("latin-1"))
        said = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else answer[:40]
        check(said == status, name, "gives", said, "and not", status)
        check(ended, name, "leaves the connection open")
        check(status == 200 or b"Content-Security-Policy: default-src 'none'" in answer, name, "has no policy")
        check(b"nosniff" in answer and b"Set-Cookie" not in answer and b"Access-Control" not in answer, name, "fields")
    for case in range(8):
        live = Live(console, f"http://{console.host}")
        check(live.status == 101, "upgrade", live.status)
        if case == 0:
            live.say({"token": "0" * 32})
        elif case == 1:
            live.say(b"\xff\xfe no JSON")
        elif case == 2:
            live.say({"token": console.token}, masks=False)
        elif case == 3:
            live.say({"token": console.token}, opcode=2)
        elif case == 4:
            live.say({"token": console.token}, first=0x00)
        elif case == 5:
            live.socket.sendall(b"\x81\xff" + struct.pack(">Q", 1 << 62) + b"abcd")
        elif case == 6:
            live.socket.sendall(b"\xf3\x80abcd")
        else:
            live.say({"token": 3})
        heard = live.hear()
        while heard is not None and heard[0] != 8:
            check(heard[0] != 1, "case", case, "is told", heard)
            heard = live.hear()
        check(heard is None or heard[0] == 8, "case", case)
        live.socket.close()
    for _ in range(1_000):
        status, _, _ = console.request("/api/state", headers={"Authorization": f"Bearer {os.urandom(16).hex()}"})
        check(status == 401, "a guessed token", status)
    # Requests after each other whose responses are not read.
    with socket.create_connection(("127.0.0.1", console.port)) as unread:
        unread.setblocking(False)
        requests = f"GET /timeline.js HTTP/1.1\r\n{host}\r\n".encode() * 20_000
        sent, deadline = 0, time.monotonic() + 3
        while sent < len(requests) and time.monotonic() < deadline:
            try:
                sent += unread.send(requests[sent:sent + 65_536])
            except BlockingIOError:
                select.select([], [unread], [], 0.1)
        # It has them all by then, and would go on for as long as it likes.
        growth, deadline = 0, time.monotonic() + 2
        while growth <= 16 << 20 and time.monotonic() < deadline:
            select.select([], [], [], 0.05)
            growth = max(growth, console.memory() - before)
    check(growth <= 16 << 20, "memory of unread responses grew by", growth, "after", sent)
    # A thousand connections that say nothing, and the pages of the user.
    page = Live(console, f"http://{console.host}")
    page.say({"token": console.token})
    check(page.hear() is not None, "a page is told")
    crowd = []
    for _ in range(1_000):
        connection = socket.create_connection(("127.0.0.1", console.port))
        connection.sendall(b"GET / HTT")
        crowd.append(connection)
    for _ in range(16):
        check(console.request("/")[0] == 200 and console.json("/api/state")[0] == 200, "served in the crowd")
    page.say(b"ping", opcode=9)
    heard = page.hear()
    check(heard == (10, b"ping"), "the page stays", heard)
    growth = console.memory() - before
    for connection in crowd:
        connection.close()
    check(growth <= 16 << 20, "memory grew by", growth)
    check(console.end() == 0, "ends", console.said)
    return f"{len(table)} requests"


def slow():
    """A head that does not come is waited for 10 seconds, and a token of a WebSocket 5."""
    console = Console(PROGRAM, "console", capture("chromium-websocket")).finished()
    live = Live(console, f"http://{console.host}")
    with socket.create_connection(("127.0.0.1", console.port)) as connection:
        connection.settimeout(30)
        began = time.monotonic()

        def trickle():
            try:
                for byte in b"GET / HTTP/1.1\r\nHost: " + b"x" * 60:
                    connection.sendall(bytes([byte]))
                    time.sleep(1)
            except OSError:
                pass

        threading.Thread(target=trickle, daemon=True).start()
        heard = live.hear()
        check(heard is not None and heard[0] == 8 and 4 < time.monotonic() - began < 8, "the WebSocket", heard, time.monotonic() - began)
        try:
            check(connection.recv(100) == b"", "nothing is said")
        except OSError:
            pass
        check(8 < time.monotonic() - began < 15, "the head", time.monotonic() - began)
    console.end()
    return "two clients"


class Echo:
    """A server that sends back what comes."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    @staticmethod
    def serve(client):
        with client:
            while data := client.recv(65_536):
                client.sendall(data)


def live():
    """A proxy is shown while it runs, and the session file that it keeps is whole at its end."""
    echo = Echo()
    with scratch() as folder:
        for more in ([], ["--save", f"{folder}/kept.unmask"], ["--log", f"{folder}/kept.ndjson"]):
            console = Console(PROGRAM, "proxy", "--listen", "127.0.0.1:0", f"tcp://127.0.0.1:{echo.port}", "--console", *more, lines=2)
            port = int(console.said.split("listening on 127.0.0.1:")[1].split()[0])
            page = Live(console, f"http://{console.host}")
            page.say({"token": console.token})
            check(json.loads(page.hear()[1])["rows"] >= 0, "counts")
            _, made = console.json("/api/views", {"filter": "tcp.port > 0"})
            page.say({"view": made["view"]})
            with socket.create_connection(("127.0.0.1", port)) as client:
                for number in range(20):
                    client.sendall(b"message %d\n" % number)
                    client.recv(100)
                began, last, ofView = time.monotonic(), {}, {}
                while (last.get("rows", 0) < 22 or ofView.get("total", 0) < 20) and time.monotonic() - began < 20:
                    told = json.loads(page.hear()[1])
                    if "view" in told:
                        ofView = told
                    else:
                        last = told
                check(last["conversations"] == 1 and not last["finished"], last)
                check(time.monotonic() - began < 2, "takes", time.monotonic() - began)
                texts = " ".join(row["x"] for row in console.view())
                check(all(f"message {number}" in texts for number in range(20)), texts)
                state = console.json("/api/state")[1]
                check(state["live"] and state["saved"] == (more[1] if more[:1] == ["--save"] else None), state)
                newest(console, page, client)
            began = time.monotonic()
            check(console.end() == 0 and time.monotonic() - began < 4, "ends after", time.monotonic() - began, console.said)
        check(sorted(os.listdir(folder)) == ["kept.ndjson", "kept.unmask"], os.listdir(folder))
        one, other = read(f"{folder}/kept.unmask"), read(f"{folder}/kept.ndjson")
        check([r["kind"] for r in one][-1] == "end" and len(one) > 20 and len(other) > 20, "kept")
    return "three runs"


def newest(console, page, client):
    """A page that follows gets the newest rows with their count, as a request for them has them."""
    _, made = console.json("/api/views", {"kinds": "messages"})
    page.say({"view": made["view"], "newest": 3})
    rows, began, number = [], time.monotonic(), 0
    while not rows and time.monotonic() - began < 10:
        client.sendall(b"later %d\n" % number)
        client.recv(100)
        number += 1
        heard = json.loads(page.hear()[1])
        rows = heard.get("list", []) if heard.get("view") == made["view"] else []
    check(len(rows) == 3 and heard["rows_at"] == heard["total"] - 3 and rows[-1]["x"].startswith("later "), "newest rows", heard)
    _, requested = console.json(f"/api/views/{made['view']}/rows?from={heard['rows_at']}&count=3")
    check(requested["list"] == rows, "newest rows as requested", rows, requested)
    page.say({"view": made["view"]})


def found(console, count):
    """How many findings there are of a proxy that was to connect to itself, when so many have come, or time is over."""
    deadline = time.monotonic() + 10
    while (number := sum(row["x"].startswith("proxy.loop") for row in console.view(filter="finding"))) < count and time.monotonic() < deadline:
        pass
    return number


def by_names_of_hosts(dial):
    """By way of another proxy on this machine, which has a name too: names that /etc/hosts has."""
    if os.geteuid() != 0:
        print("skipped: names of this machine in /etc/hosts (needs root)")
        return
    with scratch() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        hosts = pathlib.Path(folder, "hosts")
        hosts.write_text("127.0.0.1 localhost own.test way.test\n192.0.2.1 far.test\n")
        named = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$(readlink -f /etc/hosts)" && exec "$@"', str(hosts), PROGRAM]
        other = subprocess.Popen(
            [*named, "proxy", "--mode", "http", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        way = other.stderr.readline().split("listening on 127.0.0.1:")[1].split()[0]
        for host in ("127.0.0.1", "way.test"):
            console = Console(*named, "proxy", "--console", "--mode", "http", "--listen", "127.0.0.1:0", "--via", f"http://{host}:{way}", lines=2)
            entrance = int(console.said.split("listening on 127.0.0.1:")[1].split()[0])
            for name, port, opens in (("own.test", console.port, False), ("OWN.test", console.port, False), ("127.0.0.1", console.port, False),
                                      ("own.test", server.getsockname()[1], True)):
                where = f"{name}:{port}"
                answer = dial(entrance, f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n\r\n".encode())
                check((b" 200 " in answer.split(b"\r\n")[0]) == opens, f"by way of {host}", where, answer[:60])
            check(found(console, 3) >= 3, "findings of names")
            console.end()
        other.send_signal(2)
        other.wait(20)
        other.stderr.close()


def pings():
    """A stranger who sends pings and reads nothing fills no memory; one who reads has a pong."""
    console = Console(PROGRAM, "console", capture("chromium-websocket")).finished()
    live = Live(console, f"http://{console.host}")
    live.say(b"are you there", opcode=9)
    heard = live.hear()
    check(heard == (10, b"are you there"), "a pong", heard)
    live.socket.close()
    before = console.memory()
    # With little room in the system, so that pongs would stay in the program.
    strangers = [Live(console, f"http://{console.host}", room=4_096).socket for _ in range(2)]
    many = (bytes([0x89, 0x80 | 125]) + bytes(4) + b"x" * 125) * 1_000
    sent, most, offsets = 0, before, [0] * len(strangers)
    for stranger in strangers:
        stranger.setblocking(False)
    deadline = time.monotonic() + 4
    while time.monotonic() < deadline and sent < 128 << 20:
        for place, stranger in enumerate(strangers):
            try:
                count = stranger.send(many[offsets[place]:])
            except OSError:
                continue
            offsets[place] = (offsets[place] + count) % len(many)
            sent += count
        most = max(most, console.memory())
    check(sent > 1 << 20 and most - before < 24 << 20, f"{sent >> 20} MiB of pings take {(most - before) >> 20} MiB")
    for stranger in strangers:
        stranger.close()
    # A page has what it needs meanwhile.
    check(console.json("/api/state")[0] == 200, "the state")
    check(console.end() == 0, console.said)
    return f"{sent >> 20} MiB of pings"


def numbers():
    """Numbers in a stranger's session file that are as great as can be."""
    most = 2**63 - 1
    finding = """INSERT INTO records(id, kind, json, conversation) VALUES(%d, 'finding', '{"kind":"finding","conversation":1}', 1)"""
    cases = {
        "a trace of the greatest number": (f"UPDATE traces SET ids = '[{most}]'", []),
        "a trace beyond all numbers": ("UPDATE traces SET ids = '[-9223372036854775808, 99999999999999999999, 1]'", []),
        "a record of the greatest number": (finding % most, [f"/api/records/{most}", f"/api/payloads/{most}"]),
        "a record near it": (finding % (most - 7), [f"/api/records/{most - 7}", f"/api/records/{most - 8}"]),
        "a conversation of the greatest number": (f"UPDATE conversations SET id = {most} WHERE id = 1", [f"/api/conversations/{most}"]),
        "great sums": (f"UPDATE conversations SET client_bytes = {most}, server_bytes = {most}, findings = {most}", ["/api/conversations?sort=bytes"]),
        "great times": (f"UPDATE messages SET time = {most}, length = {most}", []),
        "small times": (f"UPDATE messages SET time = {-most - 1}, length = -1", []),
    }
    with scratch() as folder:
        whole = f"{folder}/whole.unmask"
        read(capture("chromium-websocket"), "--save", whole)
        for name, (change, paths) in cases.items():
            file = f"{folder}/strange.unmask"
            shutil.copy(whole, file)
            with sqlite3.connect(file) as database:
                database.execute(change)
            database.close()
            console = Console(PROGRAM, "console", file)
            try:
                for wanted in ({"conversation": 1}, {"conversation": 1, "filter": "message"}, {"filter": "message"}, {}):
                    view = console.json("/api/views", wanted)[1]["view"]
                    time.sleep(0.2)
                    for path in (f"views/{view}/rows", f"views/{view}/timeline", f"statistics?view={view}", f"views/{view}/position?id={2**53}"):
                        check(console.request(f"/api/{path}")[0] in (200, 500), name, path)
                for path in paths:
                    check(console.request(path)[0] in (200, 404), name, path)
                check(console.json("/api/state")[0] == 200, name, "the state")
                check(console.end() == 0, name, console.said)
            except OSError as error:
                check(False, name, "ends the console:", error)
                console.process.kill()
    return f"{len(cases)} files"


def loop():
    """The proxy connects nobody with the console: by no name, family, form of an address or mode."""
    names = ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f.1", "[::ffff:7f00:1]"]
    console = Console(
        PROGRAM, "proxy", "--console", "--mode", "http", "--listen", "127.0.0.1:0", "--mode", "socks5", "--listen", "127.0.0.1:0", "--log",
        "/dev/null", lines=2)
    ports = [int(part.split(":")[1].split(" ")[0]) for part in console.said.split("listening on ")[1].split(", ")]

    def dial(port, *parts):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.settimeout(20)
            answer = b""
            for part in parts:
                client.sendall(part)
                try:
                    answer = client.recv(4_096)
                except OSError:
                    break
            return answer

    for name in names:
        where = f"{name}:{console.port}"
        for ask in (f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n\r\n", f"GET http://{where}/ HTTP/1.1\r\nHost: {where}\r\n\r\n"):
            answer = dial(ports[0], ask.encode())
            check(b" 200 " not in answer.split(b"\r\n")[0] and b"<title>" not in answer, name, ask[:7], answer[:60])
        bare = name.strip("[]").encode()
        answer = dial(ports[1], b"\x05\x01\x00", b"\x05\x01\x00\x03" + bytes([len(bare)]) + bare + struct.pack(">H", console.port))
        check(answer[1:2] not in (b"", b"\x00"), name, "SOCKS", answer)
    answer = dial(ports[1], b"\x05\x01\x00", b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", console.port))
    check(answer[1:2] not in (b"", b"\x00"), "SOCKS address", answer)
    check(found(console, 8) >= 8, "findings")
    console.end()
    # By way of another proxy on this machine.
    other = subprocess.Popen(
        [PROGRAM, "proxy", "--mode", "http", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    way = other.stderr.readline().split("listening on ")[1].split()[0]
    console = Console(PROGRAM, "proxy", "--console", "--mode", "http", "--listen", "127.0.0.1:0", "--via", f"http://{way}", lines=2)
    entrance = int(console.said.split("listening on 127.0.0.1:")[1].split()[0])
    for name in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:127.0.0.1%lo]", "0.0.0.0", "127.1", "2130706433", "0x7f000001"):
        where = f"{name}:{console.port}"
        answer = dial(entrance, f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n\r\n".encode())
        check(b" 200 " not in answer.split(b"\r\n")[0], "by way of a proxy", name, answer[:60])
    check(found(console, 8) >= 8, "findings by way of a proxy")
    console.end()
    other.send_signal(2)
    other.wait(20)
    other.stderr.close()
    by_names_of_hosts(dial)
    # Reverse mode whose server is the console: its port has to be known before.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    console = Console(PROGRAM, "proxy", "--console", str(port), "--listen", "127.0.0.1:0", f"http://localhost:{port}", lines=2)
    check(console.port == port, "the port")
    entrance = int(console.said.split("listening on 127.0.0.1:")[1].split()[0])
    answer = dial(entrance, f"GET / HTTP/1.1\r\nHost: {console.host}\r\n\r\n".encode())
    check(b"<title>" not in answer, "reverse", answer[:60])
    check(found(console, 1) >= 1, "reverse finding")
    console.end()
    return f"{len(names)} names"


def redacted():
    """What is hidden is hidden in all that is served."""
    with scratch() as folder:
        session = f"{folder}/chat.unmask"
        read(capture("chromium-websocket"), "--save", session)
        for source in (capture("chromium-websocket"), session):
            console = Console(PROGRAM, "console", "--redact-pattern", "good morning|chat\\.v2|/room/7|anas?", source).finished()
            paths = ["/api/state", "/api/conversations", "/api/conversations/4", "/api/statistics?view=v1", "/api/views/v1/timeline?buckets=100"]
            served = [console.request(path)[2] for path in paths]
            for row in console.view():
                served.append(json.dumps(row).encode())
                served += [console.request(f"/api/{path}/{row['id']}")[2] for path in ("records", "payloads")]
                served.append(console.request(f"/api/differences/rows?old={row['id']}&new={row['id'] + 1}")[2])
            served += [console.request(f"/api/conversations/{number}/page")[2] for number in range(1, 7)]
            everything = b"\n".join(served)
            for secret in (b"good morning", b"chat.v2", b"/room/7"):
                check(secret not in everything, source, secret, everything[max(0, everything.find(secret) - 80):][:200])
            check(len(console.view(search="good morning")) == 0 and len(everything) > 10_000, "search")
            console.end()
    return "two inputs"


def unchanged():
    """GET changes nothing: neither the session file nor what the console has."""
    with scratch() as folder:
        session = f"{folder}/chat.unmask"
        read(*(capture(name) for name in FIXTURES), "--save", session)
        before = hashlib.sha256(open(session, "rb").read()).hexdigest()
        console = Console(PROGRAM, "console", session)
        state = console.request("/api/state")[2]
        name = console.json("/api/views", {})[1]["view"]
        paths = ["/", "/main.js", "/api/state", "/api/conversations?sort=bytes&order=down&match=chat", f"/api/views/{name}/rows", f"/api/views/{name}/position?id=9"]
        paths += [f"/api/{kind}/{number}" for kind in ("records", "payloads", "conversations") for number in range(1, 30)]
        paths += [f"/api/conversations/{number}/page?redact=1" for number in range(1, 9)]
        paths += ["/api/differences/rows?old=5&new=6", "/api/differences/conversations?old=1&new=2"]
        paths += [f"/api/views/{name}/timeline?buckets=50", f"/api/statistics?view={name}", "/api/notes"]
        for path in paths * 2:
            status, _, _ = console.request(path)
            check(status in (200, 404), path, status)
        for path in ("/api/views/v1/close", "/api/views", "/api/complete"):
            check(console.request(path)[0] == 405, path)
        check(console.request("/api/state")[2] == state, "state")
        check(console.end() == 0 and os.listdir(folder) == ["chat.unmask"], os.listdir(folder))
        check(hashlib.sha256(open(session, "rb").read()).hexdigest() == before, "the file has changed")
    return f"{len(paths)} requests"


def notes():
    """Notes and marks stay in the session file, and one that cannot be written keeps none."""
    with scratch() as folder:
        session = f"{folder}/chat.unmask"
        lines = read(capture("chromium-websocket"), "--save", session)
        console = Console(PROGRAM, "console", session)
        check(console.json("/api/notes")[1] == {"writable": True, "list": []}, "none at first")
        text = "why \u202e <b>this</b>? 👋\n" + "x" * 1_000
        table = [
            ({"row": 18, "text": text, "mark": True}, 200), ({"conversation": 4, "text": "the chat"}, 200), ({"row": 19, "mark": True}, 200),
            ({"row": 19, "text": "", "mark": False}, 200), ({"row": 0, "text": "x"}, 400), ({"row": 1, "conversation": 1, "text": "x"}, 400),
            ({"text": "x"}, 400), ([], 400), ({"row": 3, "text": "x" * 70_000}, 413), ({"row": 18, "text": text + "!", "mark": False}, 200),
        ]
        for body, wanted in table:
            status, said = console.json("/api/notes", body)
            check(status == wanted, str(body)[:60], status, said)
        kept = [(note["row"], note["conversation"], note["text"], note["mark"]) for note in console.json("/api/notes")[1]["list"]]
        check(kept == [(None, 4, "the chat", False), (18, None, text + "!", False)], kept)
        check(console.end() == 0 and os.listdir(folder) == ["chat.unmask"], os.listdir(folder))
        check(read(session) == lines, "the records are as they were")
        again = Console(PROGRAM, "console", session)
        check(len(again.json("/api/notes")[1]["list"]) == 2, "they are there again")
        again.end()
        os.chmod(session, 0o400)
        if os.geteuid() != 0:
            console = Console(PROGRAM, "console", session)
            check(console.json("/api/notes", {"row": 1, "text": "x"})[0] == 409, "a file that cannot be written")
            console.end()
        other = f"{folder}/other.unmask"
        read(capture("chromium-websocket"), "--save", other)
        import sqlite3

        with sqlite3.connect(other) as database:
            database.execute("CREATE TABLE notes(record, conversation, text, mark, time)")
        database.close()
        console = Console(PROGRAM, "console", other)
        check(console.json("/api/notes", {"row": 1, "text": "x"})[0] == 409 and console.json("/api/notes")[1]["list"] == [], "a stranger's table")
        console.end()
    console = Console(PROGRAM, "console", capture("chromium-websocket")).finished()
    check(console.json("/api/notes", {"row": 1, "text": "x"})[0] == 200 and len(console.json("/api/notes")[1]["list"]) == 1, "a temporary session")
    console.end()
    return "three files"


def alone():
    """The program serves its page when it is copied alone to an empty folder, and leaves nothing behind."""
    with scratch() as folder, scratch() as temporary:
        copy = shutil.copy(PROGRAM, f"{folder}/program")
        shutil.copy(capture("chromium-websocket"), f"{folder}/talk")
        console = Console(copy, "console", "talk", cwd=folder, env={"TMPDIR": temporary, "PATH": "/nowhere"}).finished()
        status, fields, page = console.request("/", headers={})
        check(status == 200 and fields["Content-Type"].startswith("text/html") and b"<title>" in page, "page", status)
        for name in ("main.js", "grid.css"):
            check(console.request(f"/{name}", headers={})[0] == 200, name)
        check(os.listdir(temporary) == [], "names in the temporary folder", os.listdir(temporary))
        links = [os.readlink(f"/proc/{console.process.pid}/fd/{number}") for number in os.listdir(f"/proc/{console.process.pid}/fd")]
        stores = {link for link in links if "console.unmask" in link}
        check(stores and all(link.startswith(temporary) and link.endswith(" (deleted)") for link in stores), stores)
        check(console.json("/api/state")[1]["rows"] == 55, "rows")
        check(console.end() == 0, "ends")
        check(os.listdir(temporary) == [] and sorted(os.listdir(folder)) == ["program", "talk"], "left behind")
        failed = subprocess.run([copy, "console", "nothing"], cwd=folder, env={"TMPDIR": temporary}, capture_output=True, check=False, timeout=20)
        check(failed.returncode == 2 and os.listdir(temporary) == [], failed, os.listdir(temporary))
    return "a copy"


def user():
    """An ordinary user is served, and not root alone."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        print("skipped: the console of an ordinary user (not root, or there is no setpriv)", flush=True)
        return "nothing"
    with scratch() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(PROGRAM, f"{folder}/program")
        talk = shutil.copy(capture("chromium-websocket"), f"{folder}/talk")
        os.chmod(copy, 0o755)
        os.chmod(talk, 0o644)
        words = ["--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "console", talk]
        console = Console("setpriv", *words, env={"TMPDIR": "/tmp", "PATH": os.environ["PATH"]}, cwd=folder).finished()
        check(console.request("/")[0] == 200 and console.json("/api/state")[0] == 200, "served")
        check(console.end() == 0, console.said)
    return "a user"


def program():
    """`run --console` leaves what a program has sent on show, and gives its status."""
    for words in (["--console", "sh", "-c", "exit 3"], ["--console", "--", "sh", "-c", "exit 3"], ["--console=0", "sh", "-c", "exit 3"]):
        console = Console(PROGRAM, "run", *words)
        while "stays until Ctrl-C" not in console.said:
            console.hear()
        check(console.json("/api/state")[1]["finished"], "finished")
        check(console.end() == 3, words, console.said)
    return "three runs"


def wild():
    """A filter that takes long keeps neither another view from its rows nor Ctrl-C from its end."""
    with scratch() as folder:
        log = f"{folder}/long.ndjson"
        with open(log, "w", encoding="utf-8") as records:
            records.write('{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"long"},"firstPacket":1}\n')
            for number in range(4_000):
                records.write('{"kind":"message","conversation":1,"time":"2026-11-20T21:00:00.000000000Z","from":"client","packets":[1,1],"offset":0,'
                              f'"opcode":"text","length":3000,"wireLength":3000,"fragments":1,"compressed":false,"text":"{"a" * 3_000}"}}\n')
        console = Console(PROGRAM, "console", log).finished()
        terms = " or ".join(f'text matches "(a+)+{chr(98 + number % 20)}$"' for number in range(100))
        status, made = console.json("/api/views", {"filter": terms})
        check(status == 200, status, made)
        begun = time.monotonic()
        # The filter itself takes two minutes. Alone a view takes less than a second, and beside four other runs of tests it took 25.
        check(len(console.view(search="no such words")) == 0 and time.monotonic() - begun < 45, "another view", time.monotonic() - begun)
        begun = time.monotonic()
        check(console.end() == 0 and time.monotonic() - begun < 10, "the end", time.monotonic() - begun)
    return "a wild filter"


def full():
    """Where the disk of the session is full, the page says so."""
    with scratch() as folder:
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", folder]).returncode != 0:
            print("skipped: a full disk of the console (needs root)")
            return "nothing"
        try:
            outside = tempfile.mkdtemp(prefix="unmask-console-log-")
            log = f"{outside}/long.ndjson"
            with open(log, "w", encoding="utf-8") as records:
                records.write('{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"long"},"firstPacket":1}\n')
                for number in range(400):
                    records.write('{"kind":"message","conversation":1,"time":"2026-11-20T21:00:00.000000000Z","from":"client","packets":[1,1],"offset":0,'
                                  f'"opcode":"text","length":30000,"wireLength":30000,"fragments":1,"compressed":false,"text":"{"a" * 30_000}"}}\n')
            console = Console(PROGRAM, "console", log, env={"TMPDIR": folder, "PATH": "/nowhere"}).finished()
            problem = console.json("/api/state")[1]["problem"]
            check(problem and "could not be written" in problem, "problem", problem)
            console.end()
            shutil.rmtree(outside)
            full_proxy(folder)
        finally:
            subprocess.run(["umount", folder], check=True)
    return "a full disk"


def full_proxy(folder):
    """Beside a proxy the problem comes later: a page that is open hears of it."""
    echo = Echo()
    console = Console(PROGRAM, "proxy", "--listen", "127.0.0.1:0", f"tcp://127.0.0.1:{echo.port}", "--console", lines=2,
                      env=dict(os.environ, TMPDIR=folder))
    port = int(console.said.split("listening on 127.0.0.1:")[1].split()[0])
    page = Live(console, f"http://{console.host}")
    page.say({"token": console.token})
    check(json.loads(page.hear()[1])["problem"] is None, "no problem at first")
    with socket.create_connection(("127.0.0.1", port)) as client:
        for _ in range(40):
            line = os.urandom(25_000).hex().encode() + b"\n"
            client.sendall(line)
            rest = len(line)
            while rest > 0 and (part := client.recv(65_536)):
                rest -= len(part)
        heard, deadline = None, time.monotonic() + 20
        while heard is None and time.monotonic() < deadline:
            heard = json.loads(page.hear()[1])["problem"]
    said = "the log cannot be written: "
    check(heard and heard.startswith(said), "the page heard", heard)
    check((console.json("/api/state")[1]["problem"] or "").startswith(said), "the state")
    console.end()


def overwritten():
    """Of a session file that another run overwrites nothing is shown any more, and the page says why."""
    words = "the session file was overwritten by another run"
    with scratch() as folder:
        session = f"{folder}/chat.unmask"
        for place, change in enumerate(("in place", "in place by the same", "another of its name", "with a note", "one more run", "without a name")):
            read(capture("chromium-websocket"), "--save", session)
            console = Console(PROGRAM, "console", session)
            page = Live(console, f"http://{console.host}")
            page.say({"token": console.token})
            check(json.loads(page.hear()[1])["problem"] is None, change, "no problem at first")
            _, made = console.json("/api/views", {"kinds": "messages"})
            rows = f"/api/views/{made['view']}/rows?from=0&count=50"
            before = console.json("/api/state")[1]
            if change == "another of its name":
                os.rename(session, f"{folder}/before.unmask")
            if change == "with a note":
                check(console.json("/api/notes", {"row": 18, "text": "why"})[0] == 200, change)
            elif change == "without a name":
                os.unlink(session)
            else:
                read(capture("http-oddities" if place == 0 else "chromium-websocket"), "--save", session,
                     *(["--append"] if change == "one more run" else []))
            if place > 2:
                state = console.json("/api/state")[1]
                check(console.json(rows)[0] == 200 and state["problem"] is None, change, state)
                check(change != "one more run" or state["rows"] > before["rows"], change, state)
                console.end()
                continue
            for path in (rows, "/api/conversations", "/api/conversations/1", "/api/records/3", "/api/notes", f"/api/statistics?view={made['view']}"):
                status, answer = console.json(path)
                check(status == 500 and answer["error"].startswith(words), change, path, status, str(answer)[:200])
            check(console.json("/api/notes", {"row": 1, "text": "x"})[0] == 409, change, "a note")
            state = console.json("/api/state")[1]
            check(state["problem"].startswith(words) and state["rows"] == before["rows"], change, state)
            check((json.loads(page.hear()[1])["problem"] or "").startswith(words), change, "the page hears of it")
            console.end()
            again = Console(PROGRAM, "console", session)
            check(again.json("/api/state")[1]["problem"] is None and again.view() != [], change, "begun again")
            again.end()
    return "six files"


def counts():
    """Conversations are counted, whatever their numbers are, and what was found after the end of one counts too."""
    with scratch() as folder:
        session = f"{folder}/chat.unmask"
        for words in (["--conversation", "6"], ["--conversation", "4,5"], []):
            read(capture("chromium-websocket"), "--save", session, *words)
            for console in (Console(PROGRAM, "console", session), Console(PROGRAM, "console", *words, capture("chromium-websocket")).finished()):
                page = Live(console, f"http://{console.host}")
                page.say({"token": console.token})
                listed = console.json("/api/conversations")[1]["total"]
                heard = json.loads(page.hear()[1])["conversations"]
                check(listed == console.json("/api/state")[1]["conversations"] == heard and listed > 0, words, listed, heard)
                console.end()
        read(capture("data-after-close"), "--save", session)
        with sqlite3.connect(session) as database:
            late = database.execute("SELECT id, findings, worst FROM conversations").fetchall()
            found = database.execute("SELECT conversation, count(*), max(severity) FROM findings GROUP BY conversation").fetchall()
        database.close()
        check(late == found and found, "found late", late, found)
    return "three selections"


def demo():
    """`demo --console` shows the chat that is built in, and stays."""
    console = Console(PROGRAM, "demo", "--fast", "--console")
    while "stays until Ctrl-C" not in console.said:
        console.hear()
    state = console.json("/api/state")[1]
    check(state["finished"] and state["conversations"] == 2, state)
    check(any(row["k"] == "finding" for row in console.view(kinds="all")), "no finding of the chat")
    check(console.end() == 0, console.said)
    return "the demo"


def main(parts):
    """Runs the part of the second argument, and says what is different."""
    try:
        seen = parts[sys.argv[2]]()
    except Exception as error:  # noqa: BLE001: whatever it is, the test has to see it.
        import traceback

        traceback.print_exc(file=sys.stdout)
        print(f"failed: {error!r}")
        sys.exit(1)
    for difference in DIFFERENCES[:40]:
        print(difference)
    print(f"same: {seen}" if not DIFFERENCES else f"failed: {len(DIFFERENCES)} differences")
    sys.exit(1 if DIFFERENCES else 0)


if __name__ == "__main__":
    main(globals())
