#!/usr/bin/env python3
"""The page of the web console in Chromium: what it shows, keys, contrast and roles, hostile texts, and what it costs the browser.

    console_page.py PROGRAM                    a short form
    console_page.py PROGRAM --full PICTURES    with a million messages, and pictures of both themes in a folder
"""

import base64
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.request

import console_figures
import console_live
import console_tasks
import hostile_texts
import page_modules
from console_browser import ACTIVE, ADDRESS, NO_MISDEEDS, Page, browser, chromium, console, sync_playwright
from console_long import jump, long_log
from programs import Unmask

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
CHAT = FIXTURES / "chromium-websocket/capture.pcapng"


class Checks:
    def __init__(self, program, folder, browser, is_full, pictures):
        self.program, self.folder, self.browser, self.is_full, self.pictures = program, folder, browser, is_full, pictures
        self.failed = 0

    def same(self, what, expected, found):
        if expected == found:
            print(f"same: {what}", flush=True)
        else:
            self.failed += 1
            print(f"different: {what}\n  expected: {expected}\n  found:    {found}", flush=True)

    def holds(self, what, condition, found):
        self.same(what, True, True) if condition else self.same(what, "it holds", found)

    def page(self, address, **options):
        return Page(self.browser, address, **options)

    def picture(self, page, name):
        if self.pictures:
            page.screenshot(path=str(self.pictures / f"{name}.png"))


def rows_of(page, wanted):
    """The rows of the messages, from the first one, as lists of the texts of their cells."""
    at = page.page
    at.focus("#messages")
    at.keyboard.press("Home")
    rows = {}
    for _ in range(200):
        page.wait("document.querySelectorAll('#messages .layer .row.waiting').length === 0")
        rows |= {int(index): cells for index, cells in at.evaluate("""() =>
            [...document.querySelectorAll("#messages .layer .row")].map(row =>
                [Number(row.getAttribute("aria-rowindex")) - 2, [...row.children].map(cell => cell.textContent)])""")}
        if len(rows) >= wanted:
            break
        at.keyboard.press("PageDown")
    return [rows[index] for index in sorted(rows)]


def check_rows(it):
    """Every row of a conversation is what `unmask read` prints of it."""
    with console(it.program, str(CHAT)) as address:
        page = it.page(address)
        for conversation in (2, 4):
            log = subprocess.run([it.program, "read", "--format", "ndjson", "--conversation", str(conversation), str(CHAT)], capture_output=True, text=True,
                                 timeout=60, check=True)
            records = [record for record in map(json.loads, log.stdout.splitlines()) if record.get("conversation") == conversation]
            text = subprocess.run([it.program, "read", "--conversation", str(conversation), str(CHAT)], capture_output=True, text=True, timeout=60, check=True)
            printed = [match[1].rstrip() for match in re.finditer(r"^ +\d+\.\d{3}  [<>]  (.*)$", text.stdout, re.M)]
            page.open(f"&c={conversation}")
            rows = rows_of(page, len(records))
            it.same(f"conversation {conversation} has a row for each record", len(records), len(rows))
            side = {"client": "client →", "server": "← server", None: ""}
            it.same(f"conversation {conversation}: sender", [side[record.get("from")] for record in records], [row[2] for row in rows])
            kinds = [record["opcode"] if record["kind"] == "message" else record["kind"] for record in records]
            it.same(f"conversation {conversation}: kind", kinds, [row[3] for row in rows])
            shown = [row[5].rstrip("…").rstrip() for row, record in zip(rows, records) if record["kind"] in ("message", "request", "ping", "pong", "close")]
            lines = [line for line in printed if not re.match(r"\d{3} |body ", line)]
            it.same(f"conversation {conversation}: as many lines as printed", len(lines), len(shown))
            missing = [(line, row) for line, row in zip(lines, shown) if " ".join(row[:60].split()) not in " ".join(line.split())]
            it.same(f"conversation {conversation}: text", [], missing)
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()


