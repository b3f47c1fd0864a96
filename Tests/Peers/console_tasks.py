"""Ten questions of a user who sees the console for the first time, each followed with the keyboard and the mouse alone.

What a step needs is found by what the page shows: the words on a button, a row's text. Each task counts its clicks and its keys, and the time that the
page took until the step's result was there.

    console_tasks.py PROGRAM
"""

import json
import pathlib
import sys
import tempfile
import time

from console_browser import NO_MISDEEDS, Page, browser, console, sync_playwright

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
CHAT = FIXTURES / "chromium-websocket/capture.pcapng"
SECRET = "hunter2hunter2hunter2"
#: Clicks and keys of a task, and seconds that the page may take for all of it. A minute is for the user.
MOST = {"steps": 40, "seconds": 5}


def calls_log(path):
    """A log of 300 calls of JSON-RPC, of which one took 1.9 s, after a login that has a token."""
    head = '{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"calls"},"firstPacket":1}\n'
    place = '"conversation":1,"packets":[1,1],"time":"2026-11-20T21:00:%02d.%03d000000Z"'
    with open(path, "w", encoding="utf-8") as log:
        log.write(head)
        log.write('{"kind":"opened",%s,"client":{"address":"10.0.0.5","port":1000},"server":{"address":"10.0.0.9","port":80,"name":"calls.example"},'
                  '"transport":"tcp","start":"handshake","roles":"handshake"}\n' % (place % (0, 0)))

        def message(milliseconds, side, content):
            text = json.dumps(content, separators=(",", ":"))
            log.write('{"kind":"message",%s,"from":"%s","offset":1,"opcode":"text","length":%d,"wireLength":60,"fragments":1,"compressed":false,"text":%s}\n'
                      % (place % divmod(milliseconds, 1000), side, len(text), json.dumps(text)))

        message(1, "client", {"jsonrpc": "2.0", "id": 0, "method": "login", "params": {"user": "ana", "password": SECRET}})
        message(3, "server", {"jsonrpc": "2.0", "id": 0, "result": True})
        moment = 10
        for number in range(1, 301):
            message(moment, "client", {"jsonrpc": "2.0", "id": number, "method": "price", "params": [number]})
            moment += 1_900 if number == 217 else 3
            message(moment, "server", {"jsonrpc": "2.0", "id": number, "result": number * 2})
            moment += 20
    return path


class User:
    """Clicks and keys, counted; `sees` waits for what they lead to."""

    def __init__(self, page):
        self.page, self.at = page, page.page
        self.steps, self.seconds = 0, 0.0

    def click(self, what, button_text=None):
        self.steps += 1
        target = self.at.locator(what) if button_text is None else self.at.locator(what, has_text=button_text)
        target.first.click()

    def press(self, *keys):
        for key in keys:
            self.steps += 1
            self.at.keyboard.press(key)

    def type(self, text):
        self.steps += len(text)
        self.at.keyboard.type(text)

    def drag(self, what, start, end):
        """From one part of an element's width to another."""
        self.steps += 2
        box = self.at.locator(what).bounding_box()
        middle = box["y"] + box["height"] / 2
        self.at.mouse.move(box["x"] + start * box["width"], middle)
        self.at.mouse.down()
        self.at.mouse.move(box["x"] + end * box["width"], middle, steps=4)
        self.at.mouse.up()

    def sees(self, condition):
        begun = time.monotonic()
        self.page.wait(condition)
        self.seconds += time.monotonic() - begun

    def sees_text(self, where, *parts):
        for part in parts:
            self.sees(f"document.querySelector({json.dumps(where)})?.textContent.includes({json.dumps(part)})")


def who_closed(user):
    """Which message closed the chat, and who sent it?"""
    user.click("#conversations .row", "/room/7")
    user.sees("document.querySelector('#messages-count').textContent.startsWith('18 rows')")
    user.press("Enter", "End")
    user.sees_text("#detail .lines", "closed by the server with a Close frame: 1000 normal closure")
    user.press("ArrowUp", "ArrowUp")
    user.sees_text("#messages .row.active", "← server", "close", "good night")


def slowest_call(user):
    """What was the slowest call?"""
    user.sees("!document.getElementById('slowest').hidden && document.getElementById('slowest').textContent.includes('1.9 s')")
    user.click("#slowest")
    user.sees_text("#messages .row.active", "← server", "json-rpc result  434")
    user.click("#tab-Overview")
    user.sees_text("#detail .lines", "price", "after 1.9 s")


def one_message(user):
    """Send this one message to a colleague without the password that is in it, and without the token of the console."""
    user.press("m", "Home", "ArrowDown", "ArrowDown")
    user.sees_text("#messages .row.active", "json-rpc call login")
    user.sees_text("#json", "login")
    user.press("y")
    user.click(".menu button", "Line as printed")
    user.sees_text("#note", "Copied")
    copied = user.at.evaluate("navigator.clipboard.readText()")
    assert "login" in copied and SECRET not in copied and user.page.address.split("#")[1] not in copied, copied


