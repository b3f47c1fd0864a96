"""One client of Python's http.client that asks two servers through one HTTP proxy connection. The first server sends what it was not asked
for; the line of each case says what the client took for the second server's response, and whether the first one heard of it.

It says `listening 0`, hears `{"port": …}` of the proxy on standard input, and prints a line for each case.
"""

import http.client
import json
import socket
import sys
import threading

EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
CASES = {
    # method, further header fields, what the first server sends to its first request
    "unasked 101": ("GET", {}, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
    "unasked 101 and more": ("GET", {}, b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + EVIL),
    "asked 101": (
        "GET", {"Connection": "Upgrade", "Upgrade": "websocket"},
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n",
    ),
    "two responses": ("GET", {}, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + EVIL),
    "body after HEAD": ("HEAD", {}, b"HTTP/1.1 200 OK\r\nContent-Length: 47\r\n\r\n" + EVIL),
    "body after 204": ("GET", {}, b"HTTP/1.1 204 No Content\r\n\r\n" + EVIL),
    "body after 304": ("GET", {}, b"HTTP/1.1 304 Not Modified\r\n\r\n" + EVIL),
    "two chunked": ("GET", {}, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + EVIL),
}


class Server:
    """Answers each connection with `first`, then whatever comes with `then`, and keeps what it hears."""

    def __init__(self, first, then):
        self.heard = b""
        self.first, self.then = first, then
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.talk, args=[connection], daemon=True).start()

    def talk(self, connection):
        answer = self.first
        while True:
            try:
                data = connection.recv(65536)
                if not data:
                    return connection.close()
                self.heard += data
                connection.sendall(answer)
            except OSError:
                return
            answer = self.then


def ask(connection, method, url, headers):
    connection.request(method, url, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def run(name, proxy):
    method, headers, answer = CASES[name]
    evil = Server(answer, EVIL)
    honest = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhonest", b"")
    connection = http.client.HTTPConnection("127.0.0.1", proxy, timeout=20)
    first, _ = ask(connection, method, f"http://127.0.0.1:{evil.port}/", headers)
    secret = {"Cookie": "secret", "Proxy-Authorization": "Basic c2VjcmV0"}
    for _ in range(3):
        try:
            _, body = ask(connection, "GET", f"http://127.0.0.1:{honest.port}/", secret)
            break
        except (OSError, http.client.HTTPException):
            # As every client does whose connection was closed meanwhile.
            connection.close()
    else:
        body = b"nothing"
    leaked = b"secret" in evil.heard or b"c2VjcmV0" in evil.heard
    print(f"{name}: {first}, then {body.decode()}{', leaked' if leaked else ''}", flush=True)


print("listening 0", flush=True)
port = json.loads(sys.stdin.readline())["port"]
for case in CASES:
    run(case, port)
