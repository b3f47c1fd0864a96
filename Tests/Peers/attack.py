#!/usr/bin/env python3
"""Attacks a proxy of ours on loopback, and looks whether it still stands afterwards.

    attack.py PROGRAM sessions [--seconds S] [--seed N]    broken HTTP, SOCKS, TLS and STARTTLS sessions in every mode
    attack.py PROGRAM idle [--count N]                     so many connections that are open and say nothing
    attack.py PROGRAM disk                                 a log and a recording that cannot grow any further

After each: a session through every mode works, memory is within bounds, each line of the log is one record, each conversation is
opened once and closed once, and the proxy ends when it is asked to. Prints a line of figures; exit status 1 where something does not hold.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ways
from threaded import Server

MIB = 1 << 20
HTTP = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello"


class Proxy:
    """`unmask proxy` with a reverse, an HTTP and a SOCKS5 entrance, its log in a file."""

    MODES = ("reverse", "connect", "socks5")

    def __init__(self, program, server_port, folder, options=(), limit=None):
        self.folder = folder
        self.log = folder / "log.ndjson"

        def lower_limit():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        command = [program, "proxy", "--format", "ndjson", "--ca-folder", str(folder / "ca"), "--grace", "0", "--tls-timeout", "1"]
        for mode in (f"reverse:tcp://127.0.0.1:{server_port}", "http", "socks5", f"reverse:tls://localhost:{server_port}"):
            command += ["--mode", mode, "--listen", "127.0.0.1:0"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command + list(options), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE, preexec_fn=lower_limit)
        self.said = collections.deque(maxlen=200)
        self.ports = []
        while len(self.ports) < 4:
            line = self.process.stderr.readline().decode()
            self.said.append(line.rstrip())
            if not line:
                raise SystemExit(f"the proxy does not listen: {list(self.said)}")
            if "listening on" in line:
                self.ports += [int(port) for port in re.findall(r"(?:on |, )127\.0\.0\.1:(\d+) \(", line)]
        threading.Thread(target=lambda: [self.said.append(text.decode(errors="replace").rstrip()) for text in self.process.stderr], daemon=True).start()

    def memory(self, key):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
        return 0

    def address(self, mode):
        return ("127.0.0.1", self.ports[self.MODES.index(mode)])

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "it did not end"


def kind_server(peer):
    peer.settimeout(10)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = peer.recv(1)
        if not part:
            return
        head += part
    peer.sendall(HTTP)


def works(proxy, server):
    """Whether a session through each mode still brings what the server says."""
    server.talk = kind_server
    for mode in Proxy.MODES:
        with ways.dial(mode, proxy.address(mode), ("127.0.0.1", server.port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if ways.read_exactly(client, len(HTTP)) != HTTP:
                return f"{mode} brings something else"
    return None


def faults_of_log(path):
    """What is wrong with a log: lines that are no records, conversations that are not opened first and closed last."""
    states, faults = {}, []
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        faults.append("the last line has no end")
    for number, line in enumerate(data.splitlines(), 1):
        try:
            record = json.loads(line)
        except ValueError:
            faults.append(f"line {number} is no record: {line[:100]!r}")
            continue
        conversation, kind = record.get("conversation"), record["kind"]
        if conversation is None:
            continue
        state = states.get(conversation)
        expected = {"opened": None, "closed": "open"}.get(kind, "open")
        if state != expected:
            faults.append(f"line {number}: {kind} of conversation {conversation}, which is {state or 'not opened'}")
        states[conversation] = "closed" if kind == "closed" else "open"
    faults += [f"conversation {number} is never closed" for number, state in states.items() if state == "open"]
    return faults, len(states), len(data)


# Broken sessions

def client_hello(name="localhost", alpn=("h2", "http/1.1")):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(list(alpn))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        session.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def templates(port):
    target = b"127.0.0.1:%d" % port
    hello = client_hello()
    frame = b"\x81\x85\x01\x02\x03\x04" + bytes(a ^ b for a, b in zip(b"hello", b"\x01\x02\x03\x04\x01"))
    upgrade = (
        b"GET /chat HTTP/1.1\r\nHost: " + target + b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    get = b"GET http://" + target + b"/ HTTP/1.1\r\nHost: " + target + b"\r\nAccept: */*\r\n\r\n"
    post = (
        b"POST http://" + target + b"/x HTTP/1.1\r\nHost: " + target + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\nhello\r\n3;a=b\r\nabc\r\n0\r\nTrailer: 1\r\n\r\n")
    connect = b"CONNECT " + target + b" HTTP/1.1\r\nHost: " + target + b"\r\n\r\n"
    socks = b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", port)
    named = b"\x05\x02\x00\x02\x05\x01\x00\x03\x09localhost" + struct.pack(">H", port)
    talks = [
        get, get + get, post + get, connect + get, connect + hello, connect + upgrade + frame, upgrade + frame * 3, hello, socks + get,
        socks + hello, named + upgrade + frame, b"\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", b"\x04\x01" + struct.pack(">H", port) + b"\x7f\0\0\x01u\0",
        b"EHLO here\r\nSTARTTLS\r\n" + hello, b"a1 CAPABILITY\r\na2 STARTTLS\r\n" + hello, b"STLS\r\n" + hello,
        b"<stream:stream to='localhost' version='1.0'><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + hello,
        struct.pack(">II", 8, 80877103) + hello, b"AUTH TLS\r\n" + hello, b"\x16\x03\x01\xff\xff" + b"\x01" * 70000, b"", b"\r\n" * 40,
    ]
    answers = [
        HTTP, HTTP + HTTP, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x05hello\x88\x02\x03\xe8",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\nA\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\r\n0\r\n\r\n",
        b"220 mail\r\n250-here\r\n250 STARTTLS\r\n220 go\r\n", b"* OK imap\r\n* CAPABILITY STARTTLS\r\na1 OK\r\na2 OK go\r\n",
        b"<stream:features><starttls/></stream:features><proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", b"S", b"+OK\r\n+OK\r\n",
        b"\x16\x03\x03\x00\x31\x02\x00\x00\x2d\x03\x03" + bytes(40), b"\x15\x03\x03\x00\x02\x02\x28", b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + HTTP,
        b"HTTP/1.0 200\r\n\r\n" + b"x" * 100_000, b"",
    ]
    return talks, answers


def mutate(data, others, chance):
    data = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        what = chance.randrange(8)
        if what == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
        elif what == 1:
            del data[at:at + chance.choice((1, 2, 8, 64))]
        elif what == 2:
            data[at:at] = data[at:at + 40] * chance.choice((1, 2, 30))
        elif what == 3:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 4, 40))))
        elif what == 4:
            del data[at:]
        elif what == 5:
            data[at:] = chance.choice(others)[chance.randrange(20):]
        elif what == 6:
            data[at:at] = chance.choice((b"\0", b"\r\n", b"\n", b" ", b":", b"\xff\xff\xff\xff", b"99999999999999999999", b"-1")) * chance.choice((1, 3))
        else:
            data[at:at] = chance.choice((b"a", b"\r\nX: y", b"\x80", b"0")) * chance.choice((300, 9_000, 70_000))
    return bytes(data)


def play(peer, data, chance):
    """Says it in pieces, hears a little, and ends in one of several ways."""
    peer.settimeout(0.25)
    at = 0
    while at < len(data):
        piece = chance.choice((1, 7, 100, 1460, 1 << 20))
        peer.sendall(data[at:at + piece])
        at += piece
        if chance.randrange(6) == 0:
            hear(peer)
    hear(peer)
    ending = chance.randrange(4)
    if ending == 0:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif ending == 1:
        peer.shutdown(socket.SHUT_WR)
        hear(peer)
    elif ending == 2:
        peer.shutdown(socket.SHUT_RD)


def hear(peer):
    try:
        peer.recv(65536)
    except TimeoutError:
        pass


def sessions(program, folder, options):
    chances = threading.local()
    counter = iter(range(1 << 60))
    answers = []

    def serve(peer):
        chance = random.Random(options.seed * 1_000_003 + next(counter))
        play(peer, mutate(chance.choice(answers), answers, chance), chance)

    server = Server(serve)
    talks, found = templates(server.port)
    answers += found
    proxy = Proxy(program, server.port, folder, ["-w", str(folder / "talk.pcapng"), "--insecure", "--connect-timeout", "1"])
    deadline = time.monotonic() + options.seconds
    done = [0] * 8

    def attack(worker):
        number = worker
        while time.monotonic() < deadline and proxy.process.poll() is None:
            chance = random.Random(options.seed * 1_000_003 + number)
            number += len(done)
            try:
                with socket.create_connection(("127.0.0.1", chance.choice(proxy.ports)), timeout=2) as client:
                    play(client, mutate(chance.choice(talks), talks, chance), chance)
            except OSError:
                pass
            done[worker] += 1

    workers = [threading.Thread(target=attack, args=(worker,)) for worker in range(len(done))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    faults = after(proxy, server, 160 * MIB)
    status = subprocess.run([program, "read", "--stats", str(folder / "talk.pcapng")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if status.returncode:
        faults.append(f"the recording cannot be read: {status.returncode} {status.stderr[-300:]!r}")
    return f"{sum(done)} broken sessions", faults


# Idle connections

def idle(program, folder, options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Two ends here, two in the proxy, for each; a source address has 28,000 ports, and there are two ways.
    count = min(options.count, (hard - 200) // 2)
    held = []
    server = Server(lambda peer: (held.append(peer), peer.recv(1), peer.sendall(b"!"), peer.recv(1)))
    proxy = Proxy(program, server.port, folder)
    before = proxy.memory("VmRSS")
    clients = []
    for number in range(count):
        clients.append(ways.dial("reverse" if number % 2 else "socks5", proxy.address("reverse" if number % 2 else "socks5"), ("127.0.0.1", server.port)))
    cost = (proxy.memory("VmRSS") - before) // count
    faults = []
    # Each of them is a conversation, and still there.
    for client in clients:
        client.settimeout(30)
        client.sendall(b"?")
    for number, client in enumerate(clients):
        if client.recv(1) != b"!":
            faults.append(f"connection {number} of {count} is dead")
            break
    if cost > 16 << 10:
        faults.append(f"an idle connection costs {cost} bytes")
    for client in clients:
        client.close()
    faults += after(proxy, server, 64 * MIB + count * (16 << 10), least=count)
    return f"{count} idle connections, {cost} bytes each", faults


# A full disk

def disk(program, folder, options):
    server = Server(kind_server)
    limit = 64 << 10
    proxy = Proxy(program, server.port, folder, ["-w", str(folder / "talk.pcapng")], limit=limit)
    faults = []
    for _ in range(50):
        fault = works(proxy, server)
        if fault:
            faults.append(f"with a full disk {fault}")
            break
    told = any("unmask:" in line and ("large" in line or "space" in line or "written" in line) for line in proxy.said)
    status = proxy.stop()
    if status not in (0, 1, 130):
        faults.append(f"it ended with {status}")
    if not told:
        faults.append(f"nothing was said of it: {list(proxy.said)}")
    for path in (proxy.log, folder / "talk.pcapng"):
        if path.stat().st_size > limit:
            faults.append(f"{path.name} has {path.stat().st_size} bytes")
    faults += [fault for fault in faults_of_log(proxy.log)[0] if "never closed" not in fault]
    read = subprocess.run([program, "read", "--stats", str(folder / "talk.pcapng")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if read.returncode:
        faults.append(f"the recording does not end with a whole block: {read.stderr[-300:]!r}")
    return f"a log and a recording of at most {limit} bytes", faults


def after(proxy, server, memory, least=1):
    """What has to hold after an attack."""
    faults = []
    if proxy.process.poll() is not None:
        faults.append(f"the proxy ended with {proxy.process.returncode}: {list(proxy.said)[-20:]}")
    else:
        try:
            fault = works(proxy, server)
        except (OSError, ways.Refused) as error:
            fault = repr(error)
        if fault:
            faults.append(f"afterwards {fault}")
        peak = proxy.memory("VmHWM")
        if peak > memory:
            faults.append(f"it took {peak >> 20} MiB, more than {memory >> 20}")
        status = proxy.stop()
        if status not in (0, 130):
            faults.append(f"it ended with {status}: {list(proxy.said)[-20:]}")
    wrong, conversations, _ = faults_of_log(proxy.log)
    if conversations < least:
        faults.append(f"the log has {conversations} conversations")
    return faults + wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("attack", choices=("sessions", "idle", "disk"))
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="unmask-attack-"))
    started = time.monotonic()
    figures, faults = {"sessions": sessions, "idle": idle, "disk": disk}[options.attack](options.program, folder, options)
    print(f"{figures}, {time.monotonic() - started:.1f} s", flush=True)
    for fault in faults[:20]:
        print(f"fault: {fault}", flush=True)
    if faults:
        print(f"{len(faults)} faults; log and recording are in {folder}", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    # Threads of servers that still wait are of no interest any more.
    os._exit(1 if faults else 0)


if __name__ == "__main__":
    main()
