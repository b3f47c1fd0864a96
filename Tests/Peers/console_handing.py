#!/usr/bin/env python3
"""console_handing.py PROGRAM PART: what the console says in the words of formats, the files that it hands on, and what it compares. As
console_requests.py."""

import base64
import hashlib
import json
import re
import subprocess
import time

import hostile_texts
from console_client import Console, scratch
from console_requests import PROGRAM, PROJECT, capture, check, main, nanoseconds, read


def printed(*arguments):
    done = subprocess.run([PROGRAM, "read", *arguments], capture_output=True, check=False, timeout=60, env={"TZ": "UTC0", "COLUMNS": "400"})
    return done.stdout.decode()


def words():
    """A row of a message of a known format has the words of the text."""
    seen = 0
    for name in FORMATS_OF:
        lines = [" ".join(line.split()) for line in printed("--follow", "--payload", "preview", capture(name)).splitlines()]
        console = Console(PROGRAM, "console", capture(name)).finished()
        shown = console.view(kinds="messages")
        said = [row for row in shown if row["k"] == "message" and re.match(FORMATS_OF[name] + " ", row["x"])]
        check(len(said) > 2, name, "rows in the words of their format", len(said), [row["x"] for row in shown][:8])
        # What the text has from messages before, such as what is replied to and how long it took, comes between or after what the message says by itself.
        parts = [[" ".join(part.split())[:100] for part in row["x"].rstrip("…").split("  ")] for row in said if "binary message" not in row["x"]]
        missing = [part for part in parts if not any(all(words in line for words in part) for line in lines)]
        check(missing == [], name, "not as printed", missing[:5])
        check([row["x"] for row in console.view(kinds="messages")] == [row["x"] for row in shown], name, "the same once more")
        picked = console.view(filter="message and from == server")
        check(all(row in shown for row in picked), name, "the same in another view")
        seen += len(said)
        console.end()
    return f"{seen} rows"


FORMATS_OF = {"messaging-socketio": "(socket|engine)\\.io", "messaging-mqtt": "mqtt", "messaging-mqtt5": "mqtt", "messaging-mqtt-websocket": "mqtt",
              "messaging-graphql": "graphql-ws", "messaging-stomp": "stomp", "messaging-amqp": "amqp", "messaging-nats": "nats", "messaging-redis": "redis",
              "messaging-signalr": "signalr", "messaging-wamp-cbor": "wamp", "messaging-irc": "irc"}


def rows_of(page):
    """The rows of a page, each with what opens under it."""
    main_part = page.split("<main>\n", 1)[1].split("</main>", 1)[0]
    return re.findall(r"<details>.*?</details>|<p>.*?</p>", main_part, re.S)


