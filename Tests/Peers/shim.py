#!/usr/bin/env python3
"""Stands before a proxy and dials through it, so that a client which cannot use proxies reaches its server through any mode.

It writes the mode's preamble and then copies bytes, untouched, with FIN, half-close and RST as they come. Prints `listening PORT`
when it is ready, and ends with its standard input.
"""

import argparse
import os
import socket
import struct
import sys
import threading

import ways


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Pair:
    """One client connection and its way to the server; closed when both directions have ended."""

    def __init__(self, client, server):
        self.sockets = (client, server)
        self.open = 2
        self.lock = threading.Lock()

    def copy(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except ConnectionResetError:
            reset(sink)
            self.end(at_once=True)
        except OSError:
            pass
        self.end()

    def end(self, at_once=False):
        with self.lock:
            self.open -= 1
            if self.open == 0 or at_once:
                for sock in self.sockets:
                    try:
                        # Wakes the other direction's thread, which close() alone does not.
                        if at_once:
                            sock.shutdown(socket.SHUT_RD)
                    except OSError:
                        pass
                    sock.close()


def serve(client, way, proxy, target):
    try:
        server = ways.dial(way, proxy, target)
        server.settimeout(None)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if way == "absolute":
            line = b""
            while not line.endswith(b"\r\n"):
                line += ways.read_exactly(client, 1)
            server.sendall(ways.absolute(line, target))
    except (OSError, ways.Refused) as error:
        print("shim:", error, file=sys.stderr, flush=True)
        client.close()
        return
    pair = Pair(client, server)
    threading.Thread(target=pair.copy, args=(client, server), daemon=True).start()
    pair.copy(server, client)


def accept(listener, *where):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, *where), daemon=True).start()


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--way", choices=ways.WAYS, required=True)
    arguments.add_argument("--proxy", type=address, required=True)
    arguments.add_argument("--target", type=address, required=True)
    arguments = arguments.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print("listening", listener.getsockname()[1], flush=True)
    where = (arguments.way, arguments.proxy, arguments.target)
    threading.Thread(target=accept, args=(listener, *where), daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
