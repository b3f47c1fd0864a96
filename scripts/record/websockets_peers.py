#!/usr/bin/env python3
"""Python's websockets on both ends, in the variants of permessage-deflate, of fragments, of closing."""

import asyncio

from recording import recording
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory as ClientDeflate
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory as ServerDeflate

URL = "ws://127.0.0.1:9000/chat"
TALK = [
    '{"type":"join","room":7,"name":"ana"}',
    '{"type":"text","room":7,"text":"the quick brown fox jumps over the lazy dog"}',
    '{"type":"text","room":7,"text":"the quick brown fox jumps over the lazy cat"}',
    b"\x00\x01\x02" * 100,
]


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def talk(client_extensions, server_extensions, conversation, handler=echo, **options):
    options = {"compression": None, "ping_interval": None, **options}
    serving = {**options, "server_header": "chat"}
    async with serve(handler, "127.0.0.1", 9000, extensions=server_extensions, **serving):
        async with connect(URL, extensions=client_extensions, user_agent_header="chat", **options) as socket:
            await conversation(socket)


async def exchange(socket):
    for message in TALK:
        await socket.send(message)
        await socket.recv()
    # One message of three fragments; compressed first, where compression was agreed.
    await socket.send(["fragments of ", "a message that ", "was compressed as a whole"])
    await socket.recv()
    await (await socket.ping(b"are you there?"))


def record(name, note, *arguments, **options):
    with recording(name, note, "tcp port 9000"):
        asyncio.run(talk(*arguments, **options))


BETWEEN = "Python's websockets as client and server over loopback: text, binary, a message in fragments, a ping. "
record("websockets-plain", BETWEEN + "No extension.", None, None, exchange)
record("websockets-deflate", BETWEEN + "permessage-deflate, both sides keep their context.", [ClientDeflate()], [ServerDeflate()], exchange)
record(
    "websockets-deflate-server-no-takeover",
    BETWEEN + "permessage-deflate; `server_no_context_takeover` alone.",
    [ClientDeflate(server_no_context_takeover=True)], [ServerDeflate()], exchange)
record(
    "websockets-deflate-no-takeover-9-bits",
    BETWEEN + "permessage-deflate; neither side keeps its context, windows of 9 bits.",
    [ClientDeflate(server_no_context_takeover=True, client_no_context_takeover=True, server_max_window_bits=9, client_max_window_bits=9)],
    [ServerDeflate()], exchange)
record(
    "websockets-deflate-client-12-bits",
    BETWEEN + "permessage-deflate; the server asks the client for a window of 12 bits.",
    [ClientDeflate(client_max_window_bits=True)], [ServerDeflate(client_max_window_bits=12)], exchange)


async def heartbeat(socket):
    """Pings of both sides while the talk rests."""
    await socket.send("a talk that rests")
    await asyncio.sleep(0.7)
    await socket.recv()


record(
    "websockets-heartbeat",
    "Python's websockets as client and server over loopback: both send a ping every 0.2 s while the talk rests.",
    None, None, heartbeat, ping_interval=0.2)


def closes_with(code, reason):
    async def handler(socket):
        await socket.recv()
        await socket.close(code, reason)

    return handler


async def until_closed(socket):
    await socket.send("how does it end?")
    await socket.wait_closed()


async def every_end():
    for code, reason in [(1000, "bye"), (1001, "going away"), (1008, "not here"), (1011, "something broke"), (1012, "restart"), (4321, "")]:
        await talk(None, None, until_closed, handler=closes_with(code, reason))

    async def client_ends(socket):
        await socket.send("too much")
        await socket.recv()
        await socket.close(1001, "the page is gone")

    await talk(None, None, client_ends)

    # The server takes 64 bytes at most and answers 1009 to more.
    async def too_big(socket):
        await socket.send("x" * 65)
        await socket.wait_closed()

    await talk(None, None, too_big, max_size=64)


with recording(
    "websockets-close-codes",
    "Python's websockets as client and server over loopback, one connection for each way to end: 1000, 1001, 1008, 1011, 1012 and 4321 by "
    "the server, 1001 by the client, 1009 for a message over the limit.",
    "tcp port 9000",
):
    asyncio.run(every_end())
