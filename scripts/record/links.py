#!/usr/bin/env python3
"""The same kind of talk through other links: IPv6, the interface `any`, a bridge on which every packet is seen more than once."""

import socket
import subprocess
import threading
import time

from recording import recording, running
from websockets.sync.client import connect
from websockets.sync.server import serve


def echo(peer):
    for message in peer:
        peer.send(message)


def talk(host):
    with serve(echo, host, 9000, family=socket.AF_INET6 if ":" in host else socket.AF_INET) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        name = f"[{host}]" if ":" in host else host
        with connect(f"ws://{name}:9000/chat") as peer:
            for text in ("one", "two, two, two"):
                peer.send(text)
                peer.recv()
        server.shutdown()


with recording("link-ipv6", "A WebSocket (Python's websockets on both ends) over IPv6 loopback.", "tcp port 9000"):
    talk("::1")

with recording("link-any", "A WebSocket (Python's websockets on both ends), captured on the interface `any` (LINUX_SLL2).", "tcp port 9000", interface="any"):
    talk("127.0.0.1")


def shell(line):
    subprocess.run(line, shell=True, check=True)


SERVER = """
from websockets.sync.server import serve
def echo(peer):
    for message in peer: peer.send(message)
with serve(echo, "192.0.2.2", 9000) as server: server.serve_forever()
"""
CLIENT = """
from websockets.sync.client import connect
with connect("ws://192.0.2.2:9000/bridge") as peer:
    for text in ("one", "two, two, two"): peer.send(text); peer.recv()
"""


def bridge():
    """Two hosts behind a bridge; on `any` each of their packets passes two ports and the bridge."""
    shell("mkdir -p /run/netns && mount -t tmpfs none /run/netns")
    shell("ip link add bridge type bridge && ip link set bridge up")
    for index, host in ((1, "client"), (2, "server")):
        shell(f"ip netns add {host} && ip link add port{index} type veth peer name eth0 netns {host}")
        shell(f"ip link set port{index} master bridge && ip link set port{index} up")
        shell(f"ip -n {host} addr add 192.0.2.{index}/24 dev eth0 && ip -n {host} link set eth0 up && ip -n {host} link set lo up")


try:
    bridge()
except subprocess.CalledProcessError:
    print("skipped: link-bridge, since this machine has no bridges")
else:
    note = "A WebSocket between two hosts on a bridge, captured on `any`: every packet is seen several times, at each port and on the bridge."
    with running("ip", "netns", "exec", "server", "python3", "-c", SERVER):
        time.sleep(1)
        with recording("link-bridge", note, "tcp port 9000", interface="any"):
            subprocess.run(["ip", "netns", "exec", "client", "python3", "-c", CLIENT], check=True, timeout=20)
