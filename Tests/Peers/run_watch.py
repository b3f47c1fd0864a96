#!/usr/bin/env python3
"""`unmask run --watch` with real programs, in a network that is this script's own: the same messages as under `unmask run`, and nothing is left.

    unshare --net python3 run_watch.py PROGRAM

Prints `skipped: …` where the machine cannot do this.
"""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import comparison
import java_agent
from programs import Program

PYTHON = """
import asyncio, ssl, sys, urllib.request
from websockets.asyncio.client import connect
plain, secure = sys.argv[1:]
print(urllib.request.urlopen(f"https://localhost:{secure}/word").read().decode())
async def talk(url):
    async with connect(url) as socket:
        await socket.send("hello")
        print(await socket.recv())
asyncio.run(talk(f"ws://localhost:{plain}/echo"))
asyncio.run(talk(f"wss://localhost:{secure}/echo"))
sys.exit(7)
"""
NODE = """
import https from 'node:https'; import tls from 'node:tls';
const [plain, secure] = process.argv.slice(-2);
const get = url => new Promise((done, failed) => https.get(url, answer => {
  let text = '';
  answer.on('data', data => text += data).on('end', () => done(text));
}).on('error', failed));
console.log(await get(`https://localhost:${secure}/word`));
const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
console.log(await new Promise((done, failed) => {
  const asked = https.request({ host: 'localhost', port: secure, path: '/echo', headers });
  asked.on('upgrade', (answer, socket) => {
    socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
    socket.once('data', data => { done(data.subarray(2).toString()); socket.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0])); });
  }).on('error', failed).end();
}));
"""
# A context that is not the default one, first without and then with a key log of the program's own.
OWN_CONTEXT = """
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
for path in (None, sys.argv[2]):
    if path: context.keylog_filename = path
    with context.wrap_socket(socket.create_connection(("localhost", int(sys.argv[1])))) as plain:
        plain.sendall(b"GET /word HTTP/1.0\\r\\n\\r\\n")
        while plain.recv(4096): pass
    assert context.keylog_filename == path
"""
# Server and client of one program: each packet leaves it and reaches it.
BOTH_ENDS = """
import socket, threading
def serve(listener):
    peer, _ = listener.accept()
    with peer:
        while line := peer.recv(100): peer.sendall(b"heard: " + line)
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    with socket.create_server((host, 0), family=family) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        with socket.create_connection(listener.getsockname()[:2]) as client:
            client.sendall(b"one\\n")
            assert client.recv(100) == b"heard: one\\n"
        thread.join()
"""
# What it prints is there, and nothing of a certificate is settable: the system's list counts.
URL_SESSION = """
import Foundation
import FoundationNetworking

let (data, _) = try await URLSession.shared.data(from: URL(string: CommandLine.arguments[1])!)
print(String(decoding: data, as: UTF8.self))
"""
LARGE = """
import http.server
class Large(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        size = int(self.path[1:])
        self.send_header("Content-Length", str(size << 20))
        self.end_headers()
        for _ in range(size): self.wfile.write(bytes(1 << 20))
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Large)
print("listening", server.server_port, flush=True)
server.serve_forever()
"""

# Sends 8 MiB to a server that reads them, in pieces as large as the system takes.
UPLOAD = """
import socket, threading
def read(listener):
    peer, _ = listener.accept()
    with peer:
        while peer.recv(1 << 20): pass
with socket.create_server(("127.0.0.1", 0)) as listener:
    thread = threading.Thread(target=read, args=(listener,))
    thread.start()
    with socket.create_connection(listener.getsockname()) as client: client.sendall(bytes(8 << 20))
    thread.join()
"""


