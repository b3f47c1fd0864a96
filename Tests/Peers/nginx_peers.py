#!/usr/bin/env python3
"""nginx as a reverse proxy before Python's websockets, with our proxy before nginx and between nginx and its server: the same talk."""

import asyncio
import pathlib
import shutil
import subprocess
import sys

import comparison
import certificates
import http2_peers
from programs import Program

try:
    from websockets.asyncio.client import connect
except ImportError:
    connect = None

CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log emerg;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {certificate};
        location / {{
            proxy_pass http://127.0.0.1:{upstream};
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
        }}
    }}
}}
"""


async def talk(port, authority):
    seen = []
    context = certificates.client_context(authority)
    async with connect(f"wss://localhost:{port}/", ssl=context, ping_interval=None, open_timeout=10, max_size=None) as client:
        seen.append(client.response.status_code)
        seen.append(client.response.headers.get("Sec-WebSocket-Extensions"))
        for message in ("grüße", b"\0\xff" * 100, "long " * 50_000, ["in ", "three ", "fragments"]):
            await client.send(message)
            answer = await asyncio.wait_for(client.recv(), 20)
            seen.append((type(answer).__name__, len(answer), answer[:20]))
        await client.close(1000, "thanks")
    seen.append((client.close_code, client.close_reason))
    return seen


class Nginx:
    def __init__(self, it, upstream):
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        self.port = http2_peers.free_port()
        folder = pathlib.Path(it.folder, f"nginx-{self.port}")
        folder.mkdir()
        configuration = folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, port=self.port, upstream=upstream, certificate=it.certificates.server))
        self.process = subprocess.Popen([program, "-c", str(configuration), "-p", str(folder)], stderr=subprocess.DEVNULL)
        http2_peers.awaits(self.port, self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)


def compare(it):
    if not connect or not shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"):
        raise comparison.Skipped("nginx and the proxy (there is no nginx, or Python has no websockets of 14 or later)")
    own = it.certificates.authority
    with Program("echo_server.py") as server:
        with Nginx(it, server.port) as nginx:
            without = asyncio.run(talk(nginx.port, own))
            with it.proxy(f"reverse:wss://localhost:{nginx.port}") as proxy:
                it.same("nginx behind the proxy", without, asyncio.run(talk(proxy.port, proxy.authority)))
            it.same("the log has its messages", 8, sum(record["kind"] == "message" for record in it.records(proxy)))
        with it.proxy(f"reverse:ws://127.0.0.1:{server.port}") as proxy, Nginx(it, proxy.port) as nginx:
            it.same("nginx before the proxy", without, asyncio.run(talk(nginx.port, own)))


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
