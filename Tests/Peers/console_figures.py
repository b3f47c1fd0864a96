"""What a user of the console waits for in Chromium: one conversation of many messages, a message of 256 MiB, JSON of 1 MiB.

    console_figures.py PROGRAM [MESSAGES …]
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from console_browser import Page, browser, console, sync_playwright
from console_long import jump, long_log

LONG = 256 << 20
KEPT = 16 << 20
WIDE = 1 << 20

#: Notes when the first rows are painted, and every task of more than 50 ms.
WATCH = """
    window.firstRows = null;
    window.tasks = [];
    new PerformanceObserver(list => list.getEntries().forEach(task => window.tasks.push(Math.round(task.duration)))).observe({type: "longtask", buffered: true});
    const look = () => {
        if (!document.querySelector("#messages .layer .row:not(.waiting) .text:not(:empty)")) return requestAnimationFrame(look);
        const channel = new MessageChannel();
        channel.port1.onmessage = () => { window.firstRows ??= performance.now(); };
        channel.port2.postMessage(0);
    };
    requestAnimationFrame(look);
"""

#: Chooses the row of a key, then waits for an element of the detail to be painted.
OPEN = """async ([key, wanted]) => {
    const grid = document.getElementById("messages");
    window.tasks.length = 0;
    const before = performance.now();
    grid.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    while (performance.now() - before < 10000) {
        await new Promise(requestAnimationFrame);
        if (document.querySelector(wanted)) {
            await new Promise(resume => setTimeout(resume));
            return performance.now() - before;
        }
    }
    return 10000;
}"""

#: Scrolls by some pixels in each frame, for so many frames, down and up again.
SCROLL = """async ([pixels, frames]) => {
    const grid = document.getElementById("messages");
    for (let frame = 0; frame < frames; frame += 1) {
        grid.scrollTop += frame < frames / 2 ? pixels : -pixels;
        await new Promise(requestAnimationFrame);
    }
}"""


def high(values):
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def opened(chrome, address, more=""):
    page = Page(chrome, address)
    page.context.add_init_script(WATCH)
    page.open(more)
    page.wait("window.firstRows !== null", 30)
    return page


def heap(page):
    """Mebibytes of the JavaScript heap with typed arrays, and nodes, after a collection."""
    session = page.context.new_cdp_session(page.page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    nodes = session.send("Memory.getDOMCounters")["nodes"]
    used = session.send("Runtime.getHeapUsage")
    return (used["usedSize"] + used.get("backingStorageSize", 0)) / (1 << 20), nodes


def session_of(program, folder, log):
    session = log.with_suffix(".unmask")
    subprocess.run([program, "read", "--stats", "--save", str(session), "--payload-limit", str(KEPT), str(log)], check=True, capture_output=True, timeout=300)
    log.unlink()
    return session


def long_list(program, folder, chrome, count):
    """Rows of what a conversation of so many messages costs."""
    log = pathlib.Path(folder) / f"long-{count}.ndjson"
    long_log(log, count)
    session = session_of(program, folder, log)
    name = f"{count:,} messages"
    with console(program, str(session)) as address:
        first = []
        for _ in range(5):
            page = opened(chrome, address)
            first.append(page.page.evaluate("window.firstRows"))
            page.close()
        page = opened(chrome, address)
        at = page.page
        page.wait(f"document.getElementById('messages').getAttribute('aria-rowcount') >= {count}", 30)
        at.focus("#messages")
        times = [jump(at, key)[0] for _ in range(20) for key in ("End", "Home", "5")]
        at.evaluate("window.tasks.length = 0")
        for pixels in (40, 400, 4_000):
            at.evaluate(SCROLL, [pixels, 120])
        at.mouse.move(700, 500)
        for _ in range(60):
            at.mouse.wheel(0, 300)
        at.wait_for_timeout(300)
        tasks = at.evaluate("window.tasks")
        used, nodes = heap(page)
        complaints = page.complaints
        page.close()
    session.unlink()
    return [
        (f"{name}: first rows after opening (median of 5)", f"{statistics.median(first):.0f} ms", "500 ms", statistics.median(first) <= 500),
        (f"{name}: rows after End, Home, 50 % (95 %)", f"{high(times):.0f} ms", "200 ms", high(times) <= 200),
        (f"{name}: tasks over 50 ms while scrolling", str(tasks or "none"), "none", not tasks),
        (f"{name}: JS heap with typed arrays", f"{used:.1f} MiB", "32 MiB", used <= 32),
        (f"{name}: DOM nodes", f"{nodes:,}", "2,000", nodes <= 2_000),
        (f"{name}: complaints of the page", str(complaints or "none"), "none", not complaints),
    ]


def wide_log(path):
    """A log with a short message, one of 256 MiB of which 16 MiB are stored, and JSON of 1 MiB."""
    long_log(path, 1)
    items = []
    while sum(map(len, items)) < WIDE - 200:
        items.append(json.dumps({"id": len(items), "name": f"item {len(items)}", "tags": ["a", "b"], "price": len(items) * 0.5, "sold": None, "open": True}))
    document = '{"items":[' + ",".join(items)
    document += '],"rest":"' + "x" * (WIDE - len(document) - 12) + '"}'
    with open(path, "a", encoding="utf-8") as log:
        for length, text, more in ((LONG, "0123456789abcdef" * (KEPT >> 4), ',"truncated":true'), (len(document), document, "")):
            log.write('{"kind":"message","conversation":1,"time":"2026-11-20T21:00:01.000000000Z","from":"server","packets":[3,3],"offset":40,"opcode":"text",'
                      f'"length":{length},"wireLength":{length},"fragments":1,"compressed":false,"text":{json.dumps(text)}{more}}}\n')


def wide_messages(program, folder, chrome, times=20):
    """Rows of how long great messages take to be there, each opened so many times."""
    log = pathlib.Path(folder) / "wide.ndjson"
    wide_log(log)
    session = session_of(program, folder, log)
    asked, great, document, tasks = [], [], [], []
    with console(program, str(session)) as address:
        page = opened(chrome, address, "&k=messages")
        at = page.page
        at.on("request", lambda request: asked.append(request.url) if "/payloads/" in request.url else None)
        at.focus("#messages")
        text = "#detail .payload:not(:empty)"
        for _ in range(times):
            at.keyboard.press("Home")
            page.wait("document.querySelector('#json')")
            great.append(at.evaluate(OPEN, ["ArrowDown", text]))
            tasks += at.evaluate("window.tasks")
        slices = {int(url.rsplit("count=", 1)[1]) for url in asked}
        of_one = sum("/payloads/" in url for url in asked[-2:])
        for _ in range(times):
            at.keyboard.press("Home")
            at.keyboard.press("ArrowDown")
            page.wait(f"document.querySelector('{text}')")
            document.append(at.evaluate(OPEN, ["End", "#json .node"]))
            tasks += at.evaluate("window.tasks")
        count = at.evaluate("document.querySelector('#json .extent').style.height")
        complaints = page.complaints
        page.close()
    session.unlink()
    assert float(count.removesuffix("px")) > 20_000 and of_one, count
    return [
        ("a message of 256 MiB is open after (95 %)", f"{high(great):.0f} ms", "300 ms", high(great) <= 300),
        ("its slices", f"{max(slices):,} bytes", "65,536", max(slices) <= 65_536),
        ("JSON of 1 MiB is a tree after (95 %)", f"{high(document):.0f} ms", "500 ms", high(document) <= 500),
        ("tasks over 50 ms in both", str(sorted(tasks)[-5:] or "none"), "none", not tasks),
        ("complaints of the page", str(complaints or "none"), "none", not complaints),
    ]


def show(rows):
    """Prints what was measured beside its bar. Returns whether all hold."""
    for what, found, bar, holds in rows:
        print(f"{what:64} {found:>26} {bar:>10}{'' if holds else '  MISSED'}", flush=True)
    return all(row[3] for row in rows)


def main(program, *counts):
    with tempfile.TemporaryDirectory(prefix="unmask-console-") as folder, sync_playwright() as playwright, browser(playwright) as chrome:
        hold = show(wide_messages(program, folder, chrome))
        for count in map(int, counts or (1_000, 100_000, 1_000_000)):
            hold &= show(long_list(program, folder, chrome, count))
        return 0 if hold else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
