#!/usr/bin/env python3
"""python-socketio on both sides, on long polling and on a WebSocket, directly and through the reverse mode: the same talk, of which the log says
what was asked, answered and sent."""

import asyncio
import sys

import comparison
from programs import Unmask

try:
    import aiohttp.web
    import socketio
except ImportError:
    aiohttp = None


async def serve():
    server = socketio.AsyncServer(async_mode="aiohttp", ping_interval=1)
    application = aiohttp.web.Application()
    server.attach(application)

    @server.event
    async def connect(sid, _, auth):
        await server.emit("welcome", {"you": auth["name"]}, to=sid)

    @server.event
    async def chat(sid, text, data):
        await server.emit("chat", [text.upper(), data[::-1]], to=sid)
        return "heard", len(data)

    @server.event
    async def leave(sid):
        await server.disconnect(sid)

    runner = aiohttp.web.AppRunner(application)
    await runner.setup()
    site = aiohttp.web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, site._server.sockets[0].getsockname()[1]


async def talk(port, transports):
    seen, gone = [], asyncio.Event()
    client = socketio.AsyncClient(reconnection=False)
    client.on("welcome", lambda data: seen.append(["welcome", data]))
    client.on("chat", lambda data: seen.append(["chat", data[0], bytes(data[1]).hex()]))

    @client.event
    async def disconnect(*_):
        seen.append(["gone", client.transport()])
        gone.set()

    await client.connect(f"http://127.0.0.1:{port}", auth={"name": "Ada"}, transports=transports, wait_timeout=10)
    for number in range(3):
        answer = await client.call("chat", (f"message {number}", bytes(range(20 * number))), timeout=10)
        seen.append(["answer", list(answer)])
    await client.emit("leave")
    await asyncio.wait_for(gone.wait(), 10)
    return seen


def start(it, port):
    it.number += 1
    return Unmask(it.unmask, it.folder / f"proxy-{it.number}", "--mode", f"reverse:http://127.0.0.1:{port}", "--decoded")


def decoded(records):
    """All packets of Socket.IO in the log, also those that a body of long polling has with others."""
    for record in records:
        said = record.get("decoded", {})
        for packet in said.get("packets", [said]):
            if packet.get("as") == "socket.io":
                yield packet


def check_decoding(it, records, transports):
    """Holds what the log says of the talk against what the peers have said."""
    packets = list(decoded(records))
    # An event with attachments is told with the last of them.
    events = [packet["event"] for packet in packets if packet["type"] == "event"]
    by = f"by {' and '.join(transports)}"
    it.same(f"the log has its events {by}", ["chat", "chat", "chat", "chat", "chat", "chat", "leave", "welcome"], sorted(events))
    asked = [packet["args"] for packet in packets if packet["type"] == "event" and "id" in packet]
    it.same(f"with their attachments {by}", [[f"message {number}", {"$binary": 20 * number}] for number in range(3)], asked)
    answers = [(packet["args"], "latency" in packet) for packet in packets if packet["type"] == "ack"]
    it.same(f"and the acknowledgements of those {by}", [(["heard", 20 * number], True) for number in range(3)], answers)
    left = [call for record in records if record["kind"] == "closed" for call in record.get("unanswered", [])]
    it.same(f"and no call without an answer {by}", [], left)


def compare(it):
    if not aiohttp:
        raise comparison.Skipped("Socket.IO through the proxy (Python has no socketio and aiohttp)")

    async def play():
        runner, port = await serve()
        try:
            for transports in (["websocket"], ["polling"], ["polling", "websocket"]):
                without = await talk(port, transports)
                proxy = await asyncio.get_running_loop().run_in_executor(None, start, it, port)
                try:
                    through = await talk(proxy.port, transports)
                finally:
                    await asyncio.get_running_loop().run_in_executor(None, proxy.__exit__)
                it.same(f"Socket.IO by {' and '.join(transports)}", without, through)
                records = it.records(proxy)
                upgrades = sum(record["kind"] == "upgrade" for record in records)
                it.same("the log has its upgrade", 1 if "websocket" in transports else 0, upgrades)
                check_decoding(it, records, transports)
        finally:
            await runner.cleanup()

    asyncio.run(asyncio.wait_for(play(), 90))


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