def pages():
    """One conversation as a file is what `--format html` writes of it, and is redacted where it is asked for."""
    name = capture("chromium-websocket")
    console = Console(PROGRAM, "console", name).finished()
    for number in (2, 4):
        status, fields, body = console.request(f"/api/conversations/{number}/page")
        page = body.decode()
        check(status == 200 and fields["Content-Type"] == "text/html; charset=utf-8", status, fields)
        check(fields["Content-Disposition"] == f'attachment; filename="conversation-{number}.html"', fields["Content-Disposition"])
        check(fields["Content-Security-Policy"].endswith("; sandbox"), fields["Content-Security-Policy"])
        written = rows_of(printed("--format", "html", "--utc", "--conversation", str(number), name))
        rows = rows_of(page)
        check(len(rows) > 3 and rows == written[:len(rows)] and len(written) - len(rows) <= 3, number, len(rows), len(written), rows[:1], written[:1])
        style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
        policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)[1]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        check(policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'", policy, digest)
        check("<script" not in page and "http://" not in re.sub(r"<main>.*</main>", "", page, flags=re.S), "no script and no address")
    open_page = console.request("/api/conversations/4/page?redact=0")[2]
    hidden = console.request("/api/conversations/4/page?redact=1")[2]
    check(b"redacted" in hidden and b"redacted" not in open_page.split(b"</header>")[0], "says that it is redacted")
    for path, wanted in (("4/page?redact=x", 400), ("99/page", 404), ("0/page", 404), ("4/other", 404), ("4/page/x", 404)):
        check(console.request(f"/api/conversations/{path}")[0] == wanted, path, console.request(f"/api/conversations/{path}")[0])
    check(console.request("/api/conversations/4/page", headers={})[0] == 401, "without the token")
    check(console.request("/api/conversations/4/page", {})[0] == 405, "POST")
    console.end()
    with scratch() as folder:
        log = f"{folder}/secret.ndjson"
        record = {"kind": "message", "conversation": 1, "time": "2026-11-20T21:48:01.000000000Z", "packets": [2, 2], "from": "client", "offset": 0, "opcode": "text",
                  "length": 60, "wireLength": 60, "fragments": 1, "compressed": False, "text": '{"password":"correct horse","user":"ana","note":"kept as it is"}'}
        record["length"] = len(record["text"])
        opened = {"kind": "opened", "conversation": 1, "time": "2026-11-20T21:48:00.000000000Z", "packets": [1, 1], "client": {"address": "10.0.0.5", "port": 1},
                  "server": {"address": "10.0.0.9", "port": 80}, "transport": "tcp", "start": "handshake", "roles": "handshake"}
        texts = hostile_texts.corpus()
        with open(log, "w", encoding="utf-8") as file:
            head = {"kind": "capture", "version": 1, "tool": "unmask", "source": {"type": "file", "name": "secret"}, "firstPacket": 1}
            file.write("".join(json.dumps(line) + "\n" for line in (head, opened, record)))
        console = Console(PROGRAM, "console", log).finished()
        plain, hidden = (console.request(f"/api/conversations/1/page?redact={flag}")[2] for flag in (0, 1))
        check(b"correct horse" in plain and b"correct horse" not in hidden and b"kept as it is" in hidden, "a password is hidden where that is asked for")
        console.end()
        check("correct horse" not in printed("--format", "html", "--redact", log), "the same of the command")
        hostile = f"{folder}/hostile.ndjson"
        with open(hostile, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(hostile_texts.log(texts))
        page = printed("--format", "html", hostile)
        tags = set(re.findall(r"<(/?[a-zA-Z!][^\s>]*)", page.split("<main>", 1)[1]))
        check(tags == {"details", "/details", "summary", "/summary", "p", "/p", "pre", "/pre", "span", "/span", "/main", "footer", "/footer", "/body", "/html"}, tags)
        check(not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f]", page), "no control and no turn of direction")
        written = f"{folder}/out.html"
        printed("--log", written, name)
        check(rows_of(open(written, encoding="utf-8").read())[0] in rows_of(printed("--format", "html", name)), "--log NAME.html")
        picked = rows_of(printed("--format", "html", "-Y", 'message.text contains "join"', name))
        check(0 < len(picked) < 12 and any("join" in row for row in picked), len(picked))
    return "pages"


def differences():
    """Rows and conversations are compared as `unmask diff` compares."""
    console = Console(PROGRAM, "console", capture("chromium-websocket")).finished()
    rows = [row for row in console.view() if row["k"] == "message"]
    same = console.json(f"/api/differences/rows?old={rows[0]['id']}&new={rows[0]['id']}")
    check(same == (200, {"text": ["no differences"]}), same)
    joins = [row for row in rows if '"type"' in row["x"]]
    status, said = console.json(f"/api/differences/rows?old={joins[0]['id']}&new={joins[1]['id']}")
    check(status == 200 and any(line.startswith("$") or line.startswith("length") for line in said["text"]), said)
    alike = console.json("/api/differences/conversations?old=4&new=4")
    check(alike[0] == 200 and any("no differences" in line for line in alike[1]["text"]), alike)
    other = console.json("/api/differences/conversations?old=2&new=4")
    check(other[0] == 200 and any("lost" in line or "added" in line for line in other[1]["text"]), other)
    for path, wanted in (("rows?old=1&new=1", 404), ("rows?old=0&new=0", 404), ("conversations?old=1&new=99", 404), ("rows?old=x", 400), ("files?old=1&new=2", 404)):
        check(console.request(f"/api/differences/{path}")[0] == wanted, path, console.request(f"/api/differences/{path}"))
    check(console.request("/api/differences/rows?old=1&new=2", headers={})[0] == 401, "without the token")
    console.end()
    return "rows and conversations"


#: Captures in which replies are matched with their calls, and the formats that do so.
CALLS = {"manner-socketio-direct": "socket.io", "messaging-amqp": "amqp", "messaging-graphql": "graphql-ws", "messaging-irc": "irc",
         "messaging-mqtt": "mqtt", "messaging-mqtt-websocket": "mqtt", "messaging-mqtt5": "mqtt", "messaging-nats": "nats", "messaging-redis": "redis",
         "messaging-signalr": "signalr", "messaging-socketio": "socket.io", "messaging-stomp": "stomp", "messaging-wamp-cbor": "wamp",
         "messaging-xmpp": "xmpp", "raw-content-length": "json-rpc", "symptoms/ocpp-calls.pcap": "ocpp", "symptoms/centrifugo-refused.pcap": "centrifugo",
         "symptoms/pusher-events.pcap": "pusher", "chromium-http2-websocket": None}


def spans(value):
    """Every `latency` of something decoded, in nanoseconds."""
    if isinstance(value, list):
        return [span for one in value for span in spans(one)]
    if not isinstance(value, dict):
        return []
    own = [round(value["latency"] * 10**9)] if isinstance(value.get("latency"), int | float) else []
    return own + [span for key, one in value.items() if key != "latency" for span in spans(one)]


def timeline(console, **wanted):
    """The timeline of a view once all calls have been matched, and the statistics."""
    view = console.json("/api/views", wanted)[1]["view"]
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        counts = console.json(f"/api/views/{view}/rows?from=0&count=0")[1]
        picture = console.json(f"/api/views/{view}/timeline?buckets=100")[1]
        if picture["complete"] and counts["scanned"] >= counts["rows"]:
            return picture, console.json(f"/api/statistics?view={view}")[1]
    raise TimeoutError(picture)


def calls():
    """The timeline joins every call with its reply that `read --decoded` matches, of every format, in every view."""
    seen = named = 0
    for name, format_name in CALLS.items():
        file = str(PROJECT / "fixtures" / name) if "/" in name else capture(name)
        records = read("--decoded", file)
        expected = {}
        for record in records:
            if record["kind"] == "message":
                expected.setdefault(record["conversation"], []).extend((nanoseconds(record["time"]), span) for span in spans(record.get("decoded")))
            elif record["kind"] in ("response", "pong") and (span := record.get("latency", record.get("roundTrip"))) is not None:
                expected.setdefault(record["conversation"], []).append((nanoseconds(record["time"]), round(span * 10**9)))
        of_messages = sum(len(spans(record.get("decoded"))) for record in records if record["kind"] == "message")
        formats = {record.get("decoded", {}).get("as") for record in records if record["kind"] == "message"}
        check(format_name is None or of_messages > 0 and format_name in formats, name, "calls of", format_name, of_messages, formats)
        console = Console(PROGRAM, "console", file).finished()
        for conversation in (None, *sorted(expected)[:4]):
            wanted = sorted(trip for number, list_of in expected.items() if conversation in (None, number) for trip in list_of)
            picture, numbers = timeline(console, conversation=conversation)
            found = sorted((trip["time"], int(trip["took"])) for trip in picture["trips"])
            check(found == wanted, name, conversation, "trips", found[:4], wanted[:4], len(found), len(wanted))
            check(sum(bar["count"] for bar in numbers["latencies"]) == len(wanted), name, conversation, "latencies")
        # A view without the replies has none, and each trip names the record of its reply.
        picture, _ = timeline(console, filter="message and from == client and message.length > 99999999")
        check(picture["trips"] == [], name, "trips of nothing")
        for trip in timeline(console)[0]["trips"]:
            detail = console.json(f"/api/records/{trip['id']}")[1]
            record = detail["record"]
            check(nanoseconds(record["time"]) == trip["time"], name, "the record of a trip", record)
            if record["kind"] != "message":
                continue
            # The detail names the call where one message alone came at its moment, and has of the reply what the text says of it.
            text = " ".join(detail["text"])
            named += detail["call"] is not None
            if detail["call"] is not None:
                call = console.json(f"/api/records/{detail['call']}")[1]["record"]
                check(int(nanoseconds(call["time"])) == int(trip["time"]) - int(trip["took"]), name, "the time of a call", detail, call)
                # PUBREL of MQTT says how long the own PUBLISH took so far.
                check(call["from"] != record["from"] or "PUBREL" in text, name, "the side of a call", call, record)
            check(" after " in text or "binary message" in text, name, "how long a call took", text)
        seen += of_messages
        console.end()
    check(named > seen / 2, "calls that are named", named, seen)
    return f"{seen} replies, {named} with their calls"


if __name__ == "__main__":
    main(globals())
