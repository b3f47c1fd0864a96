#!/usr/bin/env python3
"""HTTP/2 in the clear: nghttp and nghttpd, curl and nginx, a WebSocket in a stream.

Needs nghttp2-client and nghttp2-server, nginx and curl; and of PyPI h2, hypercorn and wsproto."""

import pathlib
import socket
import subprocess
import sys
import tempfile

import h2.config
import h2.connection
import h2.events
from recording import recording, running
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.extensions import PerMessageDeflate

NGINX = """
daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log; user root;
events {{ worker_connections 64; }}
http {{
  access_log off; types {{ text/html html; text/plain txt; }} gzip on; gzip_min_length 10;
  server {{ listen 127.0.0.1:8080 http2; root {root}/www; location /form {{ return 405 "no forms here\\n"; }} }}
}}
"""

APPLICATION = '''
async def app(scope, receive, send):
    """A body comes back; so does a message, text in capitals and bytes in reverse."""
    if scope["type"] == "http":
        message = await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": message["body"]})
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept", "subprotocol": "chat"})
        while (message := await receive())["type"] == "websocket.receive":
            if message.get("text") == "bye":
                return await send({"type": "websocket.close", "code": 1000, "reason": "bye"})
            if message.get("text") is not None:
                await send({"type": "websocket.send", "text": message["text"].upper()})
            else:
                await send({"type": "websocket.send", "bytes": message["bytes"][::-1]})
'''


def pages(root):
    www = root / "www"
    www.mkdir()
    (www / "index.html").write_text("<!doctype html><title>Start</title><p>Hello over HTTP/2.</p>\n")
    (www / "style.css").write_text("body { color: black }\n")
    (www / "large.txt").write_text("unmask " * 10_000)
    return www


def nghttp(root):
    note = "nghttp asks nghttpd: a request with a body and trailers, a push, padding, three streams of which one waits for window."
    server = ["nghttpd", "--no-tls", "-d", root, "-p/index.html=/style.css", "-b", "8", "--trailer=checksum: 7", "-a", "127.0.0.1", "8080"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running(*server, port=8080, **quiet), recording("http2-nghttp", note, "tcp port 8080"):
        url = "http://127.0.0.1:8080"
        subprocess.run(["nghttp", "-n", "--trailer=ends: yes", "-d", f"{root}/style.css", f"{url}/index.html"], check=True)
        subprocess.run(["nghttp", "-n", f"{url}/index.html", f"{url}/large.txt", f"{url}/missing"], check=True)


def curl(root):
    note = "curl asks nginx with prior knowledge: gzip, HEAD, 404, a POST that is refused."
    (root / "nginx.conf").write_text(NGINX.format(root=root))
    with running("nginx", "-c", root / "nginx.conf", port=8080), recording("http2-curl", note, "tcp port 8080"):
        for words in (["--compressed", "index.html"], ["--head", "large.txt"], ["missing"], ["--data", "a=b", "form"]):
            command = ["curl", "--silent", "--http2-prior-knowledge", *words[:-1], f"http://127.0.0.1:8080/{words[-1]}"]
            subprocess.run(command, stdout=subprocess.DEVNULL)


class Talk:
    """A WebSocket in a stream (RFC 8441), with a request beside it."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.authority = f"127.0.0.1:{port}"
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.http.initiate_connection()
        self.deflate = PerMessageDeflate()
        self.seen, self.replies, self.stream, self.messages = set(), [], None, None

    def flush(self):
        self.socket.sendall(self.http.data_to_send())

    def read_until(self, is_done):
        self.flush()
        while not is_done():
            for event in self.http.receive_data(self.socket.recv(65_536)):
                self.take(event)
            self.flush()

    def take(self, event):
        stream = getattr(event, "stream_id", 0)
        self.seen.add((type(event), stream))
        if isinstance(event, h2.events.ResponseReceived) and stream == self.stream:
            self.deflate.finalize(dict(event.headers)["sec-websocket-extensions"])
            self.messages = Connection(ConnectionType.CLIENT, extensions=[self.deflate])
        if isinstance(event, h2.events.DataReceived):
            self.http.acknowledge_received_data(event.flow_controlled_length, stream)
            if stream == self.stream and event.data:
                self.messages.receive_data(event.data)
                self.replies += self.messages.events()

    def ask(self, fields, body=None):
        stream = self.http.get_next_available_stream_id()
        self.http.send_headers(stream, [*fields[:3], (":scheme", "http"), (":authority", self.authority), *fields[3:]])
        if body:
            self.http.send_data(stream, body, end_stream=True)
        return stream

    def say(self, *messages):
        count = len(self.replies) + len(messages)
        for message in messages:
            self.http.send_data(self.stream, self.messages.send(message))
        self.read_until(lambda: len(self.replies) >= count)

    def hold(self):
        self.read_until(lambda: (h2.events.RemoteSettingsChanged, 0) in self.seen)
        offer = [("sec-websocket-version", "13"), ("sec-websocket-protocol", "chat")]
        offer.append(("sec-websocket-extensions", f"permessage-deflate; {self.deflate.offer()}"))
        self.stream = self.ask([(":method", "CONNECT"), (":protocol", "websocket"), (":path", "/chat"), *offer])
        self.read_until(lambda: (h2.events.ResponseReceived, self.stream) in self.seen)
        self.say(TextMessage("hello over a stream"))
        self.say(Ping(b"are you there"))
        other = self.ask([(":method", "POST"), (":path", "/echo")], b"a body beside it")
        self.say(BytesMessage(bytes(range(32))), TextMessage("hello over a stream " * 20))
        self.read_until(lambda: (h2.events.StreamEnded, other) in self.seen)
        self.say(TextMessage("bye"))
        [close] = [reply for reply in self.replies if isinstance(reply, CloseConnection)]
        self.http.send_data(self.stream, self.messages.send(close.response()), end_stream=True)
        self.read_until(lambda: (h2.events.StreamEnded, self.stream) in self.seen)
        self.http.close_connection()
        self.flush()
        self.socket.close()


def websocket(root):
    note = "A WebSocket in a stream of HTTP/2 between Python's h2 with wsproto and hypercorn, compressed, with a request beside it."
    (root / "application.py").write_text(APPLICATION)
    server = [sys.executable, "-m", "hypercorn", "-b", "127.0.0.1:8080", "application:app"]
    with running(*server, port=8080, cwd=root, stderr=subprocess.DEVNULL), recording("http2-websocket", note, "tcp port 8080"):
        Talk(8080).hold()


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    www = pages(root)
    nghttp(www)
    curl(root)
    websocket(root)
