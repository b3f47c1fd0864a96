#!/usr/bin/env python3
"""Chromium, headless, with the proxy in its settings and the authority in its trust store: ws://, wss:// and fetch() as without a proxy.

The page is asked for through the proxy itself. Chromium leaves loopback out of its proxy settings unless it is told otherwise.
"""

import asyncio
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import comparison

try:
    from websockets.asyncio.server import serve
    from websockets.datastructures import Headers
    from websockets.http11 import Response
except ImportError:
    serve = None

PAGE = """<!doctype html><meta charset="utf-8"><title>talk</title><script>
const talk = (url, seen) => new Promise(done => {
  const socket = new WebSocket(url);
  socket.onopen = () => { seen.push(["open", socket.extensions]); socket.send("grüße"); };
  socket.onmessage = event => {
    seen.push(["message", event.data.length, event.data.slice(0, 20)]);
    if (event.data.length < 100) socket.send("x".repeat(100000)); else socket.close(4000, "enough");
  };
  socket.onerror = () => seen.push(["error"]);
  socket.onclose = event => { seen.push(["close", event.code, event.reason, event.wasClean]); done(); };
});
const dropped = (url, seen) => new Promise(done => {
  const socket = new WebSocket(url);
  socket.onclose = event => { seen.push(["dropped", event.code, event.wasClean]); done(); };
});
(async () => {
  const seen = [];
  const secure = "localhost:%SECURE%", plain = "localhost:%PLAIN%";
  try {
    seen.push(["fetch", await (await fetch("http://" + plain + "/word")).text()]);
    seen.push(["fetch", await (await fetch("https://" + secure + "/word")).text()]);
  } catch (error) { seen.push(["fetch failed", String(error)]); }
  await talk("ws://" + plain + "/echo", seen);
  await talk("wss://" + secure + "/echo", seen);
  await dropped("ws://" + plain + "/drop", seen);
  await dropped("wss://" + secure + "/drop", seen);
  await fetch("http://" + plain + "/seen?" + encodeURIComponent(JSON.stringify(seen)));
})();
</script>"""


class Site:
    """The pages and the WebSockets, once plain and once with TLS."""

    def __init__(self):
        self.seen = asyncio.Queue()
        self.ports = {}

    def page(self, connection, request):
        path = request.path
        if path.startswith(("/echo", "/drop")):
            return None
        if path.startswith("/seen?"):
            from urllib.parse import unquote

            self.seen.put_nowait(json.loads(unquote(path.removeprefix("/seen?"))))
        body = PAGE.replace("%PLAIN%", str(self.ports["plain"])).replace("%SECURE%", str(self.ports["secure"])) if path == "/" else "the word"
        headers = Headers([
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body.encode()))), ("Access-Control-Allow-Origin", "*"),
            ("Connection", "close")])
        return Response(200, "OK", headers, body.encode())

    async def talk(self, connection):
        if connection.request.path == "/drop":
            connection.transport.abort()
            return
        async for message in connection:
            await connection.send(message)


def trusting(home, *authorities):
    """A home whose trust store has these certificates."""
    database = pathlib.Path(home, ".pki/nssdb")
    database.mkdir(parents=True)
    subprocess.run(["certutil", "-d", f"sql:{database}", "-N", "--empty-password"], check=True, capture_output=True, timeout=30)
    for number, authority in enumerate(authorities):
        command = ["certutil", "-d", f"sql:{database}", "-A", "-t", "C,,", "-n", f"authority {number}", "-i", str(authority)]
        subprocess.run(command, check=True, capture_output=True, timeout=30)


async def browse(it, program, site, name, authority, *options):
    home = pathlib.Path(it.folder, f"home-{name}")
    home.mkdir()
    trusting(home, authority)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(home), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", f"--user-data-dir={home}/data", *options,
               f"http://localhost:{site.ports['plain']}/"]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return await asyncio.wait_for(site.seen.get(), 60)
    except asyncio.TimeoutError:
        return "nothing was heard from the page"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def compare(it):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program or not shutil.which("certutil") or not serve:
        raise comparison.Skipped("Chromium through the proxy (there is no chromium, no certutil, or no websockets of 14 or later)")

    async def play():
        site = Site()
        options = dict(process_request=site.page, ping_interval=None, close_timeout=2)
        secure = it.certificates.server_context()
        async with serve(site.talk, "127.0.0.1", 0, **options) as one, serve(site.talk, "127.0.0.1", 0, ssl=secure, **options) as other:
            site.ports = {"plain": one.sockets[0].getsockname()[1], "secure": other.sockets[0].getsockname()[1]}
            without = await browse(it, program, site, "direct", it.certificates.authority, "--no-proxy-server")
            it.same("the page heard everything", ["fetch", "fetch"] + ["open", "message", "message", "close"] * 2 + ["dropped"] * 2,
                    [entry[0] for entry in without])
            for mode, scheme in (("http", "http"), ("socks5", "socks5")):
                proxy = await asyncio.get_running_loop().run_in_executor(None, it.proxy, mode)
                try:
                    through = await browse(it, program, site, mode, proxy.authority, f"--proxy-server={scheme}://127.0.0.1:{proxy.port}",
                                           "--proxy-bypass-list=<-loopback>")
                finally:
                    await asyncio.get_running_loop().run_in_executor(None, proxy.__exit__)
                it.same(f"Chromium through {mode}", without, through)
                it.same(f"the log of {mode} has its upgrades", 4, sum(record["kind"] == "upgrade" for record in it.records(proxy)))

    asyncio.run(asyncio.wait_for(play(), 240))


if __name__ == "__main__":
    import logging

    logging.basicConfig(level=logging.CRITICAL)
    sys.exit(comparison.main(compare))
