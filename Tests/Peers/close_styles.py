#!/usr/bin/env python3
"""Plays both ends of connections that end in every manner, and prints what each end saw.

One line of JSON a style: `{"style": …, "client": […], "server": […]}`, each list in the order in which that end saw it: `data N`
(joined, with a digest), `fin`, `reset`, `close_notify`, an error of its TLS, `sent …` for what it did itself. Run it without a proxy
and with one: the lines have to be equal.

Prints `listening PORT` first (the server's; behind it the file of the authority to trust, with TLS), and reads the way from standard input: one line of JSON, `{"way": "direct"}` or
`{"way": "connect", "port": N, "authority": FILE}`.
"""

import argparse
import errno
import hashlib
import json
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

import certificates
import ways

# Seconds until something that did not come is held not to come.
PATIENCE = 10
BIG = 8 << 20


class End:
    """One end of a connection, driven by hand: each byte and each ending that reaches it is noted."""

    def __init__(self, name, sock, tls=None):
        self.name, self.sock, self.tls = name, sock, tls
        self.seen, self.digest, self.count, self.total = [], hashlib.sha256(), 0, 0
        self.out = bytearray()
        self.is_reading, self.is_over, self.is_secure = True, False, tls is None
        sock.setblocking(False)
        if tls:
            self.incoming, self.outgoing, self.tls = tls
            self.advance()

    # MARK: what it does

    def send(self, data):
        if self.tls:
            self.tls.write(data)
            self.out += self.outgoing.read()
        else:
            self.out += data

    def notify(self):
        """Sends close_notify and nothing else."""
        try:
            self.tls.unwrap()
        except (ssl.SSLWantReadError, ssl.SSLError):
            pass
        self.out += self.outgoing.read()

    def finish(self):
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            self.note(f"could not finish: {errno.errorcode[error.errno]}")

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        if not self.is_over:
            self.is_over = True
            self.sock.close()

    # MARK: what it sees

    def note(self, what):
        if self.count:
            self.seen.append(f"data {self.count} {self.digest.hexdigest()[:8]}")
            self.count, self.digest = 0, hashlib.sha256()
        if what and (not self.seen or self.seen[-1] != what):
            self.seen.append(what)

    def take(self, data):
        self.count += len(data)
        self.total += len(data)
        self.digest.update(data)

    def advance(self):
        """Lets the TLS of this end say what it has to say."""
        try:
            if not self.is_secure:
                self.tls.do_handshake()
                self.is_secure = True
            while data := self.tls.read(65536):
                self.take(data)
            self.notified()
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self.notified()
        except ssl.SSLError as error:
            self.note(f"{type(error).__name__} {error.reason}")
        try:
            self.out += self.outgoing.read()
        except ssl.SSLError:
            pass

    def notified(self):
        if "close_notify" not in self.seen:
            self.note("close_notify")

    def readable(self):
        try:
            data = self.sock.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError as error:
            self.note("reset" if error.errno == errno.ECONNRESET else errno.errorcode[error.errno])
            self.is_reading = False
            return
        if not data:
            self.note("fin")
            self.is_reading = False
        elif self.tls:
            self.incoming.write(data)
            self.advance()
        else:
            self.take(data)

    def broken(self):
        """What the kernel holds against a connection that is not read any more: a RST behind a FIN is EPIPE."""
        poll = select.poll()
        poll.register(self.sock, 0)
        if any(event & select.POLLERR for _, event in poll.poll(0)):
            if found := self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                self.note(errno.errorcode[found])

    def writable(self):
        try:
            del self.out[: self.sock.send(self.out[: 1 << 18])]
        except BlockingIOError:
            pass
        except OSError as error:
            self.note(errno.errorcode[error.errno])
            self.out.clear()


