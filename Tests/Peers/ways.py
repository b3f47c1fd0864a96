"""The ways in: how a client that knows nothing of proxies gets to its server through each mode of one.

`direct` and `reverse` need nothing: the client dials. `connect` and `socks5` begin with a preamble of their own, `absolute` writes
the first request line another way. What follows is the client's own, to the byte.
"""

import socket

WAYS = ("direct", "reverse", "connect", "socks5", "absolute")
TIMEOUT = 20


class Refused(Exception):
    """The proxy did not let the client through."""


def read_exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise Refused(f"the connection ended after {data!r}")
        data += part
    return data


def read_head(sock):
    """A head to its empty line and not one byte more: what follows belongs to the tunnel."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        if len(head) > 16384:
            raise Refused("an endless head")
        head += read_exactly(sock, 1)
    return head


def dial(way, address, target):
    """A connected socket on which the client's first byte is next.

    - address: (host, port) to dial: the proxy's, or for `direct` the server's.
    - target: (host, port) of the server, as the preamble names it.
    """
    sock = socket.create_connection(address, timeout=TIMEOUT)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    host, port = target
    if way == "connect":
        sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = read_head(sock)
        if head.split(b" ")[1:2] != [b"200"]:
            raise Refused(head.decode("latin-1"))
    elif way == "socks5":
        sock.sendall(b"\x05\x01\x00")
        if read_exactly(sock, 2) != b"\x05\x00":
            raise Refused("the proxy wants a password")
        name = host.encode()
        sock.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2, "big"))
        reply = read_exactly(sock, 4)
        if reply[1] != 0:
            raise Refused(f"reply code {reply[1]}")
        read_exactly(sock, {1: 4, 4: 16}.get(reply[3]) or read_exactly(sock, 1)[0])
        read_exactly(sock, 2)
    elif way not in WAYS:
        raise ValueError(way)
    return sock


def absolute(line, target):
    """The request line with the server's name before its path, as a client writes it to an HTTP proxy."""
    method, path, version = line.split(b" ", 2)
    host, port = target
    return method + b" http://%s:%d" % (host.encode(), port) + path + b" " + version
