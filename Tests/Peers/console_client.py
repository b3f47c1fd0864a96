"""What talks to a web console: the program itself, requests, and a WebSocket, with nothing but the standard library."""

import base64
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time

PATIENCE = 30


class Console:
    """A run of the program that prints the URL of its console."""

    def __init__(self, program, *arguments, lines=1, **options):
        self.process = subprocess.Popen([program, *arguments], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, **options)
        self.said = ""
        while not (found := re.search(r"console at http://([^/\s]+)/#([0-9a-f]{32})\n", self.said)):
            self.hear()
        self.host, self.token = found.groups()
        for _ in range(lines - 1):
            self.hear()

    def hear(self):
        line = self.process.stderr.readline().decode()
        if not line:
            raise SystemExit(f"failed: the program ended with {self.process.wait()}: {self.said}")
        self.said += line

    @property
    def port(self):
        return int(self.host.rsplit(":", 1)[1])

    def request(self, path, body=None, method=None, headers=None):
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        fields = {"Authorization": f"Bearer {self.token}"} if headers is None else headers
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method or ("GET" if body is None else "POST"), path, data, fields)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, response.headers, content

    def json(self, path, body=None):
        status, _, content = self.request(path, body)
        return status, json.loads(content)

    def view(self, **wanted):
        """The rows of a view, when its scan has come to the end of what there is."""
        status, made = self.json("/api/views", wanted)
        if status != 200:
            return made
        rows, deadline = [], time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            _, page = self.json(f"/api/views/{made['view']}/rows?from=0&count=0")
            if page["scanned"] >= page["rows"]:
                break
        while len(rows) < page["total"]:
            _, part = self.json(f"/api/views/{made['view']}/rows?from={len(rows)}&count=500")
            rows += part["list"]
        self.json(f"/api/views/{made['view']}/close", {})
        return rows

    def finished(self):
        deadline = time.monotonic() + PATIENCE
        while not self.json("/api/state")[1]["finished"] and time.monotonic() < deadline:
            pass
        return self

    def raw(self, data, patience=5):
        """What comes back for some bytes until the other side ends, and whether it did."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.settimeout(patience)
            answer = b""
            try:
                connection.sendall(data)
            except OSError:
                pass
            try:
                while part := connection.recv(65_536):
                    answer += part
                return answer, True
            except TimeoutError:
                return answer, False
            except OSError:
                return answer, True

    def memory(self):
        status = open(f"/proc/{self.process.pid}/status", encoding="ascii").read()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "never"
        self.said += self.process.stderr.read().decode()
        self.process.stderr.close()
        return status


class Live:
    """A WebSocket of the console."""

    def __init__(self, console, origin, path="/api/live", more="", room=None):
        self.socket = socket.socket()
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.connect(("127.0.0.1", console.port))
        self.socket.settimeout(PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        head = f"GET {path} HTTP/1.1\r\nHost: {console.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{more}"
        self.socket.sendall((head + (f"Origin: {origin}\r\n" if origin is not None else "") + "\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest and (part := self.socket.recv(4_096)):
            self.rest += part
        self.status = int(self.rest.split(b" ", 2)[1]) if self.rest else 0
        self.rest = self.rest.partition(b"\r\n\r\n")[2]

    def say(self, data, opcode=1, masks=True, first=0x80):
        data = data if isinstance(data, bytes) else json.dumps(data).encode()
        mask = os.urandom(4)
        head = bytes([first | opcode])
        marked = 0x80 if masks else 0
        head += bytes([marked | len(data)]) if len(data) < 126 else bytes([marked | 126]) + struct.pack(">H", len(data))
        body = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)) if masks else data
        try:
            self.socket.sendall(head + (mask if masks else b"") + body)
        except OSError:
            pass

    def take(self, count):
        while len(self.rest) < count:
            if not (part := self.socket.recv(4_096)):
                raise EOFError
            self.rest += part
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def hear(self):
        """Opcode and content of the next frame; None at the end."""
        try:
            first, length = self.take(2)
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            return first & 15, self.take(length)
        except (EOFError, OSError):
            return None


def scratch():
    return tempfile.TemporaryDirectory(prefix="unmask-console-test-")