class Talk:
    """Both ends, turned until something is so."""

    def __init__(self, client, server):
        self.ends = (client, server)
        self.client, self.server = client, server

    def until(self, so, patience=PATIENCE):
        deadline = time.monotonic() + patience
        while not so():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            live = [end for end in self.ends if not end.is_over]
            reading = [end for end in live if end.is_reading]
            writing = [end for end in live if end.out]
            readable, writable, _ = select.select(
                [end.sock for end in reading], [end.sock for end in writing], [], min(left, 0.05))
            for end in live:
                if not end.is_reading:
                    end.broken()
                if end.sock in readable:
                    end.readable()
                if end.sock in writable and not end.is_over:
                    end.writable()
        return True

    def flush(self):
        self.until(lambda: not self.client.out and not self.server.out)

    def expect(self, end, total):
        if not self.until(lambda: end.total >= total):
            end.note(f"{total - end.total} bytes never came")

    def awaits(self, end, what):
        if not self.until(lambda: what in end.seen):
            end.note(f"{what} never came")

    def say(self, sender, data):
        """Sends, and waits until the other end has it all."""
        other = self.server if sender is self.client else self.client
        total = other.total + len(data)
        sender.send(data)
        self.expect(other, total)

    def ends_quietly(self):
        """What else the two ends see within a moment: nothing, mostly."""
        for end in self.ends:
            end.note(None)
        self.until(lambda: False, 0.15)
        for end in self.ends:
            end.note(None)
            end.close()


# MARK: the styles; each is told who does it

def frame(opcode, payload, masked):
    key = b"\x11\x22\x33\x44" if masked else b""
    body = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload)) if masked else payload
    return bytes([0x80 | opcode, len(payload) | (0x80 if masked else 0)]) + key + body


def upgraded(talk):
    talk.say(talk.client, b"GET /chat HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    talk.say(talk.server, b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")


def close_frame_then_fin(talk, one, other):
    upgraded(talk)
    talk.say(one, frame(8, b"\x03\xe8bye", one is talk.client))
    talk.say(other, frame(8, b"\x03\xe8bye", other is talk.client))
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def fin_without_a_close_frame(talk, one, other):
    upgraded(talk)
    talk.say(one, frame(1, b"hello", one is talk.client))
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def reset_without_a_close_frame(talk, one, other):
    upgraded(talk)
    talk.say(one, frame(1, b"hello", one is talk.client))
    one.reset()
    talk.awaits(other, "reset")


def data_and_reset_at_once(talk, one, other):
    talk.say(other, b"give me all")
    one.send(b"x" * 20000)
    talk.until(lambda: not one.out)
    # It is on its way for good: nothing of it waits in this end's kernel, where a reset would drop it.
    talk.until(lambda: unsent(one.sock) == 0)
    one.reset()
    talk.awaits(other, "reset")


def half_close_then_data(talk, one, other):
    talk.say(one, b"the question")
    one.finish()
    talk.awaits(other, "fin")
    talk.say(other, b"the answer, " * 30000)
    other.finish()
    talk.awaits(one, "fin")


def half_close_then_much_to_a_slow_reader(talk, one, other):
    talk.say(one, b"all of it")
    one.finish()
    talk.awaits(other, "fin")
    one.is_reading = False
    other.send(bytes(range(256)) * (BIG // 256))
    # The reader reads nothing until nothing more goes into the way.
    left = None
    while left != len(other.out):
        left = len(other.out)
        talk.until(lambda: not other.out, 0.2)
    one.is_reading = True
    talk.flush()
    other.finish()
    talk.awaits(one, "fin")


def fin_then_reset(talk, one, other):
    talk.say(one, b"the question")
    one.finish()
    talk.awaits(other, "fin")
    talk.say(other, b"the beginning of the answer")
    one.reset()
    talk.awaits(other, "EPIPE")


def nothing_but_a_fin(talk, one, other):
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def notify_then_fin(talk, one, other):
    talk.say(one, b"hello")
    one.notify()
    talk.flush()
    one.finish()
    talk.awaits(other, "close_notify")
    talk.awaits(other, "fin")
    other.notify()
    talk.flush()
    other.finish()
    talk.awaits(one, "fin")


def fin_without_notify(talk, one, other):
    talk.say(one, b"hello")
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def notify_then_data_from_the_other(talk, one, other):
    talk.say(one, b"the question")
    one.notify()
    talk.awaits(other, "close_notify")
    talk.say(other, b"the answer, " * 3000)
    other.notify()
    talk.awaits(one, "close_notify")
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def notify_and_silence(talk, one, other):
    """No FIN comes for as long as nobody sends one."""
    talk.say(one, b"hello")
    one.notify()
    talk.awaits(other, "close_notify")
    if not talk.until(lambda: "fin" in other.seen, 0.5):
        other.note("silence")
    one.finish()
    talk.awaits(other, "fin")
    other.finish()
    talk.awaits(one, "fin")


def reset_under_tls(talk, one, other):
    talk.say(one, b"hello")
    one.reset()
    talk.awaits(other, "reset")


def unsent(sock):
    import fcntl
    import termios

    return struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, b"\0\0\0\0"))[0]


