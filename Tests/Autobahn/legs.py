"""The ways from the fuzzing client to the server: directly, and through each mode of the proxy."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Peers"))

from programs import Program, Unmask  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Leg:
    """`way` is how the client reaches the proxy, `client` and `server` are the schemes that the two ends speak."""

    way: str
    client: str
    server: str

    @property
    def name(self):
        return f"{self.way} {self.client}" + (f" to {self.server}" if self.server != self.client else "")


# Without a proxy: twice, and once through a program that only copies bytes from one socket to another.
DIRECT = tuple(Leg(way, scheme, scheme) for scheme in ("ws", "wss") for way in ("direct", "direct", "copied"))
PROXIED = (
    Leg("reverse", "ws", "ws"), Leg("reverse", "wss", "wss"), Leg("reverse", "wss", "ws"), Leg("reverse", "ws", "wss"),
    Leg("connect", "ws", "ws"), Leg("connect", "wss", "wss"), Leg("absolute", "ws", "ws"),
    Leg("socks5", "ws", "ws"), Leg("socks5", "wss", "wss"),
    Leg("transparent", "ws", "ws"), Leg("transparent", "wss", "wss"),
)
MODES = {"connect": "http", "absolute": "http", "socks5": "socks5", "transparent": "transparent"}


class Unreachable(Exception):
    """A leg that cannot be laid here, and why."""


@contextlib.contextmanager
def laid(leg, unmask, certificates, folder):
    """Starts the server, the proxy and what stands before it; yields (URL for the client, what to run it under, the proxy)."""
    with contextlib.ExitStack() as stack:
        if leg.way == "transparent":
            yield from transparent(leg, unmask, certificates, folder, stack)
            return
        tls = ["--certificate", certificates.server] if leg.server == "wss" else []
        server = stack.enter_context(Program("echo_server.py", *tls))
        if leg.way in ("direct", "copied"):
            port = server.port
            if leg.way == "copied":
                shim = Program("shim.py", "--way", "direct", "--proxy", f"localhost:{port}", "--target", f"localhost:{port}")
                port = stack.enter_context(shim).port
            yield f"{leg.client}://localhost:{port}", (), None
            return
        mode = MODES.get(leg.way) or f"reverse:{leg.server}://localhost:{server.port}"
        proxy = stack.enter_context(Unmask(unmask, folder, "--mode", mode, "--upstream-ca", certificates.authority))
        port = proxy.port
        if leg.way != "reverse":
            shim = Program("shim.py", "--way", leg.way, "--proxy", f"127.0.0.1:{port}", "--target", f"localhost:{server.port}")
            port = stack.enter_context(shim).port
        yield f"{leg.client}://localhost:{port}", (), proxy


def transparent(leg, unmask, certificates, folder, stack):
    """The client in one network namespace, the proxy as its router in another: the kernel turns the connection aside."""
    if os.geteuid() != 0 or not shutil.which("nft") or not shutil.which("ip"):
        raise Unreachable("needs root, nft and ip")
    client, router = (f"unmask-{side}-{os.getpid()}" for side in "cr")

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise Unreachable(f"{' '.join(command)}: {done.stderr.strip()}")

    for name in (client, router):
        run("ip", "netns", "add", name)
        stack.callback(subprocess.run, ["ip", "netns", "delete", name], capture_output=True)
    run("ip", "link", "add", "veth-c", "netns", client, "type", "veth", "peer", "name", "veth-r", "netns", router)
    for name, device, address in ((client, "veth-c", "10.77.0.1/24"), (router, "veth-r", "10.77.0.2/24")):
        run("ip", "-n", name, "address", "add", address, "dev", device)
        for link in ("lo", device):
            run("ip", "-n", name, "link", "set", link, "up")
    inside = ("ip", "netns", "exec", router)
    tls = ["--certificate", certificates.server] if leg.server == "wss" else []
    server = stack.enter_context(Program("echo_server.py", "--address", "0.0.0.0", *tls, prefix=inside))
    # The certificate is for localhost and the address alike, so that the address verifies.
    proxy = stack.enter_context(
        Unmask(unmask, folder, "--mode", "transparent", "--upstream-ca", certificates.authority, listen="10.77.0.2:0", prefix=inside))
    run(*inside, "nft", "add table ip unmask; add chain ip unmask in { type nat hook prerouting priority dstnat; }; "
        f"add rule ip unmask in tcp dport {server.port} redirect to :{proxy.port}")
    yield f"{leg.client}://10.77.0.2:{server.port}", ("ip", "netns", "exec", client), proxy
