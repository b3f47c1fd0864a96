#!/usr/bin/env python3
"""A TLS server that echoes, and a client that asks for a server name which is not a host name, and that sends bytes after its close_notify.
Prints what the client got. With `plain`, it asks for localhost and sends nothing more."""

import json
import socket
import ssl
import sys
import tempfile
import threading

from certificates import Certificates
from threaded import Server


may_close = threading.Event()


def echo(client, context):
    with context.wrap_socket(client, server_side=True) as tls:
        while data := tls.recv(65536):
            tls.sendall(data)
        tls.sendall(b"bye")
        may_close.wait(20)


def main():
    is_plain = "plain" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        context = certificates.server_context()
        server = Server(lambda client: echo(client, context), patience=20)
        print("listening", server.port, certificates.authority, flush=True)
        told = json.loads(sys.stdin.readline())
        trusting = ssl.create_default_context(cafile=told["authority"])
        trusting.check_hostname = False
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = trusting.wrap_bio(incoming, outgoing, server_hostname="localhost" if is_plain else "not a name")
        with socket.create_connection(("127.0.0.1", told["port"]), 20) as raw:

            def go_on(step):
                while True:
                    try:
                        return step()
                    except ssl.SSLWantReadError:
                        raw.sendall(outgoing.read())
                        data = raw.recv(65536)
                        incoming.write(data) if data else incoming.write_eof()
                    finally:
                        raw.sendall(outgoing.read())

            go_on(tls.do_handshake)
            go_on(lambda: tls.write(b"hello"))
            print("got:", go_on(lambda: tls.read(100)).decode(), flush=True)
            try:
                tls.unwrap()
            except ssl.SSLWantReadError:
                pass
            raw.sendall(outgoing.read())
            print("then:", go_on(lambda: tls.read(100)).decode(), flush=True)
            # By then the close_notify was read: these come in a read of their own.
            if not is_plain:
                raw.sendall(b"stray bytes")
            sys.stdin.readline()
            may_close.set()
        sys.stdin.readline()


if __name__ == "__main__":
    main()