# MARK: a peer that is killed

VICTIM = """
import socket, sys
sock = socket.socket(fileno=int(sys.argv[1]))
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.read()
"""


def killed(talk, one, other, unread):
    """The end lives in another process, which is killed: its kernel sends FIN, or RST where it had not read all."""
    talk.say(one, b"hello")
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(one.sock.fileno())], pass_fds=[one.sock.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    victim.stdout.readline()
    if unread:
        one.is_reading = False
        other.send(b"never read")
        talk.flush()
        talk.until(lambda: bool(select.select([one.sock], [], [], 0)[0]))
    one.close()
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    talk.awaits(other, "reset" if unread else "fin")


def killed_while_idle(talk, one, other):
    killed(talk, one, other, False)


def killed_with_bytes_unread(talk, one, other):
    killed(talk, one, other, True)


PLAIN = [close_frame_then_fin, fin_without_a_close_frame, reset_without_a_close_frame, data_and_reset_at_once, half_close_then_data,
         half_close_then_much_to_a_slow_reader, fin_then_reset, nothing_but_a_fin, killed_while_idle, killed_with_bytes_unread]
SECURE = [notify_then_fin, fin_without_notify, notify_then_data_from_the_other, notify_and_silence, reset_under_tls, killed_while_idle,
          half_close_then_much_to_a_slow_reader]


def play(style, actor, listener, way, contexts):
    sock = ways.dial(way["way"], ("127.0.0.1", way.get("port") or listener.getsockname()[1]), ("localhost", listener.getsockname()[1]))
    listener.settimeout(PATIENCE)
    hello = None
    if contexts:
        # A proxy that waits for the ClientHello dials only then.
        client_context, server_context = contexts
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        hello = (incoming, outgoing, client_context.wrap_bio(incoming, outgoing, server_hostname="localhost"))
    client = End("client", sock, hello)
    while client.out:
        client.writable()
    accepted, _ = listener.accept()
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    secret = None
    if contexts:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        secret = (incoming, outgoing, server_context.wrap_bio(incoming, outgoing, server_side=True))
    server = End("server", accepted, secret)
    talk = Talk(client, server)
    if contexts and not talk.until(lambda: client.is_secure and server.is_secure):
        client.note("no TLS")
    else:
        one, other = (client, server) if actor == "client" else (server, client)
        style(talk, one, other)
    talk.ends_quietly()
    name = style.__name__.replace("_", " ") + f" by the {actor}"
    print(json.dumps({"style": name, "client": client.seen, "server": server.seen}), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tls", choices=["1.2", "1.3"], help="both ends speak it")
    arguments.add_argument("--only", help="part of a style's name")
    arguments = arguments.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=16)
    with tempfile.TemporaryDirectory() as folder:
        contexts = None
        made = certificates.Certificates(folder) if arguments.tls else None
        print("listening", listener.getsockname()[1], *([made.authority] if made else []), flush=True)
        way = json.loads(sys.stdin.readline())
        if made:
            version = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[arguments.tls]
            contexts = certificates.client_context(way.get("authority") or made.authority), made.server_context()
            for context in contexts:
                context.minimum_version = context.maximum_version = version
        for style in SECURE if arguments.tls else PLAIN:
            for actor in ("client", "server"):
                if not arguments.only or arguments.only in style.__name__:
                    play(style, actor, listener, way, contexts)


if __name__ == "__main__":
    main()
