#!/usr/bin/env python3
"""`unmask run --all` in a network that is this script's own: a program that knows nothing of a proxy, and what is left when it is over.

    unshare --net --mount python3 run_network.py PROGRAM

Prints `skipped: …` where the machine cannot do this.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import comparison
from programs import Program

SERVER, NAMES, NOBODY = "10.77.0.2", "127.0.0.9", "127.0.0.8"

# What the program does, with the ports of two servers each. It prints one JSON list.
CLIENT = """
import http.server, json, os, socket, ssl, sys, threading, time, urllib.request
plain, secure, near, near_secure = map(int, sys.argv[1:])
system = ssl.create_default_context(cafile="/etc/ssl/certs/ca-certificates.crt")
def get(url, **more):
    try: return urllib.request.urlopen(url, timeout=20, **more).read().decode()
    except OSError as error: return repr(error)
told = [sorted(name for name in os.environ if name.lower().endswith("_proxy"))]
told += [get(f"http://server.test:{plain}/word"), get(f"https://10.77.0.2:{secure}/word")]
told += [get(f"https://10.77.0.2:{secure}/word", context=system), get(f"http://127.0.0.1:{near}/word"), get(f"http://[::1]:{near}/word")]
class Own(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"my own")
    def log_message(self, *_): pass
own = http.server.HTTPServer(("127.0.0.1", 0), Own)
threading.Thread(target=own.serve_forever, daemon=True).start()
told.append(get(f"http://127.0.0.1:{own.server_port}/own"))
begun = time.monotonic()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    probe.settimeout(10)
    try:
        probe.connect(("10.77.0.2", 443))
        probe.send(b"QUIC")
        probe.recv(100)
        told.append("something came back")
    except TimeoutError: told.append("nothing came back")
    except OSError: told.append("refused")
try: socket.create_connection(("10.77.0.2", 9), timeout=10).recv(1); told.append("open")
except ConnectionResetError: told.append("reset")
print(json.dumps(told), flush=True)
# What is said last is not lost, though nobody waits for it.
last = socket.create_connection(("10.77.0.2", plain))
last.send(b"GET /last HTTP/1.1\\r\\nHost: server.test\\r\\n\\r\\n")
os._exit(7)
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout


def serve_names(door):
    """Every name has the one address, and none of IPv6 (RFC 1035)."""
    while True:
        query, client = door.recvfrom(4096)
        end = query.index(b"\0", 12) + 5
        kind = struct.unpack(">H", query[end - 4:end - 2])[0]
        response = query[:2] + struct.pack(">HHHHH", 0x8180, 1, int(kind == 1), 0, 0) + query[12:end]
        if kind == 1:
            response += b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(SERVER)
        door.sendto(response, client)


def machine():
    """What a run could leave behind: interfaces, routes, rules and mounts."""
    return [run("ip", "-brief", "link"), run("ip", "route", "show", "table", "all"), run("nft", "list", "ruleset"), pathlib.Path("/proc/self/mounts").read_text()]


def prepare(it):
    if os.geteuid() != 0:
        raise comparison.Skipped("unmask run --all (it takes root)")
    for tool in ("ip", "nft", "mount"):
        if not shutil.which(tool):
            raise comparison.Skipped(f"unmask run --all (there is no {tool})")
    run("ip", "link", "set", "lo", "up")
    run("ip", "address", "add", f"{SERVER}/32", "dev", "lo")
    (resolver := pathlib.Path(it.folder, "resolv.conf")).write_text(f"nameserver {NOBODY}\nnameserver {NAMES}\n")
    run("mount", "--make-rprivate", "/")
    run("mount", "--bind", str(resolver), os.path.realpath("/etc/resolv.conf"))
    door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    door.bind((NAMES, 53))
    threading.Thread(target=serve_names, args=(door,), daemon=True).start()


def environment(it):
    kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy") and not key.startswith("SSL_")}
    return kept | {"TMPDIR": str(it.folder)}


