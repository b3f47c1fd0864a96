#!/usr/bin/env python3
"""A talk that is full of secrets, between aiohttp as the server and aiohttp as the client: a login by form, a token in a query, cookies, and a WebSocket.

Says `listening PORT`; then hears the proxy's port, has the talk through it, and prints what the client got, one word a line.
"""

import asyncio
import sys

from messaging_talks import library

SECRET = "hunter2-of-the-test"


async def main():
    web = library("aiohttp.web")

    async def login(request):
        form = await request.post()
        assert form["password"] == SECRET
        response = web.json_response({"access_token": SECRET, "user": "ada"})
        response.set_cookie("sid", SECRET)
        return response

    async def room(request):
        assert request.query["token"] == SECRET and request.cookies["sid"] == SECRET
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data)
        return socket

    app = web.Application()
    app.router.add_post("/login", login)
    app.router.add_get("/room", room)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print("listening", site._server.sockets[0].getsockname()[1], flush=True)

    port = int(await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline))
    # Of an address a client of aiohttp takes no cookies unless told.
    jar = library("aiohttp").CookieJar(unsafe=True)
    async with library("aiohttp").ClientSession(cookie_jar=jar) as session:
        base = f"http://127.0.0.1:{port}"
        answer = await session.post(base + "/login", data={"user": "ada", "password": SECRET}, headers={"X-Api-Key": SECRET})
        print("login", str((await answer.json())["access_token"] == SECRET).lower(), flush=True)
        async with session.ws_connect(f"{base}/room?token={SECRET}", headers={"Authorization": "Bearer " + SECRET}) as socket:
            await socket.send_str('{"type":"auth","password":"%s"}' % SECRET)
            print("echo", str(SECRET in (await socket.receive()).data).lower(), flush=True)
            await socket.close(code=4001, message=b"password=" + SECRET.encode())
    await runner.cleanup()
    print("over", flush=True)


asyncio.run(main())
