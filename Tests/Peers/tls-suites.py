#!/usr/bin/env python3
"""Records TLS connections of `openssl s_client` with `openssl s_server`, one for each cipher suite, and what both sent.

    tls-suites.py [--all] [--short|--long] FOLDER [NAME...]

NAME picks the cases whose names contain it. Of suites that differ in the exchange of keys alone one is recorded, with --all each; with --short
less is sent, with --long in larger pieces, as many as openssl's client sends in a record. For each case, FOLDER/NAME gets
    wire       what passed between the two: for each run of bytes one byte for its sender (0 client, 1 server), four for its length, the bytes
    keys       the key log of the client
    early      early data that the server refused
    client     what the client's user typed
    server     what the server's user typed
Everything is on loopback; a case that does not end within 20 seconds is ended. The names of all cases that were recorded are printed.
"""
import os
import select
import socket
import struct
import subprocess
import sys
import time

LIMIT = 20.0
# What client and server say, in bytes, and the pieces that it is typed in.
SIZES = {"": ((30_000, 50_000), 4_200), "short": ((620, 820), 210), "long": ((32_760, 32_760), 8_190)}


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def certificates(folder):
    """A key and a self-signed certificate of each kind."""
    made = {}
    kinds = {
        "rsa": ["-newkey", "rsa:2048"],
        "ecdsa": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
        "dss": None,
    }
    for kind, words in kinds.items():
        key, cert = f"{folder}/{kind}.key", f"{folder}/{kind}.pem"
        if not os.path.exists(cert):
            if words is None:
                run("openssl", "genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt", "dsa_paramgen_bits:1024", "-out", f"{folder}/dsa")
                words = ["-newkey", f"dsa:{folder}/dsa"]
            run("openssl", "req", "-x509", "-nodes", "-sha256", "-days", "3", "-subj", "/CN=localhost", *words, "-keyout", key, "-out", cert)
        made[kind] = ["-cert", cert, "-key", key]
    return made


def cases(wants_all):
    """(name, version, client's words, server's words, kind of certificate, how it goes on)"""
    listed, known = [], set()
    for line in run("openssl", "ciphers", "-s", "-v", "-psk", "ALL:eNULL:PSK:@SECLEVEL=0").splitlines():
        words = line.split()
        name, version, authentication = words[0], words[1], words[3].removeprefix("Au=")
        if version == "TLSv1.3":
            continue
        if tuple(words[4:6]) in known and not wants_all:
            continue
        known.add(tuple(words[4:6]))
        kind = {"RSA": "rsa", "ECDSA": "ecdsa", "DSS": "dss", "None": None, "PSK": None}.get(authentication, "rsa")
        extra = ["-cipher", name + ":@SECLEVEL=0"]
        if "PSK" in name:
            extra += ["-psk", "0123456789abcdef0123456789abcdef"]
            kind = "rsa" if name.startswith("RSA-PSK") else None
        versions = ["-tls1_2"]
        if version in ("SSLv3", "TLSv1") and kind != "dss":
            versions += ["-tls1_1", "-tls1"]
        for flag in versions:
            listed.append((f"{flag[1:]}-{name}", [flag] + extra, [flag] + extra, kind, "plain"))
            if words[4].startswith("Enc=AES(") and flag != "-tls1_1":
                listed.append((f"{flag[1:]}-{name}-no-etm", [flag, "-no_etm"] + extra, [flag] + extra, kind, "plain"))
    suites13 = [
        "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_CCM_SHA256",
        "TLS_AES_128_CCM_8_SHA256",
    ]
    for name in suites13:
        extra = ["-tls1_3", "-ciphersuites", name]
        listed.append((f"tls1_3-{name}", extra, extra, "rsa", "plain"))
        listed.append((f"tls1_3-{name}-update", extra, extra, "rsa", "update"))
    extra = ["-tls1_3"]
    listed.append(("tls1_3-many", extra, extra, "rsa", "many"))
    listed.append(("tls1_3-retry", extra + ["-groups", "X25519:P-256"], extra + ["-groups", "P-256"], "rsa", "plain"))
    listed.append(("tls1_3-padding", extra + ["-record_padding", "512"], extra + ["-record_padding", "4096"], "rsa", "plain"))
    listed.append(("tls1_3-resumed", extra, extra, "rsa", "resumed"))
    listed.append(("tls1_3-early", extra, extra + ["-early_data"], "rsa", "early"))
    listed.append(("tls1_3-early-refused", extra, extra + ["-early_data"], "rsa", "early-refused"))
    for suite in ("ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA"):
        extra = ["-tls1_2", "-cipher", suite + ":@SECLEVEL=0"]
        listed.append((f"tls1_2-many-{suite}", extra, extra, "rsa", "many"))
        listed.append((f"tls1_2-resumed-{suite}", extra, extra, "rsa", "resumed"))
        listed.append((f"tls1_2-renegotiated-{suite}", extra, extra + ["-client_renegotiation"], "rsa", "renegotiated"))
    return listed