class Watching:
    """`unmask run --watch` of commands, each with a log of its own."""

    def __init__(self, it):
        self.it, self.number = it, 0
        self.environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy") and key != "SSLKEYLOGFILE"}
        for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
            self.environment[name] = str(it.certificates.authority)
        self.environment["TMPDIR"] = str(it.folder)

    def run(self, command, *options, watches=True):
        self.number += 1
        log = pathlib.Path(self.it.folder, f"log-{self.number}.ndjson")
        prefix = [str(self.it.unmask), "run", *(["--watch"] if watches else []), "--log", str(log), *options, "--"]
        done = subprocess.run([*prefix, *command], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        done.log = log
        done.records = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return done

    def left(self):
        """What a run has left behind, if anything."""
        tables = subprocess.run(["nft", "list", "tables"], capture_output=True, text=True).stdout if shutil.which("nft") else ""
        groups = [place for place in subprocess.run(["find", "/sys/fs/cgroup", "-name", "unmask-run.*"], capture_output=True, text=True).stdout.split()]
        folders = [path.name for path in pathlib.Path(self.it.folder).glob("unmask-run.*")]
        return [line for line in tables.splitlines() if "unmask-run-" in line] + [group for group in groups if not is_anothers(group)] + folders

    def left_soon(self):
        deadline = time.monotonic() + 20
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.left()


def is_anothers(group):
    """Whether a control group has programs in it, and all of another network: they are of another run on this machine."""
    def network(process):
        try:
            return os.readlink(f"/proc/{process}/ns/net")
        except OSError:
            return None
    try:
        found = {network(process) for process in pathlib.Path(group, "cgroup.procs").read_text().split()} - {None}
    except OSError:
        return True
    return bool(found) and os.readlink("/proc/self/ns/net") not in found


def pin(certificates):
    """What curl --pinnedpubkey takes of the server's key."""
    key = subprocess.run(["openssl", "x509", "-in", certificates.server, "-noout", "-pubkey"], check=True, capture_output=True).stdout
    bits = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "der"], input=key, check=True, capture_output=True).stdout
    return "sha256//" + base64.b64encode(hashlib.sha256(bits).digest()).decode()


def kinds(records, kind):
    return [record for record in records if record["kind"] == kind]


def findings(records):
    return sorted({record["id"] for record in kinds(records, "finding")})


def compare_programs(it, watching, plain, secure):
    script = pathlib.Path(it.folder, "app.mjs")
    script.write_text(NODE)
    url = f"https://localhost:{secure}/word"
    tries = {
        "curl": (["curl", "-sS", "-q", url], 0),
        "python": ([sys.executable, "-c", PYTHON, plain, secure], 4),
        "node": (["node", str(script), plain, secure], 2),
        "wget": (["wget", "-q", "-O", "-", f"--ca-certificate={it.certificates.authority}", url], 0),
    }
    for name, (command, messages) in tries.items():
        if not shutil.which(command[0]):
            print(f"skipped: unmask run --watch -- {name} (there is no {name})", flush=True)
            continue
        alone = subprocess.run(command, env=watching.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        # wget finds the CA of the proxy in its file of options, over which this option would win.
        through = watching.run([word for word in command if not word.startswith("--ca-certificate=")], watches=False)
        watched = watching.run(command)
        it.same(f"what {name} prints and ends with", (alone.returncode, alone.stdout, alone.stderr),
                (watched.returncode, watched.stdout, watched.stderr))
        it.same(f"TLS of {name} is decrypted", {"keylog"}, {record["secrets"] for record in kinds(watched.records, "tls")})
        it.same(f"{name} has its messages", messages, len(kinds(watched.records, "message")))
        it.same(f"nothing is wrong with what {name} says", [], findings(watched.records))
        compare_messages(it, name, through, watched)


def compare_messages(it, name, through, watched):
    """The same messages through the proxy and watched. How a connection ends may differ: with a proxy there are two."""
    command = [it.unmask, "diff", "--ignore-header", "proxy-connection", "--format", "json", through.log, watched.log]
    difference = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=60).stdout)
    said = ("changes", "lost", "added", "reordered")
    changes = [what for one in difference["conversations"] for kind in said for what in one[kind]] + difference["lost"] + difference["added"]
    it.same(f"{name} says the same under unmask run", [], changes)