def whole_conversation(user):
    """Send the whole chat as one file that opens without a network."""
    user.click("#conversations .row", "/room/7")
    user.sees_text("#detail-head", "conversation 4")
    user.click("#detail-head button", "Save")
    with user.at.expect_download() as saved:
        user.click(".menu button", "HTML file, redacted")
    text = pathlib.Path(saved.value.path()).read_text("utf-8")
    assert "good morning" in text and "<script" not in text, text[:400]


def find_words(user):
    """Where is "good morning" in the chat?"""
    user.press("f")
    user.type("good morning")
    user.sees("document.querySelector('#messages-count').textContent.startsWith('2 rows')")
    user.press("Enter", "Home")
    user.sees_text("#messages .row.active", "good morning")


def broken_rule(user):
    """Which rule did a peer break, and where is it written?"""
    user.click("#conversations .row", "▲")
    user.press("/")
    user.type("finding")
    user.press("Enter")
    user.sees("document.querySelector('#messages .layer .row .severity')")
    user.click("#messages .layer .row")
    user.sees_text("#detail .findings", "http.length-without-body", "RFC 9110")


def a_time(user):
    """What happened in the middle of the capture?"""
    user.sees("document.getElementById('picture').getAttribute('aria-label').includes('UTC')")
    before = user.at.text_content("#messages-count")
    user.drag("#picture", 0.4, 0.7)
    user.sees(f"document.getElementById('messages-count').textContent !== {json.dumps(before)} && !document.getElementById('span-clear').hidden")
    user.click("#span-clear")
    user.sees(f"document.getElementById('messages-count').textContent === {json.dumps(before)}")


def without_beats(user):
    """What is left without the heartbeats, and how many were there?"""
    user.click("#heartbeats")
    user.sees_text("#messages-count", "heartbeats hidden")


def two_messages(user):
    """What differs between the message and its reply?"""
    user.press("m", "Home", *["ArrowDown"] * 3)
    user.sees_text("#messages .row.active", "server")
    user.press("ArrowDown")
    user.sees_text("#messages .row.active", "json-rpc call price")
    user.sees_text("#json", "price")
    user.press("e")
    user.sees_text("#note", "Held row")
    user.press("ArrowDown")
    user.sees_text("#json", "result")
    user.press("ArrowDown")
    user.sees_text("#json", "price")
    user.sees("[...document.querySelectorAll('#detail-head button')].some(button => button.textContent.startsWith('Compare with'))")
    user.press("e")
    user.sees_text("#detail .lines", "params")


def what_kinds(user):
    """Which kinds of messages are there, and how many of each?"""
    user.click("#statistics-button")
    user.sees_text("#statistics", "Types of messages", "json-rpc call price")


#: What is asked, of which input, and with which options of the program.
TASKS = [
    (who_closed, "chat", []), (slowest_call, "calls", []), (one_message, "calls", ["--redact"]), (whole_conversation, "chat", []), (find_words, "chat", []),
    (broken_rule, "chat", []), (a_time, "chat", []), (without_beats, "beats", []), (two_messages, "calls", []), (what_kinds, "calls", []),
]


def follow(program, folder, chrome):
    """Follows the tasks one after another. Returns of each its question, clicks and keys, the milliseconds of the page, and what went wrong."""
    inputs = {"chat": CHAT, "beats": FIXTURES / "websockets-heartbeat/capture.pcapng", "calls": calls_log(pathlib.Path(folder) / "calls.ndjson")}
    done = []
    for task, name, options in TASKS:
        with console(program, *options, str(inputs[name])) as address:
            page = Page(chrome, address)
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            user = User(page)
            problem = None
            begun = time.monotonic()
            try:
                page.open()
                user.sees("document.querySelectorAll('#messages .layer .row:not(.waiting)').length > 3 && document.querySelectorAll('#conversations .layer .row').length > 1")
                user.seconds = time.monotonic() - begun
                task(user)
                if page.misdeeds() != NO_MISDEEDS:
                    problem = page.misdeeds()
                elif user.steps > MOST["steps"] or user.seconds > MOST["seconds"]:
                    problem = f"{user.steps} clicks and keys, {user.seconds:.1f} s"
            except Exception as error:  # Whatever it is, the task was not done.
                problem = f"{type(error).__name__}: {error}"
            done.append((task.__doc__, user.steps, user.seconds * 1_000, problem))
            page.close()
    return done


def main(program):
    with tempfile.TemporaryDirectory(prefix="unmask-console-") as folder, sync_playwright() as playwright, browser(playwright) as chrome:
        done = follow(program, folder, chrome)
    for question, steps, milliseconds, problem in done:
        print(f"{question:110} {steps:3} clicks and keys {milliseconds:6.0f} ms{'' if problem is None else f'  {problem}'}")
    return 1 if any(one[3] for one in done) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
