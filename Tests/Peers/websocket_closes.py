#!/usr/bin/env python3
"""Ends WebSocket conversations between Python's websockets on both sides, and prints what each library told its program.

One line of JSON a style. Run it without a proxy and with one: the lines have to be equal. How it is started: see close_styles.py.
"""

import argparse
import asyncio
import json
import logging
import os
import signal
import ssl
import sys
import tempfile

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

import certificates
import ways

PATIENCE = 10


def told(error):
    """What the exception says: its kind, and the Close frames in the order in which they went."""
    def words(close):
        return None if close is None else f"{int(close.code)} {close.reason}"

    return {"exception": type(error).__name__, "received": words(error.rcvd), "sent": words(error.sent), "first": error.rcvd_then_sent}


async def listen(connection, report):
    try:
        async for message in connection:
            report["messages"].append(message if len(message) < 100 else len(message))
        report["messages"].append("end")
        error = connection.protocol.close_exc
    except ConnectionClosed as closed:
        error = closed
    report.update(told(error))


# MARK: the styles: `one` does it, both listen

async def close_normally(one):
    await one.close()


async def close_with_a_code_of_its_own(one):
    await one.close(4001, "grüße, und bis bald")


async def drop_the_connection(one):
    one.transport.abort()


async def finish_without_a_close(one):
    one.transport.write_eof() if one.transport.can_write_eof() else one.transport.abort()


async def send_what_is_no_text(one):
    """Invalid UTF-8 in a text: the other side says 1007."""
    key = b"\1\2\3\4" if one.protocol.side.name == "CLIENT" else b""
    body = b"\xff\xfe\xfd\xfc"
    if key:
        body = bytes(byte ^ mask for byte, mask in zip(body, key))
    one.transport.write(bytes([0x81, 4 | (0x80 if key else 0)]) + key + body)


async def send_too_much(one):
    """Over what the other side takes: it says 1009."""
    await one.send("x" * 100_000)


async def cancel_in_a_fragment(one):
    """Half a message, and then a Close: legal, and the message is lost."""
    async def halves():
        yield "the beginning"
        await one.close(1001, "no time")

    try:
        await one.send(halves())
    except ConnectionClosed:
        pass


STYLES = [close_normally, close_with_a_code_of_its_own, drop_the_connection, finish_without_a_close, send_what_is_no_text, send_too_much,
          cancel_in_a_fragment]


class Stage:
    def __init__(self, way, target, tls):
        self.way, self.target, self.tls = way, target, tls
        self.arrived = asyncio.Queue()
        self.finished = asyncio.Event()

    async def serve(self, connection):
        self.arrived.put_nowait(connection)
        await self.finished.wait()

    async def dial(self):
        address = ("127.0.0.1", self.way.get("port") or self.target[1])
        sock = await asyncio.get_running_loop().run_in_executor(None, ways.dial, self.way["way"], address, self.target)
        options = {"ssl": self.tls, "server_hostname": "localhost"} if self.tls else {}
        return await connect(
            f"{'wss' if self.tls else 'ws'}://localhost:{self.target[1]}/", sock=sock, ping_interval=None, close_timeout=3,
            max_size=50_000, **options)

    async def play(self, style, actor):
        self.finished = asyncio.Event()
        client = await self.dial()
        server = await asyncio.wait_for(self.arrived.get(), PATIENCE)
        await client.send("from the client")
        await server.send("from the server")
        reports = {"client": {"messages": []}, "server": {"messages": []}}
        listening = [asyncio.create_task(listen(client, reports["client"])), asyncio.create_task(listen(server, reports["server"]))]
        # Both have heard the other before one of them ends it.
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while not (reports["client"]["messages"] and reports["server"]["messages"]):
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(0.005)
        await style(client if actor == "client" else server)
        done, late = await asyncio.wait(listening, timeout=PATIENCE)
        for task in late:
            task.cancel()
        self.finished.set()
        client.transport.abort()
        name = style.__name__.replace("_", " ") + f" by the {actor}"
        print(json.dumps({"style": name, "late": len(late), **reports}, ensure_ascii=False), flush=True)


async def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tls", action="store_true")
    arguments = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = certificates.Certificates(folder) if arguments.tls else None
        stage = Stage({"way": "direct"}, None, None)
        context = made.server_context() if made else None
        async with serve(stage.serve, "127.0.0.1", 0, ssl=context, ping_interval=None, close_timeout=3, max_size=50_000) as server:
            port = server.sockets[0].getsockname()[1]
            print("listening", port, *([made.authority] if made else []), flush=True)
            way = json.loads(await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline))
            stage.way, stage.target = way, ("localhost", port)
            stage.tls = certificates.client_context(way.get("authority") or made.authority) if made else None
            for style in STYLES:
                for actor in ("client", "server"):
                    await stage.play(style, actor)
            sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    logging.basicConfig(level=logging.CRITICAL)
    asyncio.run(main())