def secrets(run):
    return [record["secrets"] for record in kinds(run.records, "tls")]


def compare_java(it, watching, secure):
    """Java writes no keys, and does with an agent that the user names."""
    built = java_agent.build(it.folder) if shutil.which("javac") else None
    if not built:
        print("skipped: unmask run --watch --java-agent (there is no javac, or its ASM is gone)", flush=True)
        return
    classes, jar = built
    command = ["java", "-cp", str(classes), "Ask", f"https://localhost:{secure}/word"]
    through = watching.run(command, watches=False)
    sealed = watching.run(command)
    watching.environment["JAVA_TOOL_OPTIONS"] = "-Dmine=kept"
    # From its own folder: the program may begin in another one.
    watched = watching.run(command, "--java-agent", os.path.relpath(jar))
    del watching.environment["JAVA_TOOL_OPTIONS"]
    it.same("what java prints and ends with", (0, "the word\n" * 2), (watched.returncode, watched.stdout))
    it.same("the agent comes after what JAVA_TOOL_OPTIONS had", True, watched.stderr.startswith('Picked up JAVA_TOOL_OPTIONS: -Dmine=kept "-javaagent:/'))
    it.same("TLS of java is decrypted with the agent", ["keylog"] * 2, secrets(watched))
    # Java says that it closes with the alert user_canceled before close_notify (RFC 8446, section 6.1).
    it.same("nothing is wrong with what java says", [], [name for name in findings(watched.records) if name != "tls.alert-warning"])
    compare_messages(it, "java", through, watched)
    it.same("TLS of java is sealed without one, and the option is named", (["missing"] * 2, True), (
        secrets(sealed), "java runs in Java, which writes no keys by itself. unmask run --watch --java-agent FILE.jar has it" in sealed.stderr))
    other = pathlib.Path(it.folder, "other.jar")
    shutil.copy(jar, other)
    subprocess.run(["python3", "-c", "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as jar: "
                    "jar.writestr('META-INF/MANIFEST.MF', 'Manifest-Version: 1.0\\r\\n\\r\\nName: a\\r\\nPremain-Class: KeyAgent\\r\\n')", other], check=True)
    refused = watching.run(["echo", "started"], "--java-agent", str(other))
    it.same("a JAR that is not an agent is refused before the start", (2, "", f"unmask: --java-agent {other}: it is not an agent: its manifest has no Premain-Class\n"), (
        refused.returncode, refused.stdout, refused.stderr))


def compare_url_session(it, watching, secure):
    """Swift's URLSession trusts the system's list of CAs alone: under run it takes --all, and the server's CA has to stand in the list otherwise."""
    roots = "/etc/ssl/certs/ca-certificates.crt"
    if not shutil.which("swiftc") or not os.path.exists(roots) or not shutil.which("nft"):
        print("skipped: unmask run --watch -- URLSession (there is no swiftc, nft or list of CAs)", flush=True)
        return
    (source := pathlib.Path(it.folder, "main.swift")).write_text(URL_SESSION)
    program = str(pathlib.Path(it.folder, "ask-by-url-session"))
    subprocess.run(["swiftc", str(source), "-o", program], check=True, capture_output=True, timeout=120)
    url = f"https://localhost:{secure}/word"
    trusting = ["unshare", "--mount", "sh", "-c", f'mount --bind "$1" "$(realpath {roots})" && exec "$2" "$3"', "sh", str(it.certificates.authority), program, url]
    watched = watching.run(trusting)
    it.same("URLSession is decrypted", (0, "the word\n", ["keylog"]), (watched.returncode, watched.stdout, secrets(watched)))
    through = watching.run([program, url], "--all", "--upstream-ca", str(it.certificates.authority), watches=False)
    it.same("what URLSession prints under --all", (0, "the word\n"), (through.returncode, through.stdout))
    compare_messages(it, "URLSession", through, watched)


