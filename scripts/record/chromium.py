#!/usr/bin/env python3
"""Headless Chromium opens WebSockets from a page; Python's websockets answers."""

import asyncio
import http
import tempfile

from recording import browser, recording, running
from websockets.asyncio.server import serve
from websockets.http11 import Response
from websockets.datastructures import Headers

PAGE = """<!doctype html><title>chat</title><script>
const talk = (path, protocols) => new Promise((done) => {
  const socket = new WebSocket(`ws://${location.host}${path}`, protocols);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    socket.send(JSON.stringify({type: "join", room: 7, name: "ana"}));
    socket.send("grüß dich 👋 ".repeat(40));
    socket.send(new Uint8Array([0, 1, 2, 253, 254, 255]));
    socket.send("");
  };
  socket.onmessage = (event) => {
    if (event.data === "enough") socket.close(...(path === "/mine" ? [4001, "moved on"] : []));
  };
  socket.onclose = (event) => done();
});
(async () => {
  await talk("/room/7", ["chat.v2", "chat.v1"]);
  await talk("/mine");
  await fetch("/done");
})();
</script>
"""


async def chat(socket):
    await socket.send('{"type":"history","messages":[{"from":"ben","text":"good morning"}]}')
    for number in range(4):
        message = await socket.recv()
        if number < 3:
            await socket.send(message)
    pong = await socket.ping(b"hb-1")
    await pong
    if socket.request.path == "/mine":
        await socket.send("enough")
        await socket.wait_closed()
    else:
        await socket.send(["a message ", "in three ", "fragments"])
        await socket.close(1000, "good night")


async def main():
    done = asyncio.Event()

    def page(connection, request):
        if request.path == "/done":
            done.set()
        if "Upgrade" in request.headers:
            return None
        body = PAGE.encode() if request.path == "/" else b""
        status = http.HTTPStatus.OK if body else http.HTTPStatus.NO_CONTENT
        headers = Headers({"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"})
        return Response(status.value, status.phrase, headers, body)

    def choose(connection, offered):
        return "chat.v2" if "chat.v2" in offered else None

    async with serve(chat, "127.0.0.1", 8080, select_subprotocol=choose, process_request=page, server_header="chat"):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            with running(
                browser(), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--no-first-run",
                "--disable-background-networking", "http://127.0.0.1:8080/", stderr=-3, stdout=-3,
            ):
                await asyncio.wait_for(done.wait(), 60)
                await asyncio.sleep(0.2)


NOTE = """
Headless Chromium loads a page from Python's websockets (asyncio server) and opens two WebSockets from it: permessage-deflate, text,
an empty text, binary, a ping by the server, a fragmented message; one closed by the server with 1000, one by the page with 4001 and a reason.
"""
with recording("chromium-websocket", NOTE, "tcp port 8080"):
    asyncio.run(main())
