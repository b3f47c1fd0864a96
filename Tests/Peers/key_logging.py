#!/usr/bin/env python3
"""A TLS server and a client on loopback, whose key log is written while they talk.

    key_logging.py FOLDER KEYS

Says `listening PORT` and waits for a line; then the client asks over TLS, both write their secrets to KEYS, and `done` is said.
"""

import pathlib
import socket
import ssl
import sys
import threading

from certificates import Certificates


def serve(listener, context):
    connection, _ = listener.accept()
    with context.wrap_socket(connection, server_side=True) as secured:
        secured.recv(4096)
        secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nquiet")
        secured.recv(1)


def main():
    folder, keys = sys.argv[1:]
    certificates = Certificates(pathlib.Path(folder) / "certificates")
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(certificates.server)
    client_context = ssl.create_default_context(cafile=str(certificates.authority))
    client_context.keylog_filename = keys
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print("listening", listener.getsockname()[1], flush=True)
        sys.stdin.readline()
        server = threading.Thread(target=serve, args=(listener, server_context))
        server.start()
        with socket.create_connection(listener.getsockname()) as plain:
            with client_context.wrap_socket(plain, server_hostname="localhost") as secured:
                secured.sendall(b"GET /sealed HTTP/1.1\r\nHost: localhost\r\n\r\n")
                secured.recv(4096)
        server.join()
    print("done", flush=True)


if __name__ == "__main__":
    main()
