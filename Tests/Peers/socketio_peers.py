#!/usr/bin/env python3
"""python-socketio on both sides, on long polling and on a WebSocket, directly and through the reverse mode: the same talk."""

import asyncio
import sys

import comparison

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


def compare(it):
    if not aiohttp:
        raise comparison.Skipped("Socket.IO through the proxy (Python has no socketio and aiohttp)")

    async def play():
        runner, port = await serve()
        try:
            for transports in (["websocket"], ["polling"], ["polling", "websocket"]):
                without = await talk(port, transports)
                proxy = await asyncio.get_running_loop().run_in_executor(None, it.proxy, f"reverse:http://127.0.0.1:{port}")
                try:
                    through = await talk(proxy.port, transports)
                finally:
                    await asyncio.get_running_loop().run_in_executor(None, proxy.__exit__)
                it.same(f"Socket.IO by {' and '.join(transports)}", without, through)
                upgrades = sum(record["kind"] == "upgrade" for record in it.records(proxy))
                it.same("the log has its upgrade", 1 if "websocket" in transports else 0, upgrades)
        finally:
            await runner.cleanup()

    asyncio.run(asyncio.wait_for(play(), 90))


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
