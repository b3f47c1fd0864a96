#!/usr/bin/env python3
"""bench_watch.py PROGRAM [ROUNDS]: what `unmask run --watch` takes of the time of the program that it watches, on loopback, as root.

Three loads: a download of 1 GB by curl at 150 MB/s, a conversation over a WebSocket without a pause, and one with a millisecond after each reply.
Each is run alone, watched, beside tcpdump with its buffer, and beside tcpdump that hands each packet over at once (`--immediate-mode`), one after the
other in each round; medians of the CPU seconds of the client count. Ends with 1 where watching is over its bar. Nothing else should run on the machine.
"""

import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

BAR = 2.0
LENGTH = 1 << 30
CLIENT = """
import asyncio, sys
from websockets.asyncio.client import connect
async def chat(port, count, pause):
    async with connect(f"ws://127.0.0.1:{port}/", compression=None) as peer:
        for number in range(count):
            await peer.send(f"message {number} " + "x" * 200)
            await peer.recv()
            if pause: await asyncio.sleep(pause)
asyncio.run(chat(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
"""
SERVER = """
import asyncio
from websockets.asyncio.server import serve
async def echo(peer):
    async for message in peer: await peer.send(message)
async def main():
    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.sleep(3600)
asyncio.run(main())
"""
DOWNLOAD = """
import contextlib, socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
block = bytes(1 << 20)
while True:
    peer, _ = listener.accept()
    with peer, contextlib.suppress(OSError):
        peer.recv(65536)
        peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % (LENGTH))
        for _ in range(LENGTH >> 20): peer.sendall(block)
"""


@contextlib.contextmanager
def server(code):
    """A server in Python, which prints its port."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextlib.contextmanager
def tcpdump(port, *options):
    command = ["tcpdump", "-i", "lo", "-w", "/dev/null", *options, f"tcp port {port}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()


def seconds(command, folder, watching=()):
    """CPU seconds of the command alone, whatever started it."""
    spent = os.path.join(folder, "spent")
    timed = ["/usr/bin/time", "-f", "%U %S", "-o", spent, *command]
    subprocess.run([*watching, *timed], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    with open(spent, encoding="ascii") as file:
        return sum(map(float, file.read().split()))


def compare(name, command, port, program, rounds, folder):
    """Prints a line for each way. Returns whether watching is within its bar."""
    watching = [program, "run", "--watch", "--stats", "--payload", "none", "--log", os.path.join(folder, "log.ndjson"), "--"]

    def beside(*options):
        with tcpdump(port, *options):
            return seconds(command, folder)

    ways = {
        "alone": lambda: seconds(command, folder),
        "run --watch": lambda: seconds(command, folder, watching),
        "beside tcpdump": beside,
        "beside tcpdump, each packet at once": lambda: beside("--immediate-mode"),
    }
    taken = {way: [] for way in ways}
    for _ in range(rounds):
        for way, measure in ways.items():
            taken[way].append(measure())
    median = {way: statistics.median(times) for way, times in taken.items()}
    print(name)
    for way, value in median.items():
        more = 100 * (value / median["alone"] - 1)
        missed = way == "run --watch" and more > BAR
        print(f"  {way:36} {value:6.2f} s  {more:+6.1f} %{f'  at most +{BAR:.0f} %  MISSED' if missed else ''}", flush=True)
    return median["run --watch"] <= median["alone"] * (1 + BAR / 100)


def main(program, rounds=9):
    for needed in ("curl", "tcpdump", "/usr/bin/time"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is missing")
    holds = True
    with tempfile.TemporaryDirectory() as folder, server(f"LENGTH = {LENGTH}\n{DOWNLOAD}") as file, server(SERVER) as echo:
        curl = ["curl", "-s", "-o", "/dev/null", "--limit-rate", "150M", f"http://127.0.0.1:{file}/"]
        loads = [("1 GB at 150 MB/s, curl", curl, file)]
        for name, count, pause in (("20,000 messages and replies without a pause", 20_000, 0), ("5,000, a millisecond after each reply", 5_000, 0.001)):
            loads.append((f"{name}, Python", [sys.executable, "-c", CLIENT, str(echo), str(count), str(pause)], echo))
        for name, command, port in loads:
            holds &= compare(name, command, port, program, rounds, folder)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
