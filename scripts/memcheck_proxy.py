#!/usr/bin/env python3
"""One session through a proxy that runs under valgrind, for memcheck.sh.

memcheck_proxy.py plain|tls FOLDER -- COMMAND...: COMMAND is the program with what checks it. A server of WebSocket and HTTP answers on
loopback, the proxy relays to it, a client talks through both; then the proxy is interrupted. Exit status: the proxy's, 1 where the talk went
wrong, 0 where both went well.
"""

import base64
import hashlib
import re
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = base64.b64encode(b"0123456789abcdef")
# Short, of 16 bits, and of 64 bits of length.
MESSAGES = [b'{"say":"hello"}', b"tea " * 500, b"a longer text " * 8_000]
WAIT = 120


def frame(opcode, payload, mask=b""):
    """A whole frame; masked where there is a mask."""
    bit, count = 0x80 if mask else 0, len(payload)
    if count < 126:
        head = bytes([0x80 | opcode, bit | count])
    elif count < 65_536:
        head = bytes([0x80 | opcode, bit | 126]) + count.to_bytes(2, "big")
    else:
        head = bytes([0x80 | opcode, bit | 127]) + count.to_bytes(8, "big")
    if mask:
        payload = bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
    return head + mask + payload


def read_frame(file):
    """Opcode and unmasked payload of the next frame."""
    head = file.read(2)
    if len(head) < 2:
        raise EOFError("the connection ended inside a session")
    count = head[1] & 0x7F
    if count >= 126:
        count = int.from_bytes(file.read(2 if count == 126 else 8), "big")
    mask = file.read(4) if head[1] & 0x80 else b""
    payload = file.read(count)
    return head[0] & 0xF, bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload)) if mask else payload


def read_head(file):
    """The lines of a head, up to the empty one."""
    lines = []
    while (line := file.readline().strip()):
        lines.append(line)
    return lines


def serve(connection):
    file = connection.makefile("rb")
    while (head := read_head(file)):
        if not any(line.lower() == b"upgrade: websocket" for line in head):
            body = b"served " * 300
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            continue
        accept = base64.b64encode(hashlib.sha1(KEY + GUID).digest())
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n" % accept)
        while True:
            opcode, payload = read_frame(file)
            connection.sendall(frame(0xA if opcode == 9 else opcode, payload))
            if opcode == 8:
                break
        break
    connection.close()


def accept(listener, context):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


def talk(port, tls):
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT)
    if tls:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = context.wrap_socket(connection, server_hostname="localhost")
    file = connection.makefile("rb")
    for path in (b"/", b"/tea?size=2"):
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n" % path)
        head = read_head(file)
        length = next(int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length"))
        assert len(file.read(length)) == length
    connection.sendall(
        b"GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: %s\r\n\r\n" % KEY)
    assert read_head(file)[0].startswith(b"HTTP/1.1 101")
    for opcode, payload in [(1, message) for message in MESSAGES] + [(9, b"beat")]:
        connection.sendall(frame(opcode, payload, b"\x37\xfa\x21\x3d"))
        assert read_frame(file) == (0xA if opcode == 9 else opcode, payload)
    connection.sendall(frame(8, b"\x03\xe8bye", b"\x01\x02\x03\x04"))
    assert read_frame(file)[0] == 8
    connection.close()


def main():
    way, folder, separator, *command = sys.argv[1:]
    assert separator == "--" and way in ("plain", "tls")
    context = None
    if way == "tls":
        certificate = os.path.join(folder, "server.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", certificate + ".key", "-out", certificate],
            check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate + ".key")
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(listener, context), daemon=True).start()
    scheme = "https" if context else "http"
    options = ["--upstream-ca", certificate, "--ca-folder", os.path.join(folder, "ca")] if context else []
    proxy = subprocess.Popen(
        command + ["proxy", "--mode", f"reverse:{scheme}://localhost:{listener.getsockname()[1]}", "--listen", "127.0.0.1:0",
                   "--format", "ndjson", "--decoded", "--log", os.path.join(folder, f"proxy-{way}.ndjson")] + options,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told, port, records = [], None, []
    for line in proxy.stderr:
        told.append(line)
        # The line that names the address it listens on.
        if found := re.search(rb"127\.0\.0\.1:(\d+)", line):
            port = int(found.group(1))
            break
    threading.Thread(target=lambda: told.extend(proxy.stderr), daemon=True).start()
    reader = threading.Thread(target=lambda: records.extend(proxy.stdout), daemon=True)
    reader.start()
    wrong = None
    try:
        if port is None:
            raise EOFError("the proxy did not say where it listens")
        talk(port, way == "tls")
        talk(port, way == "tls")
    except (OSError, EOFError, AssertionError, StopIteration, ValueError) as error:
        wrong = repr(error)
    proxy.send_signal(signal.SIGINT)
    status = proxy.wait(timeout=WAIT)
    reader.join(timeout=WAIT)
    messages = sum(b'"kind":"message"' in record for record in records)
    if not wrong and messages != 4 * len(MESSAGES):
        wrong = f"{messages} messages in the records, {4 * len(MESSAGES)} were sent"
    if wrong:
        print(wrong, b"".join(told).decode(errors="replace"), file=sys.stderr)
        sys.exit(1)
    # An interrupted proxy has done what it was asked to.
    sys.exit(0 if status in (0, 130) else 99 if status == 99 else 1)


main()