def compare_chromium(it, watching):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        print("skipped: unmask run --watch -- chromium (there is no chromium)", flush=True)
        return
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--ignore-certificate-errors", "--dump-dom"]
    said = []
    for number, watches in enumerate((False, True)):
        # Each has servers of its own, which hold an image of the page until its script is done.
        with Program("run_servers.py", it.certificates.server) as servers:
            url = f"https://localhost:{servers.process.stdout.readline().strip()}/page"
            run = watching.run([*command, f"--user-data-dir={it.folder}/profile-{number}", url], watches=watches)
        it.same("chromium shows the page", (0, True), (run.returncode, "the word heard: hello" in run.stdout))
        own = {record["conversation"] for record in kinds(run.records, "tls") if record.get("serverName") == "localhost"}
        requests = {(record["method"], record["target"]) for record in kinds(run.records, "request") if record["conversation"] in own}
        messages = [(record["from"], record["text"]) for record in kinds(run.records, "message")]
        # The icon of the page is asked for when there is time.
        said.append((requests - {("GET", "/favicon.ico")}, messages))
    it.same("chromium says the same under unmask run", *said)
    it.same("TLS of chromium is decrypted", {"keylog"}, {record["secrets"] for record in kinds(run.records, "tls") if record["conversation"] in own})


def compare_go(it, watching, secure):
    """Go writes no keys, and nothing has it write any from outside: it is named."""
    if not shutil.which("gron"):
        print("skipped: unmask run --watch -- gron (there is no gron)", flush=True)
        return
    run = watching.run(["gron", "--insecure", f"https://localhost:{secure}/word"])
    advice = "gron is written in Go, which writes no keys by itself. The program has to set KeyLogWriter of its tls.Config"
    it.same("a program in Go is sealed and named", (["missing"], True), (secrets(run), advice in run.stderr))


def compare_without_groups(it, watching):
    """A machine that has control groups of version 1 alone."""
    script = "for place in $(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .* - cgroup2 .*/\\1/p' /proc/self/mountinfo); do umount -l $place; done; exec \"$0\" run --watch -- echo started"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, it.unmask], env=watching.environment, capture_output=True, text=True, timeout=60)
    it.same("without cgroup2 it says so and does not start the program", (125, "", True, True), (
        done.returncode, done.stdout, done.stderr.startswith("unmask: --watch: no control groups of version 2 (cgroup2) are mounted here; "), "run --all" in done.stderr))


def compare_blank(it, watching, asking):
    """From a folder with a blank in its name, which LD_PRELOAD would take apart."""
    (folder := pathlib.Path(it.folder, "my tools")).mkdir()
    for name in (it.unmask, pathlib.Path(it.unmask).resolve().parent / "libunmask-keys.so"):
        shutil.copy(name, folder)
    unmask, it.unmask = it.unmask, folder / pathlib.Path(it.unmask).name
    blank = watching.run(["sh", "-c", "echo $LD_PRELOAD >&2; " + asking])
    it.unmask = unmask
    shutil.rmtree(folder)
    it.same("the library is loaded from a path with a blank", (["keylog"], False), (
        [record["secrets"] for record in kinds(blank.records, "tls")], "cannot be preloaded" in blank.stderr or "my tools" in blank.stderr))


