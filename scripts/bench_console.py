#!/usr/bin/env python3
"""bench_console.py PROGRAM [MESSAGES [SECONDS]]: what the web console costs, each figure beside its bar; exit status 1 where one is missed.

First the requests to the program alone, with one conversation of a million messages, then what Chromium makes of them, then 10,000 messages a second
for SECONDS (600) through a proxy: without a console, with one page, and with 16 of which 15 never read. Nothing else should run on the machine.
"""

import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "Tests/Peers"))

import console_client  # noqa: E402
import console_figures  # noqa: E402
import console_live  # noqa: E402
import console_long  # noqa: E402
from console_browser import browser, sync_playwright  # noqa: E402

BAR = {"first rows": 500, "End, Home, 50 %": 200, "first hits of a filter": 1_000, "a message of 256 MiB": 300}
LONG = 256 << 20
KEPT = 16 << 20


def milliseconds(work):
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1_000


def first_hit(console, **wanted):
    """Until a view has its first row."""
    _, made = console.json("/api/views", wanted)
    while True:
        _, page = console.json(f"/api/views/{made['view']}/rows?from=0&count=50")
        if page["total"] or page["complete"]:
            return console.json(f"/api/views/{made['view']}/close", {})


def long_message(program, folder):
    """A message of 256 MiB, of which 16 MiB are kept: its detail and its first 64 KiB."""
    log = pathlib.Path(folder) / "long.ndjson"
    console_long.long_log(log, 1)
    with open(log, "a", encoding="utf-8") as file:
        file.write('{"kind":"message","conversation":1,"time":"2026-11-20T21:00:01.000000000Z","from":"server","packets":[3,3],"offset":40,"opcode":"text",'
                   f'"length":{LONG},"wireLength":{LONG},"fragments":1,"compressed":false,"text":"{"0123456789abcdef" * (KEPT >> 4)}","truncated":true}}\n')
    console = console_client.Console(program, "console", "--payload-limit", str(KEPT), str(log)).finished()
    row = next(row["id"] for row in console.view() if row["b"] == LONG)

    def opened():
        shown = console.json(f"/api/records/{row}")[1]
        part = console.request(f"/api/payloads/{row}?from=0&count=65536")[2]
        assert (shown["payload"]["length"], shown["payload"]["stored"], len(part)) == (LONG, KEPT, 65_536), shown["payload"]

    times = [milliseconds(opened) for _ in range(20)]
    console.end()
    return times


def requests(program, messages):
    """Prints what requests take. Returns whether the bars are met."""
    with console_client.scratch() as folder:
        log, session = f"{folder}/load.ndjson", f"{folder}/load.unmask"
        console_long.long_log(pathlib.Path(log), messages)
        subprocess.run([program, "read", "--save", session, "--format", "ndjson", log], stdout=subprocess.DEVNULL, check=True)
        console = console_client.Console(program, "console", session)
        console.finished()
        measured = {}
        # A new connection each, as a page that is just opened.
        measured["first rows"] = [milliseconds(lambda: first_hit(console, kinds="all")) for _ in range(20)]
        _, made = console.json("/api/views", {"kinds": "all"})
        total = console.json(f"/api/views/{made['view']}/rows?from=0&count=0")[1]["total"]
        places = [place for _ in range(20) for place in (max(0, total - 50), 0, total // 2)]
        measured["End, Home, 50 %"] = [
            milliseconds(lambda: console.json(f"/api/views/{made['view']}/rows?from={place}&count=50")) for place in places]
        measured["first hits of a filter"] = [milliseconds(lambda: first_hit(console, filter="websocket.opcode == 1")) for _ in range(10)]
        measured["a search to its end"] = [milliseconds(lambda: first_hit(console, search="no such words")) for _ in range(3)]
        measured["a message of 256 MiB"] = long_message(program, folder)
        print(f"{messages} messages, {total} records\n\n{'what':26} {'median':>10} {'95 %':>10} {'bar':>8}")
        missed = False
        for name, times in measured.items():
            high = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
            bar = BAR.get(name)
            missed |= bar is not None and high > bar
            print(f"{name:26} {statistics.median(times):7.1f} ms {high:7.1f} ms {str(bar) + ' ms' if bar else '':>8}")
        print(f"{'memory of the program':26} {console.memory() / 2**20:7.0f} MB")
        console.end()
        return not missed


def main(program, messages=1_000_000, seconds=600):
    print("# The program alone\n", flush=True)
    holds = requests(program, messages)
    print("\n# In Chromium\n", flush=True)
    with console_client.scratch() as folder, sync_playwright() as playwright, browser(playwright) as chrome:
        holds &= console_figures.show(console_figures.wide_messages(program, folder, chrome))
        for count in sorted({1_000, min(100_000, messages), messages}):
            holds &= console_figures.show(console_figures.long_list(program, folder, chrome, count))
        print("\n# Live\n", flush=True)
        holds &= console_figures.show(console_live.measure(program, folder, chrome, seconds))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
