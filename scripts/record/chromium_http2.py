#!/usr/bin/env python3
"""Headless Chromium opens WebSockets in streams of HTTP/2 (RFC 8441) over TLS; hypercorn of PyPI answers. The secrets stand in the capture."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Peers"))

import chromium_peers
import websocket_http2
from certificates import Certificates
from recording import browser, recording, wait_for

NOTE = """
Headless Chromium loads a page from hypercorn over HTTP/2 and TLS, and opens two WebSockets from it in streams of the same connection
(RFC 8441): permessage-deflate, text, binary, an empty text; closed by the page with 4001. A request beside the second one. The secrets are
in a Decryption Secrets Block.
"""

with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
    root = pathlib.Path(scratch)
    certificates = Certificates(root / "certificates")
    site, home, keys = root / "site", root / "home", root / "keys.log"
    home.mkdir()
    chromium_peers.trusting(home, certificates.authority)
    with websocket_http2.hypercorn(site, 8443, certificates.server):
        wait_for(8443)
        with recording("chromium-http2-websocket", NOTE, "tcp port 8443") as folder:
            print(websocket_http2.browse(browser(), site, home, "https://localhost:8443/", keys, "--no-proxy-server"))
    capture, sealed = folder / "capture.pcapng", root / "sealed.pcapng"
    capture.rename(sealed)
    subprocess.run(["editcap", "-F", "pcapng", "--inject-secrets", f"tls,{keys}", sealed, capture], check=True, stderr=subprocess.DEVNULL)