def compare_console(it, watching, plain):
    """The console's own packets have its token: they are left out."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = pathlib.Path(it.folder, "console.ndjson")
    asking = f"curl -sS -q -o /dev/null http://127.0.0.1:{port}/; curl -sS -q -o /dev/null http://localhost:{plain}/word"
    command = [str(it.unmask), "run", "--watch", "--console", str(port), "--log", str(log), "--", "sh", "-c", asking]
    running = subprocess.Popen(command, env=watching.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = ""
    while "stays until Ctrl-C" not in said and (line := running.stderr.readline()):
        said += line
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    it.same("packets of the console are not captured", (["/word"], 1), (
        [record["target"] for record in kinds(records, "request")], len(kinds(records, "opened"))))


def compare_rights(it, watching):
    """As another user: the program is not started, and the line says what is needed."""
    if not shutil.which("setpriv"):
        return
    command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", it.unmask]
    environment = watching.environment | {"TMPDIR": "/tmp"}
    if subprocess.run([*command, "--version"], env=environment, capture_output=True).returncode != 0:
        return
    done = subprocess.run([*command, "run", "--watch", "--", "echo", "started"], env=environment, capture_output=True, text=True)
    it.same("without rights", (125, "", True), (
        done.returncode, done.stdout, done.stderr.startswith("unmask: --watch needs root: sudo unmask run --watch -- ")))


def compare_large(it, watching):
    """As much as the kernel keeps, and then more than that while nothing is read."""
    server = subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE, text=True)
    place = f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
    url = f"{place}/16"
    try:
        whole = watching.run(["curl", "-sS", "-q", "-o", "/dev/null", url], "--payload", "none")
        # A client that is short of time may close its window.
        it.same("nothing is missing of 16 MiB", ([], [], 16 << 20), (
            [name for name in findings(whole.records) if name != "tcp.zero-window"], kinds(whole.records, "gap"), sum(record.get("length", 0) for record in kinds(whole.records, "body"))))
        # More than kernel and program keep of packets that wait.
        larger = watching.run(["curl", "-sS", "-q", "--limit-rate", "100M", "-o", "/dev/null", f"{place}/256"], "--payload", "none")
        it.same("nothing is missing of 256 MiB at 100 MiB/s", ([], [], 256 << 20), (
            [name for name in findings(larger.records) if name != "tcp.zero-window"], kinds(larger.records, "gap"), sum(record.get("length", 0) for record in kinds(larger.records, "body"))))
        log = pathlib.Path(it.folder, "stopped.ndjson")
        asking = "echo ready; read line; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do curl -sS -q -o /dev/null " + url + "; done; echo done; read line"
        command = [it.unmask, "run", "--watch", "--payload", "none", "--log", log, "--", "sh", "-c", asking]
        running = subprocess.Popen(command, env=watching.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.stdout.readline()
        running.send_signal(signal.SIGSTOP)
        running.stdin.write("go\n")
        running.stdin.flush()
        running.stdout.readline()
        running.send_signal(signal.SIGCONT)
        running.communicate("end\n", timeout=60)
        records = [json.loads(line) for line in log.read_text().splitlines()]
        it.same("what the kernel has no room for is counted", True, "capture.packets-dropped" in findings(records))
    finally:
        server.kill()
        server.wait()


def compare(it):
    if os.geteuid() != 0:
        raise comparison.Skipped("unmask run --watch (it needs root)")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    watching = Watching(it)
    first = watching.run(["true"])
    if first.returncode == 125:
        raise comparison.Skipped(f"unmask run --watch ({first.stderr.strip()})")
    it.same("a program without connections is named", (0, "unmask: true made no TCP connection\n"), (first.returncode, first.stderr))
    with Program("run_servers.py", it.certificates.server) as servers:
        plain, secure = str(servers.port), servers.process.stdout.readline().strip()
        compare_programs(it, watching, plain, secure)
        url = f"https://localhost:{secure}/word"

        # A program that trusts one key alone, which no proxy has.
        file = pathlib.Path(it.folder, "talk.pcapng")
        pinned = watching.run(["curl", "-sS", "-q", "--pinnedpubkey", pin(it.certificates), url], "-w", str(file))
        it.same("curl with a pinned key", (0, "the word"), (pinned.returncode, pinned.stdout))
        it.same("its request is in the log", ["/word"], [record["target"] for record in kinds(pinned.records, "request")])
        it.same("the recording is its owner's", 0o600, file.stat().st_mode & 0o777)
        read = subprocess.run([it.unmask, "read", "--format", "ndjson", file], env=watching.environment, capture_output=True, text=True)
        read = [json.loads(line) for line in read.stdout.splitlines()]
        it.same("the recording is read without other keys", ["the word"], [record["text"] for record in kinds(read, "body")])
        if shutil.which("tshark"):
            shown = subprocess.run(["tshark", "-r", file, "-Y", "http", "-T", "fields", "-e", "http.request.uri", "-e", "http.response.code"],
                                   capture_output=True, text=True).stdout.split()
            it.same("tshark reads it too", ["/word", "200"], shown)
        refused = watching.run(["curl", "-sS", "-q", "--pinnedpubkey", pin(it.certificates), url], watches=False)
        it.same("the proxy is refused by it", 90, refused.returncode)

        # OpenSSL by itself writes no keys.
        asking = f"printf 'GET /word HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -connect localhost:{secure} 2>/dev/null | tail -n 1"
        preloaded = watching.run(["sh", "-c", asking])
        it.same("openssl s_client is decrypted by the library that is loaded into it", (["keylog"], ["/word"]), (
            [record["secrets"] for record in kinds(preloaded.records, "tls")], [record["target"] for record in kinds(preloaded.records, "request")]))
        own = watching.run([sys.executable, "-c", OWN_CONTEXT, secure, str(pathlib.Path(it.folder, "own.log"))])
        it.same("a context of Python's own is decrypted, and its key log is its own", (0, ["keylog", "keylog"], True), (
            own.returncode, [record["secrets"] for record in kinds(own.records, "tls")], pathlib.Path(it.folder, "own.log").stat().st_size > 0))
        # The user's own file, which is not there yet, has what it has without unmask: nothing of openssl, and of curl each line once.
        mine = pathlib.Path(it.folder, "mine.log")
        watching.environment["SSLKEYLOGFILE"] = str(mine)
        kept = watching.run(["sh", "-c", asking])
        it.same("a key log of the user's own is left alone", (["keylog"], False), (
            [record["secrets"] for record in kinds(kept.records, "tls")], mine.exists()))
        kept = watching.run(["curl", "-sS", "-q", "--insecure", url])
        lines = mine.read_text(encoding="ascii").splitlines() if mine.exists() else []
        it.same("curl writes each line once to it", (["keylog"], True, len(set(lines))), (
            [record["secrets"] for record in kinds(kept.records, "tls")], len(lines) > 0, len(lines)))
        # A pipe is for its reader.
        pipe = pathlib.Path(it.folder, "pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
        watching.environment["SSLKEYLOGFILE"] = str(pipe)
        kept = watching.run(["curl", "-sS", "-q", "--insecure", url])
        del watching.environment["SSLKEYLOGFILE"]
        read, _ = reader.communicate(timeout=30)
        it.same("the reader of a pipe gets the keys, and unmask its own", (["keylog"], len(lines)), (
            [record["secrets"] for record in kinds(kept.records, "tls")], len(read.splitlines())))
        compare_java(it, watching, secure)
        compare_url_session(it, watching, secure)
        compare_chromium(it, watching)
        compare_go(it, watching, secure)
        compare_blank(it, watching, asking)
        compare_console(it, watching, plain)
        given = watching.run(["sh", "-c", "echo $LD_PRELOAD"])
        it.same("LD_PRELOAD names the library", True, given.stdout.endswith("libunmask-keys.so\n"))

        # What has no keys says why.
        sealed = watching.run(["sh", "-c", f"unset LD_PRELOAD; echo Q | openssl s_client -quiet -connect localhost:{secure} 2>&1 | tail -c 0"])
        it.same("openssl s_client without the library is sealed", ["missing"], [record["secrets"] for record in kinds(sealed.records, "tls")])
        it.same("and the library is named", True, "is not decrypted: openssl uses OpenSSL (libssl.so" in sealed.stderr)

        # Of two programs that may have made a connection, the one that did not is not blamed.
        idle = f"import ssl, socket, time; s = socket.create_connection(('localhost', {plain})); time.sleep(2)"
        two = watching.run(["sh", "-c", f'unset LD_PRELOAD; python3 -c "{idle}" & sleep 0.7; echo Q | openssl s_client -quiet -connect '
                            f"localhost:{secure} 2>&1 | tail -c 0; wait"])
        it.same("of two programs the other is not named", (["missing"], True, False), (
            [record["secrets"] for record in kinds(two.records, "tls")], "is not decrypted" in two.stderr, "python3 uses" in two.stderr))

        # Others talk to the same server meanwhile.
        other = subprocess.Popen(["sh", "-c", f"while :; do curl -sS -q http://localhost:{plain}/other; done"], stdout=subprocess.DEVNULL)
        mixed = watching.run(["curl", "-sS", "-q", f"http://localhost:{plain}/word"])
        other.kill()
        other.wait()
        it.same("only the program itself is captured", ["/word"], [record["target"] for record in kinds(mixed.records, "request")])

        # Killed while its program runs.
        command = [it.unmask, "run", "--watch", "--", sys.executable, "-c", "import sys; print('ready', flush=True); sys.stdin.read()"]
        killed = subprocess.Popen(command, env=watching.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        killed.stdout.readline()
        it.same("there is something to leave behind", True, bool(watching.left()))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        killed.stdin.close()
        it.same("killed, it leaves nothing behind", [], watching.left_soon())

    compare_rights(it, watching)
    compare_without_groups(it, watching)
    both = watching.run([sys.executable, "-c", BOTH_ENDS])
    it.same("both ends of one program are captured once", (0, [], [8, 8], ["fin", "fin"]), (
        both.returncode, findings(both.records), [sum(data["length"] for data in kinds(both.records, "data")
        if data["conversation"] == number and data["from"] == "client") * 2 for number in (1, 2)],
        [record["how"] for record in kinds(both.records, "closed")]))

    upload = watching.run([sys.executable, "-c", UPLOAD], "--payload", "none")
    it.same("nothing is missing of 8 MiB that the program sends", ([], 8 << 20), (
        kinds(upload.records, "gap"), sum(record["length"] for record in kinds(upload.records, "data"))))
    compare_large(it, watching)
    inner = "p=$(sed -n 's/^0:://p' /proc/self/cgroup); m=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .* - cgroup2 .*/\\1/p' /proc/self/mountinfo | head -n1)"
    made = watching.run(["sh", "-c", inner + '; mkdir -p "$m$p/inner/below" && echo made'])
    it.same("groups that the program makes inside its own are removed", True, made.stdout == "made\n")
    it.same("the status is the program's", 7, watching.run(["sh", "-c", "exit 7"]).returncode)
    # What is left running is not in the way.
    it.same("a program may leave another one behind", 0, watching.run(["sh", "-c", "sleep 3 & true"]).returncode)
    it.same("nothing is left behind", [], watching.left_soon())
    compare_left_running(it, watching)


# Makes its context when the run is over, and notes what came of it.
LEFT = """
import os, ssl, sys, time
if os.fork():
    os._exit(0)
os.setsid()
for number in range(3):
    os.dup2(os.open(os.devnull, os.O_RDWR), number)
time.sleep(1.5)
try:
    ssl.create_default_context()
    word = "made"
except OSError as error:
    word = str(error)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(word)
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""


def compare_left_running(it, watching):
    """What the program leaves running, and what becomes another user, works as without unmask."""
    with tempfile.TemporaryDirectory() as folder:
        note = pathlib.Path(folder) / "note"
        it.same("the run does not wait for what is left", 0, watching.run([sys.executable, "-c", LEFT, str(note)]).returncode)
        deadline = time.monotonic() + 20
        while not note.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        it.same("it finds the file for its keys", "made", note.read_text() if note.exists() else "nothing")
        it.same("then that is removed", [], watching.left_soon())
    python = "/usr/bin/python3"
    if shutil.which("setpriv") and os.access(python, os.X_OK):
        other = watching.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", python, "-c",
                              "import ssl; ssl.create_default_context(); print('made')"])
        it.same("a program that becomes another user may write its keys", "made\n", other.stdout)
    locked = watching.run(["bash", "-c", "exec 200>&1; echo word >&200"])
    it.same("a shell has the numbers that it takes", "word\n", locked.stdout)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