class Relay:
    """Passes one connection after the other on to a port, and writes down the last."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = port
        self.client = self.server = None
        self.wire = b""

    def sockets(self):
        return [s for s in (self.listener, self.client, self.server) if s]

    def step(self, ready):
        if ready is self.listener:
            self.end()
            self.client, _ = self.listener.accept()
            self.server = socket.create_connection(("127.0.0.1", self.target))
            self.wire = b""
            return
        try:
            data = ready.recv(65536)
        except OSError:
            data = b""
        sender, peer = (0, self.server) if ready is self.client else (1, self.client)
        if data:
            self.wire += struct.pack(">BI", sender, len(data)) + data
            try:
                if peer:
                    peer.sendall(data)
            except OSError:
                pass
        else:
            try:
                if peer:
                    peer.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            if sender == 0:
                self.client.close()
                self.client = None
            else:
                self.server.close()
                self.server = None

    def is_quiet_again(self):
        """A condition: something has passed since now, and then nothing for a while."""
        state = [len(self.wire), None]

        def holds():
            now = time.monotonic()
            if len(self.wire) != state[0]:
                state[:] = [len(self.wire), now]
            return state[1] is not None and now - state[1] > 0.15

        return holds

    def end(self):
        for s in (self.client, self.server):
            if s:
                s.close()
        self.client = self.server = None


class Case:
    def __init__(self, folder, name):
        self.folder = f"{folder}/{name}"
        os.makedirs(self.folder, exist_ok=True)
        self.log = open(f"{self.folder}/log", "wb")
        self.outputs = {}
        self.processes = []
        self.deadline = time.monotonic() + LIMIT

    def start(self, key, words):
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, cwd=self.folder, bufsize=0)
        self.processes.append(process)
        self.outputs[key] = [process, b""]
        return process

    def pump(self, relay, until):
        """Relays and reads until the condition holds; false when time is over."""
        while not until():
            if time.monotonic() > self.deadline:
                return False
            watched = relay.sockets() + [p.stdout for p, _ in self.outputs.values() if p.stdout]
            ready, _, _ = select.select(watched, [], [], 0.05)
            for item in ready:
                if isinstance(item, socket.socket):
                    if item in relay.sockets():
                        relay.step(item)
                    continue
                for entry in self.outputs.values():
                    if entry[0].stdout is item:
                        data = os.read(item.fileno(), 65536)
                        entry[1] += data
                        if not data:
                            item.close()
                            entry[0].stdout = None
        return True

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.log.close()


def payload(seed, count):
    """Lines of digits, which no command of s_client or s_server begins with."""
    out, value = bytearray(), seed
    while len(out) < count:
        value = (value * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        out += b"%020d\n" % value
    return bytes(out)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def record(folder, case, certs, size):
    name, client_words, server_words, kind, course = case
    made = Case(folder, name)
    port = free_port()
    relay = Relay(port)
    keys = f"{made.folder}/keys"
    for leftover in ("keys", "session"):
        if os.path.exists(f"{made.folder}/{leftover}"):
            os.remove(f"{made.folder}/{leftover}")
    quiet = [] if course in ("update", "renegotiated") else ["-quiet"]
    server = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}"] + server_words + quiet
    server += certs[kind] if kind else ["-nocert"]
    client = ["openssl", "s_client", "-connect", f"127.0.0.1:{relay.port}", "-keylogfile", keys] + client_words
    sizes, piece_size = SIZES[size]
    if course == "many":
        sizes, piece_size = (3_360, 210), 21
    typed = {"client": payload(1, sizes[0]), "server": payload(2, sizes[1])}
    try:
        made.start("server", server)

        def is_listening():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        # The probe is a connection without a word, which the server lets go.
        if not made.pump(relay, is_listening):
            return False
        early = b""
        if course in ("resumed", "early", "early-refused"):
            made.start("first", client + ["-sess_out", "session", "-quiet"])
            first = made.outputs["first"]
            os.write(first[0].stdin.fileno(), b"0\n")
            if not made.pump(relay, lambda: os.path.exists(f"{made.folder}/session")):
                return False
            first[0].stdin.close()
            first[0].kill()
            client += ["-sess_in", "session"]
            if course == "early-refused":
                # Another process, which cannot read the first one's tickets.
                made.outputs["server"][0].kill()
                made.outputs["server"][0].wait()
                made.start("server", server)
                if not made.pump(relay, is_listening):
                    return False
            if course != "resumed":
                early = payload(3, 200 if size == "short" else 2_000)
                with open(f"{made.folder}/early", "wb") as file:
                    file.write(early)
                client += ["-early_data", "early"]
        seen = len(made.outputs["server"][1])
        made.start("client", client + quiet + (["-no_ign_eof"] if quiet else []))
        out = made.outputs

        def has(side, text):
            return lambda: text in out[side][1][seen if side == "server" else 0:]

        c, s = out["client"][0].stdin, out["server"][0].stdin
        steps = 3 if course in ("update", "renegotiated") else 1
        sent = {"client": b"", "server": b""}
        for step in range(steps):
            part = {side: text[len(text) * step // steps:len(text) * (step + 1) // steps] for side, text in typed.items()}
            if step > 0:
                command = {"update": b"K\n", "renegotiated": b"R\n"}[course]
                os.write(c.fileno(), command)
                made.pump(relay, relay.is_quiet_again())
                if course == "update":
                    os.write(s.fileno(), b"k\n")
                    made.pump(relay, relay.is_quiet_again())
            for stdin, side, peer in ((c, "client", "server"), (s, "server", "client")):
                for start in range(0, len(part[side]), piece_size):
                    piece = part[side][start:start + piece_size]
                    os.write(stdin.fileno(), piece)
                    sent[side] += piece
                    if not made.pump(relay, has(peer, piece[-21:])):
                        return False
        # s_client closes in an orderly manner once its input ends; s_server is ended after it.
        c.close()
        made.pump(relay, lambda: out["client"][0].poll() is not None or relay.client is None)
        sent["client"] = (early if course == "early" else b"") + sent["client"]
        for file, content in (("wire", relay.wire), ("client", sent["client"]), ("server", sent["server"])):
            with open(f"{made.folder}/{file}", "wb") as target:
                target.write(content)
        return True
    finally:
        made.end()
        relay.end()
        relay.listener.close()


def main():
    words = sys.argv[1:]
    wants_all, size = "--all" in words, next((size for size in SIZES if f"--{size}" in words), "")
    folder, *names = [word for word in words if not word.startswith("--")]
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    certs = certificates(folder)
    for case in cases(wants_all):
        if names and not any(word in case[0] for word in names):
            continue
        begun = time.monotonic()
        try:
            is_recorded = record(folder, case, certs, size)
        except OSError as error:
            is_recorded = False
            print(f"{case[0]}: {error}", file=sys.stderr)
        if is_recorded:
            print(case[0], flush=True)
        else:
            print(f"not recorded: {case[0]} after {time.monotonic() - begun:.1f} s", file=sys.stderr, flush=True)


main()
