#!/usr/bin/env python3
"""Plays the conversations of every fixture through the proxy in one mode, with real sockets at both ends, and holds the live log
against what reading the recording gives (docs/log-format.md, "Live and captured").

  replay_fixtures.py --unmask .build/debug/unmask --fixtures fixtures --mode MODE

Prints a line with what was compared, and every difference; exit status 1 if there is one, 77 where the mode cannot be tried here.
"""
import argparse, base64, encodings.idna, glob, json, os, re, signal, socket, ssl, struct, subprocess, sys, tempfile, threading

MODES = ["reverse", "reverse-tls", "reverse-tls-to-plain", "reverse-plain-to-tls", "reverse-to-unix", "reverse-on-unix",
         "http-connect", "http-connect-tls", "http-plain", "socks5", "socks5-tls", "transparent"]
PATIENCE = 3.0
TESTER = 65534


def steps_of(unmask, capture):
    """The runs and endings of each conversation of a capture, in order."""
    def read(rules):
        return [json.loads(line) for line in subprocess.run(
            [unmask, "read", "--format", "ndjson", "--payload-limit", "16777216", *rules, capture],
            capture_output=True, text=True).stdout.splitlines()]
    ports = {record[side]["port"] for record in read([]) if record["kind"] == "opened" for side in ("client", "server")}
    rules = [word for port in sorted(ports - {0}) for word in ("--decode-as", f"tcp.port={port},data")]
    talks = {}
    for record in read(rules):
        steps = talks.setdefault(record.get("conversation"), [])
        if record["kind"] == "data":
            content = record["text"].encode() if "text" in record else base64.b64decode(record.get("base64", ""))
            steps.append((record["from"], content))
        elif record["kind"] == "closed":
            ends = record["ends"]
            order = ["server", "client"] if record["by"] == "server" else ["client", "server"]
            for side in sorted(order, key=lambda side: ends[side] == "reset"):
                if ends[side] != "open":
                    steps.append((side, ends[side]))
    talks.pop(None, None)
    return list(talks.values())


