#!/usr/bin/env python3
"""Node on both sides: plain HTTP, HTTPS, a WebSocket by hand on `upgrade`, a raw TLS socket; directly and through each mode."""

import json
import pathlib
import shutil
import subprocess
import sys

import comparison

SCRIPT = pathlib.Path(__file__).resolve().parent / "node_peers.js"


def compare(it):
    if not shutil.which("node"):
        raise comparison.Skipped("Node through the proxy (there is no node)")

    def node(*arguments, **options):
        return subprocess.Popen(
            ["node", str(SCRIPT), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)

    server = node("server", it.certificates.server)
    try:
        plain, secure = map(int, server.stdout.readline().split())

        def ask(scheme, target, port, way, authority):
            client = node("client", scheme, target, port, way, authority)
            output, _ = client.communicate(timeout=60)
            return json.loads(output)

        for scheme, target in (("http", plain), ("https", secure)):
            without = ask(scheme, target, target, "direct", it.certificates.authority)
            it.same(f"node answers node over {scheme}", "hello back", without.get("message"))
            for way, mode in (("reverse", f"reverse:{scheme}://localhost:{target}"), ("connect", "http"), ("socks5", "socks5")):
                with it.proxy(mode) as proxy:
                    through = ask(scheme, target, proxy.port, way, proxy.authority)
                it.same(f"node, {scheme} through {way}", without, through)
    finally:
        server.stdin.close()
        server.wait(10)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