def talk(it):
    before = machine()
    log = pathlib.Path(it.folder, "log.ndjson")
    with Program("run_servers.py", it.certificates.server, SERVER) as far, Program("run_servers.py", it.certificates.server) as near:
        ports = [str(port) for each in (far, near) for port in (each.port, each.process.stdout.readline().strip())]
        command = [str(it.unmask), "run", "--all", "--upstream-ca", str(it.certificates.authority), "--log", str(log), "--",
                   sys.executable, "-c", CLIENT, *ports]
        done = subprocess.run(command, env=environment(it), capture_output=True, text=True, timeout=90)
    it.same("what the program says", (7, [[], *["the word"] * 5, "my own", "refused", "reset"]), (
        done.returncode, json.loads(done.stdout) if done.stdout else done.stderr))
    records = [json.loads(line) for line in log.read_text().splitlines()]
    ways = [(record["via"]["mode"], record["via"]["target"]) for record in records if record["kind"] == "opened"]
    own = ways[5][1] if len(ways) > 5 else ""
    targets = [f"{SERVER}:{ports[0]}", f"{SERVER}:{ports[1]}", f"{SERVER}:{ports[1]}", f"127.0.0.1:{ports[2]}", f"[::1]:{ports[2]}", own, f"{SERVER}:9", f"{SERVER}:{ports[0]}"]
    it.same("the log has all of it", [("transparent", target) for target in targets], ways)
    it.same("the last request is there", True, any(record["kind"] == "request" and record["target"] == "/last" for record in records))
    it.same("TLS is opened", ["terminated"] * 2, [record["secrets"] for record in records if record["kind"] == "tls"])
    it.same("the machine is as it was", before, machine())
    it.same("nothing is left behind", [], [path.name for path in it.folder.glob("unmask-run.*")])


def networks():
    """The network namespaces that processes are in."""
    found = set()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            found.add(os.readlink(process / "ns/net"))
        except OSError:
            pass
    return found


def waits(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def killed(it):
    before = machine()
    asked = "import os, sys; print(os.getpid(), os.readlink('/proc/self/ns/net'), flush=True); sys.stdin.read()"
    unmask = subprocess.Popen(
        [str(it.unmask), "run", "--all", "--", sys.executable, "-c", asked], env=environment(it), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    process, network = unmask.stdout.readline().split()
    it.same("the program has a network of its own", (True, False), (network in networks(), network == os.readlink("/proc/self/ns/net")))
    unmask.kill()
    unmask.wait()
    it.same("what was killed leaves the folder to the program", 1, len(list(it.folder.glob("unmask-run.*"))))
    unmask.stdin.close()
    it.same("the program ends", True, waits(lambda: not pathlib.Path(f"/proc/{process}/fd").exists()))
    it.same("and then the folder is removed", True, waits(lambda: not list(it.folder.glob("unmask-run.*"))))
    it.same("and the network too", True, waits(lambda: network not in networks()))
    it.same("the machine is as it was after a kill", before, machine())


# Asks for the console by both addresses of localhost, and for a server that is at one of them alone.
DIALS = """
import socket, sys, urllib.request
for port in sys.argv[1:]:
    for host in ("127.0.0.1", "[::1]"):
        try: print("reached" if urllib.request.urlopen(f"http://{host}:{port}/", timeout=20).read() else "empty")
        except OSError: print("refused")
"""


def console(it):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = pathlib.Path(it.folder, "console.ndjson")
    with Program("run_servers.py", it.certificates.server) as near:
        command = [str(it.unmask), "run", "--all", "--console", str(port), "--log", str(log), "--", sys.executable, "-c", DIALS, str(port), str(near.port)]
        running = subprocess.Popen(command, env=environment(it), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = ""
        while "stays until Ctrl-C" not in said and (line := running.stderr.readline()):
            said += line
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=60)
    it.same("the console is not reached from the program's network", ["refused", "refused", "reached", "reached"], output.split())
    records = [json.loads(line) for line in log.read_text().splitlines()]
    it.same("and it is said why", ["proxy.loop"] * 2, [record["id"] for record in records if record["kind"] == "finding"])


def compare(it):
    prepare(it)
    talk(it)
    console(it)
    killed(it)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