def check_chosen(it):
    """Filter, mistake, search, heartbeats, emptiness, and what a reload restores."""
    with console(it.program, str(CHAT)) as address:
        page = it.page(address)
        at = page.open()
        at.fill("#filter", "message and nosuchfield == 1")
        page.wait("!document.getElementById('filter-error').hidden")
        it.same("a mistake is marked at its place", "nosuchfield", at.text_content("#filter-marks mark")[:11])
        it.holds("a mistake is explained with its column", "column 13" in at.text_content("#filter-error"), at.text_content("#filter-error"))
        it.picture(at, "mistake")
        at.fill("#filter", "websocket.opcode == 2")
        page.wait("document.getElementById('messages-count').textContent.startsWith('4 rows')")
        it.same("a filter picks rows", {"binary"}, {row[3] for row in rows_of(page, 4)})
        at.keyboard.press("Home")
        page.wait("location.hash.includes('row=')")
        at.reload()
        page.wait("document.querySelector('#messages .row.active')")
        it.same("a reload keeps the filter", "websocket.opcode == 2", at.input_value("#filter"))
        it.same("a reload keeps the row", 0, at.evaluate(ACTIVE, "messages")[0])
        at.fill("#filter", "websocket.opcode == 9 and message.length > 1000000")
        page.wait("!document.getElementById('empty').hidden")
        it.holds("an empty list names the filter", "The filter hides" in at.text_content("#empty"), at.text_content("#empty"))
        it.picture(at, "empty")
        at.click("#empty button")
        page.wait("document.getElementById('empty').hidden && document.querySelectorAll('#messages .layer .row').length > 5")
        at.fill("#search", "good morning")
        page.wait("document.getElementById('messages-count').textContent.startsWith('2 rows')")
        at.fill("#search", "")
        at.focus("#filter")
        at.keyboard.type("websocket.op")
        page.wait("!document.getElementById('filter-list').hidden && document.querySelector('#filter-list li')?.textContent.startsWith('websocket.op')")
        at.keyboard.press("Tab")
        it.same("a completion is accepted with Tab", "websocket.opcode", at.input_value("#filter").strip())
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()
    with console(it.program, str(FIXTURES / "websockets-heartbeat/capture.pcapng")) as address:
        page = it.page(address)
        at = page.open()
        all_rows = int(at.text_content("#messages-count").split()[0])
        at.click("#heartbeats")
        page.wait("/heartbeats? hidden/.test(document.getElementById('messages-count').textContent)")
        numbers = [int(number) for number in re.findall(r"\d+", at.text_content("#messages-count"))]
        it.same("hidden heartbeats are counted", all_rows, sum(numbers[:2]))
        page.close()


def check_keys(it):
    """From the conversations to a byte of a message, and back, without a mouse."""
    with console(it.program, str(CHAT)) as address:
        page = it.page(address)
        at = page.open()
        press = at.keyboard.press
        press("c")
        for _ in range(4):
            press("ArrowDown")
        page.wait("location.hash.includes('c=4')")
        press("Enter")
        it.same("Enter goes on to the messages", "messages", at.evaluate("document.activeElement.id"))
        page.wait("document.querySelectorAll('#messages .layer .row:not(.waiting)').length > 10")
        for _ in range(5):
            press("ArrowDown")
        page.wait("document.querySelector('#json .node')")
        it.same("the active row is announced", True,
                at.evaluate("document.getElementById(document.getElementById('messages').getAttribute('aria-activedescendant'))?.classList.contains('active')"))
        press("Enter")
        at.focus("#json")
        press("End")
        page.wait("document.querySelectorAll('#hex mark').length > 0")
        it.same("a node selects its bytes", '"text":"good morning"', at.evaluate("[...document.querySelectorAll('#hex .ascii mark')].map(mark => mark.textContent).join('')"))
        at.focus("#hex")
        press("Home")
        for _ in range(10):
            press("ArrowRight")
        it.same("a byte selects its node", 'type: "history"', at.text_content("#json .node.active").strip())
        it.picture(at, "json")
        press("?")
        page.wait("document.getElementById('help').open")
        it.picture(at, "keys")
        press("Escape")
        press("y")
        it.holds("a key opens the ways to copy", "websocat" in at.text_content(".menu"), at.text_content(".menu"))
        it.picture(at, "copy")
        press("Escape")
        press("t")
        press("ArrowRight")
        for _ in range(200):
            press("Shift+ArrowRight")
        press("Enter")
        page.wait("location.hash.includes('from=')")
        press("Escape")
        page.wait("!location.hash.includes('from=')")
        press("a")
        page.wait("!location.hash.includes('c=')")
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()