class Identity:
    """A server's certificate, made for the occasion."""

    def __init__(self, folder):
        self.certificate, self.key = os.path.join(folder, "server.pem"), os.path.join(folder, "server-key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
            check=True, capture_output=True)

    def server(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


class Way:
    """How a client gets through the proxy in one mode."""

    def __init__(self, mode, unmask, folder):
        self.mode, self.folder = mode, folder
        self.listener = socket.socket(socket.AF_UNIX if mode == "reverse-to-unix" else socket.AF_INET)
        if mode == "reverse-to-unix":
            self.target = os.path.join(folder, "server.sock")
            self.listener.bind(self.target)
        else:
            self.listener.bind(("127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(8)
        self.listener.settimeout(PATIENCE)
        self.client_tls = mode in ("reverse-tls", "reverse-tls-to-plain", "http-connect-tls", "socks5-tls")
        self.server_tls = mode in ("reverse-tls", "reverse-plain-to-tls", "http-connect-tls", "socks5-tls")
        self.identity = Identity(folder) if self.server_tls else None
        authority = os.path.join(folder, "authority")
        arguments = [unmask, "proxy", "--format", "ndjson", "--frames", "--ca-folder", authority, "-w",
                     os.path.join(folder, "talk.pcapng"), "--grace", "3", "--first-bytes-timeout", "0.05"]
        if self.server_tls:
            arguments += ["--upstream-ca", self.identity.certificate]
        listen = "127.0.0.1:0"
        if mode.startswith("http"):
            arguments += ["--mode", "http"]
        elif mode.startswith("socks5"):
            arguments += ["--mode", "socks5"]
        elif mode == "transparent":
            arguments += ["--mode", "transparent"]
        elif mode == "reverse-to-unix":
            arguments += ["--mode", f"reverse:unix:{self.target}"]
        else:
            scheme = "tls" if self.server_tls else "tcp"
            arguments += ["--mode", f"reverse:{scheme}://localhost:{self.port}"]
            if mode == "reverse-on-unix":
                listen = f"unix:{os.path.join(folder, 'proxy.sock')}"
        self.log = open(os.path.join(folder, "log.ndjson"), "w")
        self.process = subprocess.Popen(arguments + ["--listen", listen], stdout=self.log, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        place = re.search(r"listening on (\S+)", line)
        if not place:
            raise SystemExit("the proxy did not start: " + line + self.process.stderr.read())
        self.place = place.group(1)
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        if self.client_tls:
            path = subprocess.run([unmask, "ca", "path", "--ca-folder", authority], capture_output=True, text=True).stdout.strip()
            self.client_context = ssl.create_default_context(cafile=path)
        if mode == "transparent":
            rule = (f"table ip replay {{\n chain out {{\n  type nat hook output priority -100;\n  meta skuid {TESTER} "
                    f"tcp dport {self.port} redirect to :{self.place.split(':')[1]}\n }}\n}}\n")
            subprocess.run(["nft", "-f", "-"], input=rule, text=True, check=True)

    def pair(self):
        """A client and the server that it reaches, connected through the proxy."""
        if self.mode == "reverse-on-unix":
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(PATIENCE)
            client.connect(self.place.removeprefix("unix:"))
        elif self.mode == "transparent":
            os.seteuid(TESTER)
            try:
                client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
            finally:
                os.seteuid(0)
        else:
            host, port = self.place.rsplit(":", 1)
            client = socket.create_connection((host, int(port)), PATIENCE)
        if self.mode.startswith("http-connect"):
            client.sendall(f"CONNECT localhost:{self.port} HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
            self.expect(client, b"HTTP/1.1 200", b"\r\n\r\n")
        elif self.mode.startswith("socks5"):
            name = b"localhost"
            client.sendall(b"\x05\x01\x00")
            assert client.recv(2) == b"\x05\x00"
            client.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", self.port))
            assert client.recv(10)[1] == 0
        elif self.mode == "http-plain":
            return client, None
        reached = []

        def accept():
            server = self.listener.accept()[0]
            server.settimeout(PATIENCE)
            reached.append(self.identity.server().wrap_socket(server, server_side=True) if self.server_tls else server)

        thread = threading.Thread(target=accept)
        thread.start()
        if self.client_tls:
            client = self.client_context.wrap_socket(client, server_hostname="localhost")
        thread.join()
        return client, reached[0]

    @staticmethod
    def expect(client, start, end):
        head = b""
        while not head.endswith(end):
            byte = client.recv(1)
            if not byte:
                break
            head += byte
        assert head.startswith(start), head

    def finish(self):
        if self.mode == "transparent":
            subprocess.run(["nft", "delete", "table", "ip", "replay"], check=False)
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(30)
        self.log.close()
        return status


def play(way, steps):
    """Plays one conversation step by step: what one end sends, the other has read before the next step."""
    client, server = way.pair()
    if server is None:
        # The request names the server, which is reached when its head is there.
        first = next((content for side, content in steps if side == "client" and isinstance(content, bytes)), b"")
        if not re.match(rb"[A-Z]+ /", first):
            client.close()
            return False
        client.sendall(absolute(first, way.port))
        try:
            server = way.listener.accept()[0]
        except TimeoutError:
            # A request that the proxy does not forward, such as one that goes elsewhere.
            client.close()
            return False
        server.settimeout(PATIENCE)
        server.recv(1 << 20)
        steps = steps[steps.index(("client", first)) + 1:]
    ends = {"client": client, "server": server}
    for side, content in steps:
        mine, other = ends[side], ends["server" if side == "client" else "client"]
        try:
            if content == "fin":
                # Below TLS, so that the other direction stays usable.
                socket.socket.shutdown(mine, socket.SHUT_WR)
                if not (way.client_tls or way.server_tls):
                    while other.recv(1 << 16):
                        pass
            elif content == "reset":
                if way.mode != "reverse-on-unix" or side == "server":
                    mine.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                mine.close()
                break
            else:
                if way.mode == "http-plain" and side == "client":
                    content = absolute(content, way.port)
                sender = threading.Thread(target=send, args=(mine, content))
                sender.start()
                if way.mode == "http-plain" and side == "client":
                    other.recv(1 << 20)
                else:
                    missing = len(content)
                    while missing > 0:
                        piece = other.recv(min(missing, 1 << 16))
                        if not piece:
                            break
                        missing -= len(piece)
                sender.join(PATIENCE)
        except (OSError, ValueError):
            break
    for end in ends.values():
        end.close()
    return True


def send(end, content):
    try:
        end.sendall(content)
    except (OSError, ValueError):
        pass


def absolute(content, port):
    return re.sub(rb"^([A-Z]+) /", rb"\1 http://localhost:%d/" % port, content)


def hangs_on_the_end(record):
    """Whether a record depends on how a conversation ended."""
    return record["kind"] == "closed" or record.get("id") in ("http.message-unfinished", "http.message-incomplete")


def comparable(lines):
    """The records of each conversation without what live and captured may differ in."""
    talks, ended_by_proxy = {}, set()
    for line in lines:
        record = json.loads(line)
        number = record.get("conversation")
        if number is None or record["kind"] == "tls" and record.get("secrets") == "terminated":
            continue
        if record["kind"] == "finding" and record["id"].startswith("proxy."):
            continue
        if record["kind"] == "closed" and (record["by"] == "proxy" or record["how"] == "end-of-capture"):
            ended_by_proxy.add(number)
        record.pop("packets", None)
        if record["kind"] == "opened":
            for key in ("start", "transport", "via"):
                record.pop(key, None)
        records = talks.setdefault(number, [])
        if record["kind"] == "data":
            content = record.pop("text").encode() if "text" in record else base64.b64decode(record.pop("base64", ""))
            last = records[-1] if records else None
            if last and last["kind"] == "data" and (last["time"], last["from"]) == (record["time"], record["from"]):
                last["content"] += content
                last["length"] += record["length"]
                continue
            record["content"] = content
        records.append(record)
    return talks, ended_by_proxy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unmask", required=True)
    parser.add_argument("--fixtures", required=True)
    parser.add_argument("--mode", choices=MODES, required=True)
    options = parser.parse_args()
    if options.mode == "transparent" and "UNMASK_REPLAY_INSIDE" not in os.environ:
        # A network of its own, whose tables nobody else sees.
        if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "nft", "list", "ruleset"], capture_output=True).returncode != 0:
            print("transparent mode wants root, network namespaces and nft")
            return 77
        inside = "ip link set lo up && exec " + " ".join(f"'{word}'" for word in [sys.executable, *sys.argv])
        return subprocess.run(["unshare", "-n", "sh", "-c", inside], env={**os.environ, "UNMASK_REPLAY_INSIDE": "1"}).returncode
    with tempfile.TemporaryDirectory(prefix="unmask-replay-") as folder:
        way = Way(options.mode, options.unmask, folder)
        played = 0
        for capture in sorted(glob.glob(os.path.join(options.fixtures, "*", "capture.pcap*"))):
            for steps in steps_of(options.unmask, capture):
                if any(isinstance(content, bytes) for _, content in steps):
                    played += play(way, steps)
        status = way.finish()
        live, live_ended = comparable(open(os.path.join(folder, "log.ndjson")))
        read = subprocess.run([options.unmask, "read", "--format", "ndjson", "--frames", os.path.join(folder, "talk.pcapng")],
                              capture_output=True, text=True)
        captured, captured_ended = comparable(read.stdout.splitlines())
    # A client that was refused has no server in the log; a recording needs an address for one.
    for number in [number for number, records in live.items() if any(record.get("server") == {} for record in records)]:
        live.pop(number)
        captured.pop(number, None)
    differences = 0
    ended = live_ended | captured_ended
    for number in sorted(set(live) | set(captured)):
        sides = [[record for record in log.get(number, []) if not (number in ended and hangs_on_the_end(record))]
                 for log in (live, captured)]
        if sides[0] == sides[1]:
            continue
        differences += 1
        for mine, other in zip(sides[0] + [None] * len(sides[1]), sides[1] + [None] * len(sides[0])):
            if mine != other:
                print(f"conversation {number}\n  live     {str(mine)[:700]}\n  captured {str(other)[:700]}")
                break
    records = sum(map(len, live.values()))
    print(f"{options.mode}: {played} conversations played, {len(live)} logged, {records} records, {differences} differ, "
          f"{len(ended)} ended by the proxy, exit status {status}, read {read.returncode}")
    good = differences == 0 and played > 0 and records > played and status == 0 and read.returncode == 0 and len(ended) * 4 < played
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
