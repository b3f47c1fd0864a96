#!/usr/bin/env python3
"""run_servers.py CERTIFICATE [ADDRESS]: a word, a page and a WebSocket echo, plain and with TLS. Says `listening PORT` of the plain one, then the port
of the other in a line of its own, and ends with its standard input."""

import asyncio
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.http11 import Response

PAGE = """<!doctype html><title>talk</title><body><p>nothing yet</p><img src="/hold"><script>
const say = text => document.querySelector('p').textContent = text;
const talk = url => new Promise((done, failed) => {
  const socket = new WebSocket(url);
  socket.onopen = () => socket.send('hello');
  socket.onmessage = event => { socket.close(); done(event.data); };
  socket.onerror = () => failed('no WebSocket');
});
(async () => {
  try {
    const word = await (await fetch('/word')).text();
    say(word + ' ' + await talk('wss://' + location.host + '/echo'));
  } catch (error) { say(String(error)); }
  fetch('/done');
})();
</script>"""


DONE = asyncio.Event()


async def page(connection, request):
    if request.path.startswith("/echo"):
        return None
    if request.path == "/done":
        DONE.set()
    # A browser is not done with a page before it has all of its images.
    if request.path == "/hold":
        await asyncio.wait_for(DONE.wait(), 20)
    body = (PAGE if request.path == "/page" else "the word").encode()
    kind = "text/html" if request.path == "/page" else "text/plain"
    return Response(200, "OK", Headers([("Content-Type", kind), ("Content-Length", str(len(body))), ("Connection", "close")]), body)


async def talk(connection):
    async for message in connection:
        await connection.send("heard: " + message)


async def main(certificate, address):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with serve(talk, address, 0, process_request=page) as plain, serve(talk, address, 0, process_request=page, ssl=context) as secure:
        print("listening", plain.sockets[0].getsockname()[1], flush=True)
        print(secure.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    import logging

    logging.basicConfig(level=logging.CRITICAL)
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"))