def check_notes(it):
    """A mark and a note stand in the list, and in the session file when the console has ended."""
    session = it.folder / "noted.unmask"
    subprocess.run([it.program, "read", "--stats", "--save", str(session), str(CHAT)], check=True, capture_output=True, timeout=60)
    signed = "document.querySelector('#messages .row.active .text')?.textContent.startsWith('★✎ ')"
    for visit in range(2):
        with console(it.program, str(session)) as address:
            page = it.page(address)
            at = page.open("&c=4")
            at.focus("#messages")
            at.keyboard.press("End")
            page.wait("document.querySelector('#detail .overview')")
            if visit == 0:
                # Once the page knows that the file takes notes, and shows the row: before that, the conversation.
                page.wait("document.querySelector('#detail-head').textContent.startsWith('closed')")
                page.wait("[...document.querySelectorAll('#detail-head button')].some(button => button.textContent === '☆ Mark')")
                at.keyboard.press("b")
                page.wait("document.querySelector('#messages .row.active .text')?.textContent.startsWith('★ ')")
                at.keyboard.press("n")
                page.wait("document.getElementById('note-dialog').open")
                at.keyboard.type("<b>who closed it?</b>")
                at.keyboard.press("Control+Enter")
            page.wait(signed)
            page.wait("document.querySelector('#detail .note-text')?.textContent === '<b>who closed it?</b>'")
            it.picture(at, "note")
            it.same(f"a mark and a note, visit {visit + 1}", NO_MISDEEDS, page.misdeeds())
            page.close()


def check_pictures(it):
    """The timeline counts every record of a view once, whatever the filter, and statistics are drawn."""
    log = subprocess.run([it.program, "read", "--format", "ndjson", str(CHAT)], capture_output=True, text=True, timeout=60, check=True)
    records = [record for record in map(json.loads, log.stdout.splitlines()) if record["kind"] not in ("finding", "gap")]
    with console(it.program, str(CHAT)) as address:
        origin, token = address.split("/#")

        def ask(path, body=None):
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            request = urllib.request.Request(f"{origin}/api/{path}", headers=headers, data=None if body is None else json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=20) as response:
                return json.load(response)

        while not ask("state")["finished"]:
            pass
        for wanted in ({}, {"conversation": 4}, {"filter": "message and from == client"}, {"filter": "message.length > 99999999"}):
            view = ask("views", {"conversation": None, "filter": "", "search": "", "heartbeats": True, "since": None, "until": None, "kinds": "all", **wanted})["view"]
            while (counts := ask(f"views/{view}/rows?from=0&count=0"))["scanned"] < counts["rows"]:
                pass
            fitting = [record for record in records if wanted.get("conversation") in (None, record.get("conversation"))]
            if "filter" in wanted:
                fitting = [record for record in fitting if record["kind"] == "message" and record["from"] == "client" and "9999" not in wanted["filter"]]
            picture = ask(f"views/{view}/timeline?buckets=300")
            sides = {side: sum(record.get("from") == side for record in fitting) for side in ("client", "server")}
            it.same(f"timeline of {wanted}", sides, {side: sum(picture[side]) for side in sides})
            numbers = ask(f"statistics?view={view}")
            it.same(f"statistics of {wanted}", sides["client"] + sides["server"], sum(numbers["seconds"]["client"] + numbers["seconds"]["server"]))
        page = it.page(address)
        at = page.open()
        page.wait("document.getElementById('picture').getAttribute('aria-label').includes('2 findings')")
        at.keyboard.press("i")
        page.wait("document.querySelectorAll('#statistics section').length >= 4")
        it.picture(at, "statistics")
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()


