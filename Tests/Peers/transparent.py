"""A gateway between two networks of its own, with `unmask proxy --mode transparent` on it.

    unshare --net python3 transparent.py PROGRAM

    client ── 10.77.1.0/24, fd77:1::/64 ── gateway, nftables, the proxy ── 10.77.2.0/24, fd77:2::/64 ── server

The networks are of this process and its children, and go with them. Prints one JSON object: what each client heard, and what the proxy
recorded. Ends with status 77 and a line that says why where the machine cannot do this.
"""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

NOBODY = 65534
CLIENT = ("10.77.1.2", "fd77:1::2")
GATEWAY = ("10.77.1.1", "fd77:1::1")
SERVER = ("10.77.2.2", "fd77:2::2")
PLAIN, SEALED = 7000, 7443
PATIENCE = 20

children = []


def run(line, feed=None):
    """One command of the machine's; words are split at spaces."""
    done = subprocess.run(line.split(), input=feed, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        give_up(f"{line}: {(done.stderr or done.stdout).strip()}")


def give_up(why):
    print(why)
    end_children()
    sys.exit(77)


def end_children():
    for child in children:
        child.kill()
        child.wait()


def start(arguments, **more):
    child = subprocess.Popen(arguments, **more)
    children.append(child)
    return child


# The server: answers each line with a word before it.


def serve(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
    listeners = []
    for address in SERVER:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for port in (PLAIN, SEALED):
            listener = socket.create_server((address, port), family=family)
            listeners.append(listener)
            threading.Thread(target=accept, args=(listener, context if port == SEALED else None), daemon=True).start()
    print("ready", flush=True)
    signal.pause()


def accept(listener, context):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, context), daemon=True).start()


def answer(connection, context):
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        with connection, connection.makefile("rwb") as talk:
            for line in talk:
                talk.write(b"heard " + line)
                talk.flush()
    except OSError:
        pass


# The client: says a line, and tells what came back.


def ask(folder, where, says):
    """Over each family, plain and in TLS."""
    told = []
    for address in where:
        for port in (PLAIN, SEALED):
            told.append({"to": address, "tls": port == SEALED, **exchange(folder, address, port, says)})
    return told


def exchange(folder, address, port, says):
    try:
        with socket.create_connection((address, port), timeout=PATIENCE) as connection:
            issuer = ""
            if port == SEALED:
                context = ssl.create_default_context(cafile=f"{folder}/ca/authority/unmask-authority.pem")
                connection = context.wrap_socket(connection, server_hostname="server.test")
                issuer = dict(pair[0] for pair in connection.getpeercert()["issuer"])["commonName"]
            connection.sendall(says.encode() + b"\n")
            heard = connection.makefile("rb").readline().decode().strip()
            return {"heard": heard, "issuer": issuer}
    except OSError as error:
        return {"heard": type(error).__name__, "issuer": ""}


def knock(addresses, port):
    """At the proxy's own door, where nobody was redirected from."""
    told = []
    for address in addresses:
        try:
            with socket.create_connection((address, port), timeout=PATIENCE) as connection:
                connection.sendall(b"is anybody there\n")
                told.append(repr(connection.recv(100)))
        except OSError as error:
            told.append(type(error).__name__)
    return told


# The gateway.


def network():
    """A network namespace, as the id of a process that lives in it."""
    child = start(["unshare", "--net", "sleep", "300"])
    ours = os.readlink("/proc/self/ns/net")
    deadline = time.monotonic() + PATIENCE
    while os.readlink(f"/proc/{child.pid}/ns/net") == ours:
        if time.monotonic() > deadline or child.poll() is not None:
            give_up("no second network namespace can be made")
    return child.pid


def join(pid, name, near, far):
    run(f"ip link add {name} type veth peer name far netns {pid}")
    run(f"ip link set {name} up")
    inside = f"nsenter --net=/proc/{pid}/ns/net ip"
    run(f"{inside} link set lo up")
    run(f"{inside} link set far up")
    for one, other, length in ((near[0], far[0], 24), (near[1], far[1], 64)):
        quiet = " nodad" if ":" in one else ""
        run(f"ip address add {one}/{length} dev {name}{quiet}")
        run(f"{inside} address add {other}/{length} dev far{quiet}")
        run(f"{inside} route add default via {one}")


