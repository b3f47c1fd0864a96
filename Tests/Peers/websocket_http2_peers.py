#!/usr/bin/env python3
"""Chromium's WebSockets over HTTP/2 with hypercorn: through the proxy as without it, and captured with keys.

The log, and a capture of the browser's own connection, have every message of both WebSockets, each in a stream.
"""

import pathlib
import shutil
import sys

import chromium_peers
import comparison
import exchanges
import http2_peers
import websocket_http2
from programs import Unmask

SAYS = ["grüß dich", None, "x" * 20_000, ""]
ANSWERS = ["GRÜSS DICH", None, "X" * 20_000, ""]


def streams(records):
    """What each WebSocket in a stream said, by its path."""
    paths, talks = {}, {}
    for record in records:
        key = (record.get("conversation"), record.get("stream"))
        if record["kind"] == "upgrade" and key[1]:
            paths[key] = record["target"]
            talks[record["target"]] = [("upgrade", record["protocol"], record["subprotocol"], "compression" in record)]
        if key in paths and record["kind"] in ("message", "close"):
            said = record.get("code", record.get("text", record.get("base64")))
            talks[paths[key]].append((record["from"], record["kind"], said))
    return {path: talk[:1] + sorted(talk[1:], key=lambda one: one[0]) for path, talk in talks.items()}


def expected():
    client = [("client", "message", text if text is not None else "AAEC/f7/") for text in SAYS] + [("client", "close", 4001)]
    server = [("server", "message", text if text is not None else "//79AgEA") for text in ANSWERS] + [("server", "close", 4001)]
    return {path: [("upgrade", "websocket", "chat", True), *client, *server] for path in ("/one", "/two")}


def heard(report):
    """What the page has seen of one WebSocket after the other, whatever came of two at once."""
    if isinstance(report, str):
        return report
    return sorted(str(one) for one in report)


def compare(it):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program or not shutil.which("certutil"):
        raise comparison.Skipped("Chromium's WebSocket over HTTP/2 (there is no chromium or no certutil)")
    try:
        import hypercorn  # noqa: F401
    except ImportError:
        raise comparison.Skipped("Chromium's WebSocket over HTTP/2 (Python's hypercorn is not installed)") from None
    port = http2_peers.free_port()
    site = it.folder / "site"

    def browse(name, authority, url, *options, keys=None):
        home = pathlib.Path(it.folder, f"home-{name}")
        home.mkdir()
        chromium_peers.trusting(home, authority)
        return websocket_http2.browse(program, site, home, url, keys, *options)

    with websocket_http2.hypercorn(site, port, it.certificates.server) as process:
        http2_peers.awaits(port, process)
        keys, capture = it.folder / "browser.keys", it.folder / "browser.pcap"
        with exchanges.capturing(capture, [port]):
            without = browse("direct", it.certificates.authority, f"https://localhost:{port}/", "--no-proxy-server", keys=keys)
        answers = [str(answer) for answer in websocket_http2.ANSWERS]
        it.same("the page heard everything", sorted(answers * 2), [one for one in heard(without) if one.startswith("['message'")])
        captured = exchanges.read(it.unmask, "--keys", keys, capture)
        it.same("the capture has both WebSockets, with all that they said", expected(), streams(captured))
        for mode, url, options in (
            ("http", f"https://localhost:{port}/", ("--proxy-server=http://127.0.0.1:{}", "--proxy-bypass-list=<-loopback>")),
            (f"reverse:https://localhost:{port}", "https://localhost:{}/", ("--no-proxy-server",)),
        ):
            name = mode.split(":", 1)[0]
            folder = it.folder / f"proxy-{name}"
            keys, capture, recording = folder / "keys.log", folder / "both.pcap", folder / "sealed.pcapng"
            more = ("--upstream-ca", it.certificates.authority, "--keys", keys, "-w", recording, "--sealed")
            with Unmask(it.unmask, folder, "--mode", mode, *more) as proxy:
                with exchanges.capturing(capture, [port, proxy.port]):
                    through = browse(name, proxy.authority, url.format(proxy.port), *(one.format(proxy.port) for one in options))
            it.same(f"the page hears the same through {name}", heard(without), heard(through))
            log = it.records(proxy)
            it.same(f"the log of {name} has both WebSockets, with all that they said", expected(), streams(log))
            wrong = [record["id"] for record in log if record["kind"] == "finding" and record["severity"] == "violation"]
            it.same(f"nothing is wrong with them through {name}", [], wrong)
            # A browser says this and that to its maker.
            host = url.format(proxy.port).removeprefix("https://").strip("/")
            live = exchanges.said(log, host)
            for what, records in (
                ("capture", exchanges.read(it.unmask, "--keys", keys, capture)), ("sealed recording", exchanges.read(it.unmask, recording)),
            ):
                it.same(f"the {what} of both connections says what the log of {name} says", exchanges.NOTHING,
                        exchanges.difference(live, exchanges.said(records, host), 2))


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