def check_roles(it):
    """axe-core finds nothing serious, in both themes and at three widths."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        print("skipped: axe-core (axe-playwright-python is missing)", flush=True)
        return
    axe = Axe()
    with console(it.program, str(FIXTURES / "chromium-websocket/capture.pcapng"), str(FIXTURES / "http-oddities/capture.pcap")) as address:
        for scheme in ("light", "dark"):
            for width in (900, 1400, 2560) if it.is_full else (1400,):
                page = it.page(address, scheme=scheme, width=width, height=900 if width < 2000 else 1300)
                at = page.open("&c=4")
                at.focus("#messages")
                for tab, steps in (("JSON", 5), ("Overview", 0), ("Headers", 0)):
                    if tab == "Headers":
                        at.focus("#messages")
                        at.keyboard.press("Home")
                        at.keyboard.press("ArrowDown")
                    for _ in range(steps):
                        at.keyboard.press("ArrowDown")
                    at.click(f"#tab-{tab}")
                    page.wait(f"document.querySelector('#tab-{tab}[aria-selected=true]') && document.querySelector('#detail').children.length > 0")
                    it.picture(at, f"{tab.lower()}-{scheme}-{width}")
                    found = axe.run(at).response["violations"]
                    serious = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found if one["impact"] in ("serious", "critical")]
                    it.same(f"axe-core: {tab}, {scheme}, {width} pixels", [], serious)
                page.close()


def check_hostile(it):
    """Texts in every place that a peer can fill: no script, no request, no violation."""
    texts = hostile_texts.corpus()
    name = it.folder / "<img src=x onerror=alert(1)>.ndjson"
    name.write_text(hostile_texts.log(texts), "utf-8", "surrogatepass")
    with console(it.program, str(name)) as address:
        page = it.page(address)
        at = page.open()
        # The log is read while the page is there: what it has at first is not all.
        page.wait(f"document.querySelector('#conversations-count').textContent === '{len(texts)}' && !document.querySelector('#messages-count').textContent.startsWith('0')")
        it.same("every conversation is there", str(len(texts)), at.text_content("#conversations-count"))
        # The text itself, whatever it is, is what the page shows.
        count = int(at.text_content("#messages-count").split()[0].replace(",", ""))
        at.focus("#messages")
        at.keyboard.press("Home")
        tabs = ("Overview", "Text", "JSON", "Headers", "Bytes", "Decoded")
        for step in range(count if it.is_full else 260):
            at.keyboard.press("ArrowDown")
            if step % 4 == 0:
                tab = tabs[(step // 4) % len(tabs)]
                at.evaluate("tab => document.getElementById(`tab-${tab}`)?.click()", tab)
        at.keyboard.press("End")
        at.focus("#conversations")
        for _ in range(len(texts)):
            at.keyboard.press("ArrowDown")
        page.wait("location.hash.includes('c=')")
        at.fill("#search", texts[0])
        page.wait("document.getElementById('messages').getAttribute('aria-busy') === 'false'")
        at.fill("#match", "<script>")
        at.keyboard.press("i")
        it.picture(at, "hostile")
        it.same("hostile texts do nothing", NO_MISDEEDS, page.misdeeds())
        it.same("no element was made of a text", 0, at.evaluate("document.querySelectorAll('#panes img, #panes svg, #panes iframe, #panes script, #panes a').length"))
        page.close()


def check_handing(it):
    """A conversation is saved as a page that does nothing in a browser, and two rows are compared."""
    with console(it.program, str(CHAT)) as address:
        page = it.page(address)
        at = page.open("&c=4")
        at.click("#detail-head .menu-holder button")
        with at.expect_download() as saved:
            at.click("#detail-head .menu button >> nth=1")
        it.same("a conversation is saved under its number", "conversation-4.html", saved.value.suggested_filename)
        kept = it.folder / "conversation-4.html"
        saved.value.save_as(kept)
        it.holds("the page says that it is redacted", "conversation 4, redacted" in kept.read_text("utf-8"), kept.read_text("utf-8")[:3000])
        at.focus("#messages")
        at.keyboard.press("Home")
        for _ in range(4):
            at.keyboard.press("ArrowDown")
        page.wait("document.querySelector('#json')?.textContent.includes('history')")
        at.keyboard.press("e")
        page.wait("document.getElementById('note').textContent.startsWith('Held row')")
        at.keyboard.press("ArrowDown")
        page.wait("document.querySelector('#json')?.textContent.includes('join')")
        at.keyboard.press("e")
        page.wait("document.querySelector('#detail .lines')?.textContent.includes('→') && document.querySelector('#detail-head h2').textContent.startsWith('row')")
        it.picture(at, "differences")
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()
    texts = hostile_texts.corpus()
    name = it.folder / "<img src=x onerror=alert(1)>.ndjson"
    name.write_text(hostile_texts.log(texts), "utf-8", "surrogatepass")
    written = subprocess.run([it.program, "read", "--format", "html", str(name)], capture_output=True, timeout=60, check=False).stdout
    hostile = it.folder / "hostile.html"
    hostile.write_bytes(written)
    for file, scheme in ((hostile, "light"), (kept, "light"), (kept, "dark")):
        page = it.page(f"file://{file}", scheme=scheme)
        page.origin = f"file://{it.folder}"
        at = page.page
        at.goto(f"file://{file}")
        rows = at.evaluate("[document.querySelectorAll('main > *').length, document.querySelectorAll('main :not(p, details, summary, pre, span)').length]")
        it.holds(f"{file.name} has lines, and nothing else", rows[0] > 10 and rows[1] == 0, rows)
        it.holds("its style counts", at.evaluate("getComputedStyle(document.querySelector('summary')).fontFamily").startswith("ui-monospace"), file.name)
        at.evaluate("document.querySelectorAll('details').forEach(row => { row.open = true; })")
        it.picture(at, f"saved-{file.stem}-{scheme}")
        it.same(f"{file.name} does nothing", NO_MISDEEDS, page.misdeeds())
        page.close()


def check_long(it, count):
    """First, last and every tenth row of a long list, by key and by the scroll bar, in few elements."""
    log = it.folder / f"long-{count}.ndjson"
    long_log(log, count)
    session = it.folder / f"long-{count}.unmask"
    subprocess.run([it.program, "read", "--stats", "--save", str(session), str(log)], check=True, capture_output=True, timeout=120)
    with console(it.program, str(session)) as address:
        page = it.page(address)
        at = page.open("&k=messages")
        page.wait(f"document.getElementById('messages-count').textContent.startsWith('{count:,} rows')", 30)
        it.same(f"{count:,} rows are announced", str(count + 1), at.get_attribute("#messages", "aria-rowcount"))
        times = []
        for key in ["End", "Home"] + list("5371926480") + ["End", "Home"]:
            took, index, text = jump(at, key)
            expected = count - 1 if key == "End" else 0 if key == "Home" else int((int(key) / 10) * (count - 1) + 0.5)
            it.holds(f"{key} of {count:,}", index == expected and f'"number":{expected},' in (text or ""), (index, text))
            times.append(took)
        print(f"rows after a jump: median {sorted(times)[len(times) // 2]:.0f} ms, most {max(times):.0f} ms", flush=True)
        for part in (0.25, 0.999, 1):
            at.evaluate("part => { const view = document.querySelector('#messages'); view.scrollTop = part * (view.scrollHeight - view.clientHeight); }", part)
            at.wait_for_timeout(300)
            page.wait("document.querySelectorAll('#messages .layer .row.waiting').length === 0 && document.querySelector('#messages .layer .row')")
            indexes = at.evaluate("""() => { const box = document.querySelector('#messages').getBoundingClientRect();
                return [...document.querySelectorAll('#messages .layer .row')].filter(row => row.getBoundingClientRect().bottom <= box.bottom + 1
                    && row.getBoundingClientRect().top >= box.top + 23).map(row => Number(row.getAttribute('aria-rowindex')) - 2); }""")
            wanted = part * (count - len(indexes))
            it.holds(f"the scroll bar at {part:.1%} of {count:,}", indexes and abs(indexes[0] - wanted) <= max(2, count / 100_000), (indexes[:1], wanted))
        # The wheel moves by its pixels, however long the list is.
        jump(at, "5")
        before = at.evaluate("document.querySelector('#messages .row.active').getBoundingClientRect().top")
        at.mouse.move(700, 500)
        at.mouse.wheel(0, 66)
        at.wait_for_timeout(400)
        moved = before - at.evaluate("document.querySelector('#messages .row.active')?.getBoundingClientRect().top ?? -9999")
        it.same("the wheel moves three rows by 66 pixels", 66, round(moved))
        cost(it, page, count)
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()


def cost(it, page, count):
    session = page.context.new_cdp_session(page.page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    nodes = page.page.evaluate("document.querySelectorAll('*').length")
    counters = session.send("Memory.getDOMCounters")
    heap = session.send("Runtime.getHeapUsage")
    used = (heap["usedSize"] + heap.get("backingStorageSize", 0)) / (1 << 20)
    print(f"{count:,} messages: {nodes} elements, {counters['nodes']} nodes, {used:.1f} MiB", flush=True)
    it.holds(f"at most 2,000 nodes with {count:,} messages", counters["nodes"] <= 2000, counters)
    it.holds(f"at most 32 MiB with {count:,} messages", used <= 32, used)


def check_modules(it):
    """What is copied means the payload again, and JSON is read as Python reads it."""
    texts = [text.encode("utf-8", "surrogatepass") for text in hostile_texts.corpus() if "\x00" not in text]
    documents = [b"{}", b"[]", b" [1, -0.5e3, true, null] ", b'{"a":{"b":[{}]},"a":2}', b"", b"[", b"[1,]", b'{"a"}', b"[1 2]", b"01", b"+1", b"nul", b"[}", b"1 2", b'"\\u00e9"',
                 b'"\xc3\xa9"', b'{"a":1,}', b"{,}", b"[,]", b"-", b"1.", b'"a', b'"\x01"', b"]", b"{1:2}", b"\xef\xbb\xbf[1]"]
    documents += [json.dumps({text.decode("utf-8", "replace"): [text.decode("utf-8", "replace")]}).encode() for text in texts[:60]]
    made = page_modules.run(it.folder, texts + [bytes(range(256))], documents)
    if made is None:
        print("skipped: the modules of the page (node is missing)", flush=True)
        return
    wrong = []
    for payload, copies in zip(texts + [bytes(range(256))], made["copies"]):
        text = payload.decode("utf-8", "replace")
        scope = {}
        exec(copies["Python"], scope)  # A literal of bytes.
        python = scope["payload"] == payload
        hexadecimal = bytes.fromhex(copies["Hex"]) == payload
        encoded = base64.b64decode(copies["Base64"]) == payload
        words = "\0" in text or (page_modules.shell_words(copies["shell"]) == [text]
                                 and page_modules.shell_words(copies["curl"])[:2] == ["curl", "-i"] and f"X: {text}" in page_modules.shell_words(copies["curl"])
                                 and page_modules.shell_words(copies["unmask read …"])[:5] == ["unmask", "read", text, "--conversation", "3"])
        if not (python and hexadecimal and encoded and words):
            wrong.append((payload[:60], python, hexadecimal, encoded, words))
    it.same("what is copied means the payload again", [], wrong)
    acting = [copies[name] for copies in made["copies"] for name in ("curl", "websocat", "unmask read …")
              if any(ord(sign) < 32 or 127 <= ord(sign) < 160 for sign in copies[name])]
    it.same("no command that is copied has a control, on which a terminal would act", [], acting)
    it.same("curl asks for what was requested", [["curl", "-i", *words] for _, words in page_modules.REQUESTS],
            [page_modules.shell_words(command) for command in made["commands"]])
    different = []
    for document, found in zip(documents, made["read"]):
        expected = page_modules.json_value(document.removeprefix(b"\xef\xbb\xbf"))
        if expected is None and "error" not in found or expected is not None and expected != found:
            different.append((document[:60], expected, found))
    it.same("JSON is read as Python reads it", [], different)


def check_live(it):
    """While a proxy relays: Follow keeps the newest row in view, and without it no row moves."""
    try:
        from websockets.sync.client import connect
        from websockets.sync.server import serve
    except ImportError:
        print("skipped: the page beside a proxy (websockets is missing)", flush=True)
        return
    with serve(lambda socket: [socket.send(message) for message in socket], "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        upstream = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        with Unmask(it.program, it.folder / "live", "--upstream", upstream, "--console") as proxy:
            address = next(found[0] for found in map(ADDRESS.search, proxy.errors) if found)
            with connect(f"ws://127.0.0.1:{proxy.port}/", proxy=None) as client:
                watch_live(it, address, client)
        server.shutdown()


def watch_live(it, address, client):
    def exchange(count):
        for number in range(count):
            client.send(json.dumps({"number": number}))
            client.recv()

    exchange(200)
    page = it.page(address)
    at = page.open("&k=messages")
    count = "parseInt(document.getElementById('messages-count').textContent.replaceAll(',', ''))"
    page.wait(f"{count} >= 400")
    at.focus("#messages")
    at.keyboard.press("5")
    page.wait("document.querySelector('#messages .row.active:not(.waiting)')")
    place = "[...document.querySelectorAll('#messages .row.active')].map(row => [row.getBoundingClientRect().top, row.textContent])"
    before, had = at.evaluate(place), at.evaluate(count)
    exchange(300)
    page.wait(f"{count} >= {had + 600}")
    it.same("without Follow no row moves", before, at.evaluate(place))
    at.keyboard.press("l")
    newest = "Math.max(...[...document.querySelectorAll('#messages .layer .row')].map(row => Number(row.getAttribute('aria-rowindex')) - 1)) === " + count
    page.wait(newest)
    had = at.evaluate(count)
    exchange(300)
    page.wait(f"{count} >= {had + 600}")
    page.wait(newest)
    page.wait("document.querySelectorAll('#messages .layer .row.waiting').length === 0")
    it.picture(at, "live")
    client.send("the last one")
    client.recv()
    page.wait("[...document.querySelectorAll('#messages .layer .row')].some(row => row.textContent.includes('the last one'))")
    it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
    page.close()


def check_documented(it):
    """The pictures of docs/console.md: the JSON of a message in light colours, the slowest call in dark ones."""
    if not it.pictures:
        return
    names = [f"{name}/capture.pcapng" for name in ("chromium-websocket", "websockets-close-codes", "messaging-socketio")]
    with console(it.program, *names, folder=FIXTURES) as address:
        page = it.page(address, height=800)
        at = page.open("&c=4")
        at.focus("#messages")
        at.keyboard.press("Home")
        for _ in range(4):
            at.keyboard.press("ArrowDown")
        page.wait("document.querySelector('#json .node')")
        at.click("#json .node >> nth=-1")
        page.wait("document.querySelectorAll('#hex mark').length > 0 && !document.getElementById('slowest').hidden")
        at.focus("#messages")
        it.picture(at, "console-light")
        page.close()
    console_tasks.calls_log(it.folder / "calls.ndjson")
    with console(it.program, "calls.ndjson", folder=it.folder) as address:
        page = it.page(address, scheme="dark", height=800)
        at = page.open("&c=1")
        page.wait("!document.getElementById('slowest').hidden")
        at.keyboard.press("w")
        page.wait("document.querySelector('#messages .row.active') && document.querySelector('#tab-Overview')")
        at.click("#tab-Overview")
        page.wait("document.querySelector('#detail .lines')?.textContent.includes('1.9 s')")
        it.picture(at, "console-dark")
        it.same("the page does nothing else", NO_MISDEEDS, page.misdeeds())
        page.close()


def check_tasks(it):
    """What a new user wants to know, each in few clicks and keys."""
    for question, steps, milliseconds, problem in console_tasks.follow(it.program, it.folder, it.browser):
        it.same(f"{question} {steps} clicks and keys, {milliseconds:.0f} ms", None, problem)


def check_load(it):
    """10,000 messages a second: the page follows, a selected row stays where it is, 15 tabs that never read cost nothing; and great messages open."""
    one = console_live.run(it.program, it.folder / "load", it.browser, seconds=60 if it.is_full else 18, rate=10_000, has_console=True, tabs=16)
    print(f"on the screen after {console_figures.high(one['latency']) * 1_000:.0f} ms (95 %), {one['memory'] / 2**20:.0f} MiB, {one['cpu']:.1%} of a core", flush=True)
    it.holds("messages are on the screen while they come", len(one["latency"]) > one["sent"] / 5, (len(one["latency"]), one["sent"]))
    it.holds("the selected row was looked at, and never moved", one["held"] > 0 and one["moved"] == 0, (one["held"], one["moved"]))
    it.holds("the memory of the proxy", one["memory"] < 160 << 20, one["memory"])
    it.same("the page complains of nothing", [], one["complaints"])
    wide = {what: (found, holds) for what, found, _, holds in console_figures.wide_messages(it.program, it.folder, it.browser, times=3)}
    print("; ".join(f"{what} {found}" for what, (found, _) in wide.items()), flush=True)
    it.holds("a message of 256 MiB is fetched in slices of 64 KiB", wide["its slices"][1], wide)
    it.holds("the page complains of neither", wide["complaints of the page"][1], wide)


def check(it):
    for one in (check_modules, check_rows, check_chosen, check_keys, check_pictures, check_notes, check_roles, check_hostile, check_handing, check_live,
                check_documented, check_tasks, check_load):
        print(f"# {one.__doc__.splitlines()[0]}", flush=True)
        try:
            one(it)
        except Exception as error:
            it.failed += 1
            print(f"failed: {one.__name__}: {error}", flush=True)
    for count in (1000, 1_000_000) if it.is_full else (1000, 100_000):
        try:
            check_long(it, count)
        except Exception as error:
            it.failed += 1
            print(f"failed: {count:,} messages: {error}", flush=True)


def main():
    # A test's process blocks signals, which whoever is started inherits.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if not sync_playwright or not chromium():
        print("skipped: the page of the console (there is no chromium, or no playwright)", flush=True)
        return 0
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unmask-console-") as folder, sync_playwright() as playwright, browser(playwright) as chrome:
        it = Checks(sys.argv[1], pathlib.Path(folder), chrome, "--full" in sys.argv, pictures)
        check(it)
        return 1 if it.failed else 0


if __name__ == "__main__":
    sys.exit(main())