def certificate(folder):
    key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    run(f"openssl req -x509 {key} -keyout {folder}/root.key -out {folder}/root.pem -subj /CN=root -days 2")
    run(f"openssl req {key} -keyout {folder}/server.key -out {folder}/server.csr -subj /CN=server.test")
    with open(f"{folder}/names", "w", encoding="ascii") as names:
        names.write("subjectAltName=DNS:server.test")
    signing = f"-CA {folder}/root.pem -CAkey {folder}/root.key -CAcreateserial -days 2 -extfile {folder}/names"
    run(f"openssl x509 -req -in {folder}/server.csr {signing} -out {folder}/server.pem")


def rules(port):
    return f"""
        table inet unmask {{
            chain gateway {{
                type nat hook prerouting priority dstnat;
                iifname "client" meta l4proto tcp redirect to :{port}
            }}
            chain own {{
                type nat hook output priority -100;
                meta skuid {NOBODY} tcp dport {{ {PLAIN}, {SEALED} }} redirect to :{port}
            }}
        }}
    """


def main(program):
    if os.geteuid() != 0:
        give_up("it takes root")
    for tool in ("ip", "nft", "nsenter", "setpriv", "openssl"):
        if not shutil.which(tool):
            give_up(f"there is no {tool}")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        run("ip link set lo up")
        client, server = network(), network()
        join(client, "client", GATEWAY, CLIENT)
        join(server, "server", ("10.77.2.1", "fd77:2::1"), SERVER)
        certificate(folder)
        me = [sys.executable, os.path.abspath(__file__)]
        serving = start(["nsenter", f"--net=/proc/{server}/ns/net", *me, "serve", folder], stdout=subprocess.PIPE, text=True)
        if serving.stdout.readline() != "ready\n":
            give_up("the server does not start")
        options = ["--listen", "[::]:0", "--format", "ndjson", "--ca-folder", f"{folder}/ca", "--upstream-ca", f"{folder}/root.pem"]
        with open(f"{folder}/log", "w+", encoding="utf-8") as log:
            proxy = start([program, "proxy", "--mode", "transparent", *options], stdout=log, stderr=subprocess.PIPE, text=True)
            said = proxy.stderr.readline()
            port = int(said.split(" ")[3].rsplit(":", 1)[1])
            os.chmod(f"{folder}/ca", 0o755)
            os.chmod(f"{folder}/ca/authority", 0o755)
            run("nft -f -", rules(port))
            elsewhere = ["nsenter", f"--net=/proc/{client}/ns/net", *me]
            told = {
                "gateway": told_by([*elsewhere, "ask", folder, "from the gateway's network"]),
                "own": told_by(["setpriv", f"--reuid={NOBODY}", "--clear-groups", *me, "ask", folder, "from this machine"]),
                "straight": told_by([*elsewhere, "knock", *GATEWAY, str(port)]) + knock(("127.0.0.1", "::1"), port),
            }
            run("nft -f -", f"add rule inet unmask own ip daddr {SERVER[0]} tcp dport {PLAIN} redirect to :{port}")
            told["loop"] = exchange(folder, SERVER[0], PLAIN, "round and round")["heard"]
            proxy.send_signal(signal.SIGINT)
            told["status"] = proxy.wait(timeout=PATIENCE)
            log.seek(0)
            told["records"] = [json.loads(line) for line in log]
        print(json.dumps(told))
    end_children()


def told_by(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=4 * PATIENCE)
    return json.loads(done.stdout) if done.returncode == 0 else [done.stderr]


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    elif sys.argv[1] == "ask":
        print(json.dumps(ask(sys.argv[2], SERVER, sys.argv[3])))
    elif sys.argv[1] == "knock":
        print(json.dumps(knock(sys.argv[2:-1], int(sys.argv[-1]))))
    else:
        try:
            main(sys.argv[1])
        finally:
            end_children()
