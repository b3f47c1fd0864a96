"""A WebSocket over HTTP/2 (RFC 8441) of a page in Chromium, served by hypercorn with TLS."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

APPLICATION = '''
"""A page, what it reports, and a WebSocket: text comes back in capitals, bytes in reverse."""
import asyncio, json, pathlib

HERE = pathlib.Path(__file__).parent
PAGE = (HERE / "page.html").read_bytes()


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if scope["type"] == "http":
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message.get("body", b""), message.get("more_body", False)
        if scope["path"] == "/seen":
            (HERE / "seen.json.new").write_bytes(body)
            (HERE / "seen.json.new").rename(HERE / "seen.json")
        answer = PAGE if scope["path"] == "/" else body.upper()
        kind = b"text/html; charset=utf-8" if scope["path"] == "/" else b"text/plain"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        await send({"type": "http.response.body", "body": answer})
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept", "subprotocol": "chat"})
        while (message := await receive())["type"] == "websocket.receive":
            if message.get("text") is not None:
                await send({"type": "websocket.send", "text": message["text"].upper()})
            else:
                await send({"type": "websocket.send", "bytes": message["bytes"][::-1]})
'''

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>talk</title><script>
const seen = [];
const talk = path => new Promise(done => {
  const socket = new WebSocket("wss://" + location.host + path, ["other", "chat"]);
  const says = ["grüß dich", new Uint8Array([0, 1, 2, 253, 254, 255]), "x".repeat(20000), ""];
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { seen.push(["open", socket.protocol, socket.extensions]); socket.send(says.shift()); };
  socket.onmessage = event => {
    seen.push(["message", typeof event.data === "string" ? event.data.slice(0, 20) : Array.from(new Uint8Array(event.data))]);
    // The server of this talk loses the connection where a stream is reset under its Close frame, as Chromium does.
    if (says.length) socket.send(says.shift()); else socket.close(4001, "good night");
  };
  socket.onerror = () => seen.push(["error"]);
  socket.onclose = event => { seen.push(["close", event.code, event.reason, event.wasClean]); done(); };
});
(async () => {
  await talk("/one");
  await Promise.all([talk("/two"), fetch("/echo", {method: "POST", body: "a body beside it"}).then(answer => answer.text())]);
  await fetch("/seen", {method: "POST", body: JSON.stringify(seen)});
})();
</script>"""

ANSWERS = [["message", "GRÜSS DICH"], ["message", [255, 254, 253, 2, 1, 0]], ["message", "X" * 20], ["message", ""]]


def prepare(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "page.html").write_text(PAGE)
    (folder / "application.py").write_text(APPLICATION)
    return folder


@contextlib.contextmanager
def hypercorn(folder, port, certificate, key=None):
    """Serves the page over TLS, HTTP/2 and HTTP/1.1."""
    folder = prepare(folder)
    command = [sys.executable, "-m", "hypercorn", "--bind", f"127.0.0.1:{port}", "--certfile", str(certificate), "--keyfile",
               str(key or certificate), "application:app"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def browse(program, folder, home, url, keys=None, *options, seconds=60):
    """Opens the page, and gives what it reports; the browser has a home and a profile of its own."""
    report = pathlib.Path(folder, "seen.json")
    report.unlink(missing_ok=True)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(home), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-quic", f"--user-data-dir={home}/data", *options]
    command += [f"--ssl-key-log-file={keys}"] if keys else []
    process = subprocess.Popen(
        [*command, url], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        deadline = time.monotonic() + seconds
        while not report.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        if not report.exists():
            return "nothing was heard from the page"
        # The answer to the report is under way.
        time.sleep(0.3)
        return json.loads(report.read_text())
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
