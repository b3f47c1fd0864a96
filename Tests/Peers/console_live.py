"""What the console costs a proxy and its user while 10,000 messages a second come: `measure` relays them with and without a console.

    console_live.py PROGRAM [SECONDS [RATE]]
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import console_client
from console_browser import ADDRESS, Page, browser, sync_playwright
from console_figures import high, show
from console_load import Sink

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")

#: Notes the newest number among the rows that a frame has shown, and where the selected row is in each frame. A task after the frame notes the
#: time, so that what it shows has been painted.
SAMPLER = """() => {
    const seen = window.seen = {frames: [], tops: [], tasks: [], other: 0};
    new PerformanceObserver(list => list.getEntries().forEach(task => seen.tasks.push(Math.round(task.duration)))).observe({type: "longtask"});
    const grid = document.getElementById("messages");
    let newest = -1, held = null;
    const channel = new MessageChannel();
    const waiting = [];
    channel.port1.onmessage = () => seen.frames.push([(performance.timeOrigin + performance.now()) / 1000, waiting.shift()]);
    const frame = () => {
        let number = -1;
        const rows = grid.querySelectorAll(".layer .row:not(.waiting)");
        for (const row of [...rows].slice(-8)) {
            const found = /"number":(\\d+)/.exec(row.textContent);
            if (found) number = Math.max(number, Number(found[1]));
        }
        if (number > newest) {
            newest = number;
            waiting.push(number);
            channel.port2.postMessage(0);
        }
        const active = grid.querySelector(".row.active");
        if (window.holding && active) {
            const place = `${active.getBoundingClientRect().top} ${active.textContent}`;
            if (held !== window.holding) seen.tops.push([place]);
            else if (seen.tops.at(-1)[0] !== place) seen.tops.at(-1).push(place);
            held = window.holding;
        }
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""


class Proxy:
    """`unmask proxy --save`, with a console or without; what it used of the processor and of memory is read from the system."""

    def __init__(self, program, folder, port, has_console):
        folder.mkdir(parents=True, exist_ok=True)
        command = [program, "proxy", "--listen", "127.0.0.1:0", "--upstream", f"ws://127.0.0.1:{port}", "--ca-folder", str(folder / "ca"),
                   "--save", str(folder / "load.unmask"), *(["--console"] if has_console else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.port = self.address = None
        while self.port is None or has_console and self.address is None:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError("the proxy did not start")
            if "listening on" in line:
                self.port = int(line.split("listening on ", 1)[1].split()[0].rsplit(":", 1)[1].rstrip(",;"))
            if found := ADDRESS.search(line):
                self.address = found[0]
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def cpu(self):
        """Seconds of processor time."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def most_memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


class Deaf:
    """Tabs that never read: WebSockets that show their token, watch a view and leave everything unread. One that was closed comes again."""

    def __init__(self, address, count):
        class Known:
            pass
        self.console = Known()
        self.console.host, self.console.token = address.split("//")[1].split("/#")
        self.console.port = int(self.console.host.rsplit(":", 1)[1])
        self.tabs = [None] * count

    def refresh(self):
        for place, tab in enumerate(self.tabs):
            if tab:
                tab.socket.close()
            self.tabs[place] = live = console_client.Live(self.console, f"http://{self.console.host}", room=4_096)
            live.say({"token": self.console.token})
            live.say({"view": "v1"})

    def close(self):
        for tab in filter(None, self.tabs):
            tab.socket.close()


def run(program, folder, chrome, *, seconds, rate, has_console, tabs=1):
    """One run. Returns the processor time and the memory of the proxy, and what a page saw."""
    sink = Sink()
    proxy = Proxy(program, folder, sink.port, has_console)
    deaf = None
    result = {}
    try:
        client = subprocess.Popen([sys.executable, str(HERE / "console_load.py"), str(proxy.port), str(rate), str(seconds)],
                                  stdout=subprocess.PIPE, text=True)
        batches = []
        reader = threading.Thread(target=lambda: batches.extend(line.split() for line in client.stdout), daemon=True)
        reader.start()
        begun = (time.monotonic(), proxy.cpu())
        if has_console:
            deaf = Deaf(proxy.address, tabs - 1)
            result |= watch(chrome, proxy, deaf, client)
        client.wait()
        reader.join()
        took = time.monotonic() - begun[0]
        result |= {"cpu": (proxy.cpu() - begun[1]) / took, "memory": proxy.most_memory(), "sent": int(batches[-1][0]), "took": took}
        if has_console:
            result["latency"] = latencies([(int(count), float(moment)) for count, moment in batches], result["frames"])
    finally:
        if deaf:
            deaf.close()
        proxy.end()
        sink.close()
        for left in folder.glob("load.unmask*"):
            left.unlink()
    return result


def watch(chrome, proxy, deaf, client):
    """By turns: Follow keeps the newest message in view; a selected row in the middle stays where it is."""
    page = Page(chrome, proxy.address)
    at = page.open("&k=messages")
    page.wait("document.querySelectorAll('#messages .layer .row:not(.waiting)').length > 5")
    at.evaluate(SAMPLER)
    turn = 0
    while client.poll() is None:
        deaf.refresh()
        at.evaluate("turn => { window.holding = turn; }", 0)
        at.focus("#messages")
        at.keyboard.press("l")
        with contextlib.suppress(subprocess.TimeoutExpired):
            client.wait(10)
            break
        turn += 1
        at.keyboard.press("5")
        page.wait("document.querySelector('#messages .row.active:not(.waiting)')")
        at.wait_for_timeout(200)
        at.evaluate("turn => { window.holding = turn; }", turn)
        with contextlib.suppress(subprocess.TimeoutExpired):
            client.wait(5)
    at.wait_for_timeout(500)
    seen = at.evaluate("window.seen")
    moved = sum(len(set(places)) - 1 for places in seen["tops"])
    complaints = page.complaints
    page.close()
    return {"frames": seen["frames"], "moved": moved, "held": len(seen["tops"]), "tasks": seen["tasks"], "complaints": complaints}


def latencies(batches, frames):
    """The seconds from a message's last byte to the first frame that shows it or a later one, of every message that came while the page followed."""
    list_of, batch = [], 0
    before = None
    for moment, number in frames:
        # A jump is the page that follows again: what came meanwhile was not to be shown.
        if before is not None and moment - before[0] < 1.5:
            while batch < len(batches) and batches[batch][0] <= before[1] + 1:
                batch += 1
            while batch < len(batches) and batches[batch][0] <= number + 1:
                size = batches[batch][0] - (batches[batch - 1][0] if batch else 0)
                list_of += [max(0.0, moment - batches[batch][1])] * size
                batch += 1
        before = (moment, number)
    return list_of


def measure(program, folder, chrome, seconds=600, rate=10_000):
    """Rows of what was measured, the bar, and whether it holds."""
    folder = pathlib.Path(folder)
    alone = run(program, folder, chrome, seconds=seconds, rate=rate, has_console=False)
    rows = [(f"{rate:,} messages/s for {seconds} s, --save alone", f"CPU {alone['cpu']:.1%} of a core, {alone['memory'] / 2**20:.0f} MiB", "", True)]
    for tabs in (1, 16):
        one = run(program, folder, chrome, seconds=seconds, rate=rate, has_console=True, tabs=tabs)
        name = "with a page" if tabs == 1 else f"with {tabs} tabs, of which {tabs - 1} never read"
        late, above, more = high(one["latency"]) * 1_000, one["cpu"] / alone["cpu"] - 1, (one["memory"] - alone["memory"]) / 2**20
        shown = len(one["latency"]) / one["sent"]
        rows += [
            (f"{name}: on the screen after (95 %)", f"{late:.0f} ms", "300 ms", late <= 300 and shown > 0.2),
            (f"{name}: moves of the selected row", f"{one['moved']} in {one['held']} turns", "0", one["moved"] == 0 and one["held"] > 0),
            (f"{name}: CPU of the proxy", f"{one['cpu']:.1%}, {above:+.1%}", "+5 %", above <= 0.05),
            (f"{name}: memory of the proxy", f"{one['memory'] / 2**20:.0f} MiB, {more:+.0f} MiB", "+32 MiB", more <= 32),
            (f"{name}: complaints of the page", str(one["complaints"] or "none"), "none", not one["complaints"]),
        ]
    return rows


def main(program, seconds=600, rate=10_000):
    with tempfile.TemporaryDirectory(prefix="unmask-console-") as folder, sync_playwright() as playwright, browser(playwright) as chrome:
        return 0 if show(measure(program, folder, chrome, int(seconds), int(rate))) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
