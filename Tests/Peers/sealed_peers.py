#!/usr/bin/env python3
"""A sealed recording (`-w FILE --sealed`) of what curl and openssl say to servers, read by tshark and by `unmask read`.

Both connections of each conversation have to say what the live log says, request for request and byte for byte.
"""

import collections
import shutil
import stat
import subprocess
import sys

import comparison
import curl_peers
import exchanges
from programs import Unmask

def troubles(records):
    """The violations that were found, counted."""
    return collections.Counter(record["id"] for record in records if record["kind"] == "finding" and record["severity"] == "violation")


def tshark(path, ports, expression, *fields):
    """Of a server at a port that it does not know, tshark goes by the client's: what is spoken at these ports is told."""
    command = ["tshark", "-r", str(path), "-Y", expression, "-T", "fields"]
    command += [word for port, spoken in ports.items() if spoken for word in ("-d", f"tcp.port=={port},{spoken}")]
    command += [word for field in fields for word in ("-e", field)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return collections.Counter(line for line in done.stdout.splitlines())


def hold(it, name, mode, secure, front, play):
    """Plays a talk through a proxy to a server of TLS at a port, and holds what was recorded against its log."""
    folder = it.folder / f"sealed-{name}"
    recording = folder / "talk.pcapng"
    with Unmask(it.unmask, folder, "--mode", mode, "--upstream-ca", it.certificates.authority, "-w", recording, "--sealed") as proxy:
        play(proxy)
    it.same(f"{name}: the proxy ends well", 0, proxy.status)
    it.same(f"{name}: only its owner reads the recording", 0o600, stat.S_IMODE(recording.stat().st_mode))
    live, sealed = it.records(proxy), exchanges.read(it.unmask, recording)
    log = exchanges.said(live)
    it.same(f"{name}: something was said", True, sum(log.values()) > 0)
    it.same(f"{name}: both connections say what the log says", exchanges.NOTHING, exchanges.difference(log, exchanges.said(sealed), 2))
    secrets = {record["secrets"] for record in sealed if record["kind"] == "tls"}
    it.same(f"{name}: TLS is opened by the secrets in the recording", {"keylog"}, secrets)
    it.same(f"{name}: what is wrong with it is wrong on both", troubles(live) + troubles(live), troubles(sealed))
    if shutil.which("tshark"):
        # Responses that end with their connection it does not see in TLS.
        fields = ("frame.interface_name", "http.request.method", "http.request.uri")
        seen = tshark(recording, {secure: "tls", proxy.port: front}, "http.request.method and http.request.method != CONNECT", *fields)
        by_side = {side: collections.Counter({line.split("\t", 1)[1]: count for line, count in seen.items() if line.startswith(side)})
                   for side in ("client to proxy", "proxy to server")}
        it.same(f"{name}: tshark sees the same on both connections", by_side["client to proxy"], by_side["proxy to server"])
        it.same(f"{name}: tshark sees the requests", True, sum(by_side["client to proxy"].values()) > 0)
    else:
        print(f"skipped: {name}: what tshark sees in a sealed recording (there is no tshark)", flush=True)


def openssl(proxy, authority, server):
    """openssl's client, by CONNECT, with a request by hand."""
    command = ["openssl", "s_client", "-quiet", "-proxy", f"127.0.0.1:{proxy.port}", "-connect", f"localhost:{server}", "-servername",
               "localhost", "-CAfile", str(authority), "-verify_return_error", "-ign_eof"]
    request = b"HEAD /head HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    return subprocess.run(command, input=request, capture_output=True, timeout=60).stdout


def compare(it):
    for program in ("curl", "openssl"):
        if not shutil.which(program):
            raise comparison.Skipped(f"sealed recordings (there is no {program})")
    secure = curl_peers.server(it.certificates.server_context())

    def through(scheme, *options):
        def play(proxy):
            way = ("--proxy", f"{scheme}://127.0.0.1:{proxy.port}", "--noproxy", "", *options)
            curl_peers.tries(f"https://localhost:{secure}", proxy.authority, *way)
        return play

    hold(it, "TLS 1.3 by CONNECT", "http", secure, "http", through("http"))
    hold(it, "TLS 1.2 by SOCKS", "socks5", secure, None, through("socks5h", "--tls-max", "1.2"))
    hold(it, "TLS in reverse mode", f"reverse:https://localhost:{secure}", secure, "tls",
         lambda proxy: curl_peers.tries(f"https://localhost:{proxy.port}", proxy.authority))
    hold(it, "openssl by CONNECT", "http", secure, "http", lambda proxy: openssl(proxy, proxy.authority, secure))

    # One side in the clear: it stands there as it was.
    def half(proxy):
        curl_peers.tries(f"http://localhost:{proxy.port}", proxy.authority)

    hold(it, "plaintext to TLS", f"reverse:https://localhost:{secure}", secure, "http", half)


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
