#!/usr/bin/env python3
"""Socket.IO with python-socketio on both sides; `socketio_talks.py PORT` is the server.

The client polls first and goes over to a WebSocket. Both sides ask and acknowledge, with and without attachments, in two namespaces.
"""

import asyncio
import contextlib
import sys

from messaging_talks import library, running


@contextlib.contextmanager
def server(port):
    for name in ("socketio", "aiohttp"):
        library(name)
    with running(sys.executable, __file__, port, ports=(port,)):
        yield


def talk(port, transports=("polling", "websocket")):
    """What the client saw, in order: events, its own acknowledgements, the end."""
    socketio = library("socketio")

    async def run():
        seen, gone, pinged = [], asyncio.Event(), asyncio.Event()
        client = socketio.AsyncClient(reconnection=False)
        client.on("welcome", lambda data: seen.append(["welcome", data]))
        client.on("welcome", lambda data: seen.append(["admin welcome", data]), namespace="/admin")
        client.on("picture", lambda name, data: seen.append(["picture", name, bytes(data).hex()]))

        @client.on("ask")
        async def ask(question):
            seen.append(["asked", question])
            return "answer to " + question, {"n": 1}

        @client.on("disconnect")
        async def disconnect(*_):
            gone.set()

        # The server pings once a second.
        handle = client.eio._receive_packet

        async def receive(packet):
            if packet.packet_type == 2:
                pinged.set()
            await handle(packet)

        client.eio._receive_packet = receive
        await client.connect(
            f"http://127.0.0.1:{port}", auth={"name": "Ada"}, namespaces=["/", "/admin"], transports=list(transports), wait_timeout=10
        )
        seen.append(["acknowledged", list(await client.call("chat", ("hello", 7), timeout=10))])
        seen.append(["acknowledged", list(await client.call("upload", ("dot", bytes(range(20)), b"\x00\xff"), timeout=10))])
        seen.append(["acknowledged", await client.call("whoami", namespace="/admin", timeout=10)])
        # The server asks the client, and sends a picture.
        seen.append(["acknowledged", await client.call("ask me", timeout=10)])
        await asyncio.wait_for(pinged.wait(), 10)
        await client.emit("leave")
        await asyncio.wait_for(gone.wait(), 10)
        # Of the other namespace the client takes its leave.
        await client.disconnect()
        await client.wait()
        return seen

    return asyncio.run(run())


def serve(port):
    import socketio
    from aiohttp import web

    server = socketio.AsyncServer(async_mode="aiohttp", ping_interval=1, ping_timeout=5)
    application = web.Application()
    server.attach(application)

    @server.event
    async def connect(sid, _, auth):
        await server.emit("welcome", {"you": auth["name"]}, to=sid)

    @server.on("connect", namespace="/admin")
    async def connect_admin(sid, *_):
        await server.emit("welcome", {"rights": ["kick", "ban"]}, to=sid, namespace="/admin")

    @server.event
    async def chat(sid, text, number):
        return "heard", number + 1

    @server.event
    async def upload(sid, name, data, more):
        await server.emit("picture", (name, data[::-1]), to=sid)
        return "stored", data[:2]

    @server.on("whoami", namespace="/admin")
    async def whoami(sid):
        return {"name": "Ada", "isAdmin": True}

    @server.on("ask me")
    async def ask_me(sid):
        # In a task of its own: the answer comes in what the client sends next.
        question = asyncio.create_task(server.call("ask", "how are you?", to=sid, timeout=10))
        return (await question)[0]

    @server.event
    async def leave(sid):
        await server.disconnect(sid)

    web.run_app(application, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
