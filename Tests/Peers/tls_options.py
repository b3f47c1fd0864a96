#!/usr/bin/env python3
"""Plaintext that turns into TLS, and the options about TLS, with Python's ssl at both ends.

  tls_options.py UNMASK

Prints a line for each thing that was seen; exit status 1 at the first that is not as it should be.
"""
import json, os, re, signal, socket, ssl, struct, subprocess, sys, tempfile, threading

from threaded import Server

PATIENCE = 10.0
UNMASK = sys.argv[1]


def certificate(folder, name, *extra):
    path, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + "-key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
         "/CN=" + name, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1", "-keyout", key, "-out", path, *extra],
        check=True, capture_output=True)
    return path, key


class Proxy:
    def __init__(self, folder, *arguments):
        self.log = open(os.path.join(folder, "log.ndjson"), "w+")
        self.authority = os.path.join(folder, "authority")
        self.process = subprocess.Popen(
            [UNMASK, "proxy", "--format", "ndjson", "--ca-folder", self.authority, *arguments], stdout=self.log, stderr=subprocess.PIPE,
            text=True)
        line = self.process.stderr.readline()
        found = re.search(r"listening on (\S+) ", line)
        assert found, line
        self.place = found.group(1)
        self.port = int(self.place.rsplit(":", 1)[1]) if not self.place.startswith("unix:") else None

    def trust(self):
        path = subprocess.run([UNMASK, "ca", "path", "--ca-folder", self.authority], capture_output=True, text=True).stdout.strip()
        return ssl.create_default_context(cafile=path)

    def finish(self):
        """The records, once the proxy has ended."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(20) == 0
        self.log.seek(0)
        return [json.loads(line) for line in self.log]


def connect(proxy):
    return socket.create_connection(("127.0.0.1", proxy.port), PATIENCE)


def expect(connection, wanted):
    got = b""
    while len(got) < len(wanted):
        piece = connection.recv(len(wanted) - len(got))
        assert piece, f"{got!r} and then the end, instead of {wanted!r}"
        got += piece
    assert got == wanted, f"{got!r} instead of {wanted!r}"


# Each step: who says what before TLS begins.
TALKS = {
    "SMTP": [("server", b"220 mail ESMTP\r\n"), ("client", b"EHLO me\r\n"), ("server", b"250-mail\r\n250 STARTTLS\r\n"),
             ("client", b"STARTTLS\r\n"), ("server", b"220 go ahead\r\n")],
    "IMAP": [("server", b"* OK ready\r\n"), ("client", b"a1 STARTTLS\r\n"), ("server", b"a1 OK begin\r\n")],
    "XMPP": [("client", b"<?xml version='1.0'?><stream:stream to='localhost' version='1.0'>"),
             ("server", b"<stream:stream id='1'><stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"),
             ("client", b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
             ("server", b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")],
    "PostgreSQL": [("client", struct.pack(">II", 8, 80877103)), ("server", b"S")],
    "CONNECT": [("client", b"CONNECT far:443 HTTP/1.1\r\nHost: far:443\r\n\r\n"), ("server", b"HTTP/1.1 200 OK\r\n\r\n")],
}


def midstream(folder, name, steps):
    path, key = certificate(folder, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)

    def talk(connection):
        for side, text in steps:
            connection.sendall(text) if side == "server" else expect(connection, text)
        inside = context.wrap_socket(connection, server_side=True)
        expect(inside, b"said inside")
        inside.sendall(b"heard inside")
        inside.recv(1)

    server = Server(talk, patience=PATIENCE)
    proxy = Proxy(folder, "--upstream", f"tcp://localhost:{server.port}", "--listen", "127.0.0.1:0", "--upstream-ca", path)
    client = connect(proxy)
    for side, text in steps:
        client.sendall(text) if side == "client" else expect(client, text)
    inside = proxy.trust().wrap_socket(client, server_hostname="localhost")
    inside.sendall(b"said inside")
    expect(inside, b"heard inside")
    inside.close()
    records = proxy.finish()
    texts = [record.get("text") for record in records if record["kind"] == "data"]
    assert "said inside" in texts and "heard inside" in texts, texts
    assert [record["secrets"] for record in records if record["kind"] == "tls"] == ["terminated"], records
    assert len({record["conversation"] for record in records if "conversation" in record}) == 1
    print(f"{name}: followed into TLS")


def tls_echo(path, key, verify=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # Weak certificates are for the proxy to refuse.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.load_cert_chain(path, key)
    if verify:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(verify)

    def talk(connection):
        inside = context.wrap_socket(connection, server_side=True)
        who = inside.getpeercert(binary_form=True) or b""
        inside.sendall(bytes([len(who) > 0]) + inside.recv(100))
        inside.recv(1)

    return talk


def passthrough(folder):
    path, key = certificate(folder, "localhost")
    server = Server(tls_echo(path, key), patience=PATIENCE)
    proxy = Proxy(folder, "--mode", f"reverse:tls://localhost:{server.port}", "--listen", "127.0.0.1:0", "--passthrough", "local*")
    # The client trusts the server alone: only the server's own certificate will do.
    with ssl.create_default_context(cafile=path).wrap_socket(connect(proxy), server_hostname="localhost") as inside:
        inside.sendall(b"sealed")
        expect(inside, b"\x00sealed")
    records = proxy.finish()
    facts = [record for record in records if record["kind"] == "tls"]
    assert facts[0]["secrets"] == "missing" and facts[0]["serverName"] == "localhost", facts
    assert not [record for record in records if record.get("text") == "sealed"]
    print("passthrough: sealed, and shown with its name")


def refusal(folder):
    path, key = certificate(folder, "localhost")
    server = Server(tls_echo(path, key), patience=PATIENCE)
    proxy = Proxy(folder, "--upstream", f"tls://localhost:{server.port}", "--listen", "127.0.0.1:0", "--upstream-ca", path,
                  "--passthrough-on-failure")
    try:
        ssl.create_default_context(cafile=path).wrap_socket(connect(proxy), server_hostname="localhost")
        raise AssertionError("our certificate was taken")
    except ssl.SSLCertVerificationError:
        pass
    # The record of the refusal comes with the alert; then the host goes through unopened.
    for _ in range(50):
        try:
            inside = ssl.create_default_context(cafile=path).wrap_socket(connect(proxy), server_hostname="localhost")
            break
        except ssl.SSLCertVerificationError:
            continue
    inside.sendall(b"pinned")
    expect(inside, b"\x00pinned")
    inside.close()
    records = proxy.finish()
    found = [record["detail"] for record in records if record["kind"] == "finding"]
    assert any("localhost" in detail and "unknown CA" in detail for detail in found), found
    print("refusal: told apart, and the next try goes through unopened")


def client_certificate(folder):
    path, key = certificate(folder, "localhost")
    mine, my_key = certificate(folder, "client")
    server = Server(tls_echo(path, key, verify=mine), patience=PATIENCE)
    keys = os.path.join(folder, "keys.txt")
    proxy = Proxy(folder, "--upstream", f"tls://localhost:{server.port}", "--listen", "127.0.0.1:0", "--upstream-ca", path,
                  "--client-cert", mine, "--client-key", my_key, "--keys", keys)
    client = connect(proxy)
    client.sendall(b"plain")
    expect(client, b"\x01plain")
    client.close()
    proxy.finish()
    lines = open(keys).read().splitlines()
    assert any(line.startswith("CLIENT_TRAFFIC_SECRET_0 ") for line in lines), lines
    assert os.stat(keys).st_mode & 0o777 == 0o600
    print("client certificate: shown to the server; session secrets written")


def unknown_authority(folder):
    path, key = certificate(folder, "localhost")
    server = Server(tls_echo(path, key), patience=PATIENCE)
    proxy = Proxy(folder, "--upstream", f"tls://localhost:{server.port}", "--listen", "127.0.0.1:0")
    client = connect(proxy)
    client.sendall(b"plain")
    try:
        assert client.recv(1) == b"", "an answer without a server"
        raise AssertionError("a FIN where a RST was due")
    except ConnectionResetError:
        pass
    records = proxy.finish()
    closed = [record for record in records if record["kind"] == "closed"][0]
    assert (closed["by"], closed["how"]) == ("proxy", "tls-failed"), closed
    detail = [record["detail"] for record in records if record["kind"] == "finding"][0]
    assert "--upstream-ca" in detail and "--insecure" in detail, detail
    print("unknown authority: refused with the reason and the flags")


def weak_certificate(folder):
    path, key = os.path.join(folder, "weak.pem"), os.path.join(folder, "weak-key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-days", "30", "-subj", "/CN=weak", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", key, "-out", path], check=True, capture_output=True)
    server = Server(tls_echo(path, key), patience=PATIENCE)
    url = f"tls://localhost:{server.port}"
    proxy = Proxy(folder, "--upstream", url, "--listen", "127.0.0.1:0", "--insecure")
    client = connect(proxy)
    client.sendall(b"plain")
    expect(client, b"\x00plain")
    client.close()
    records = proxy.finish()
    found = [record for record in records if record["kind"] == "finding" and record["id"] == "proxy.certificate-unverified"]
    assert len(found) == 1 and "1024-bit RSA" in found[0]["detail"] and found[0]["conversation"] == 1, records
    proxy = Proxy(folder, "--upstream", url, "--listen", "127.0.0.1:0", "--upstream-ca", path)
    client = connect(proxy)
    client.sendall(b"plain")
    try:
        assert client.recv(1) == b"", "an answer without a server"
    except ConnectionResetError:
        pass
    records = proxy.finish()
    found = [record["detail"] for record in records if record["kind"] == "finding"]
    assert "1024-bit RSA" in found[0], found
    print("weak certificate: refused, and a note with --insecure")


def places(folder):
    def talk(connection):
        expect(connection, b"hello")
        connection.sendall(b"there")
        connection.recv(1)

    server = Server(talk, "::1", patience=PATIENCE)
    path = os.path.join(folder, "proxy.sock")
    six = Proxy(folder, "--upstream", f"tcp://[::1]:{server.port}", "--listen", "[::1]:0")
    client = socket.create_connection(("::1", six.port), PATIENCE)
    client.sendall(b"hello")
    expect(client, b"there")
    client.close()
    opened = [record for record in six.finish() if record["kind"] == "opened"][0]
    assert opened["server"]["address"] == "::1" and opened["client"]["address"] == "::1", opened
    local = Proxy(folder, "--upstream", f"tcp://[::1]:{server.port}", "--listen", f"unix:{path}")
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(PATIENCE)
    client.connect(path)
    client.sendall(b"hello")
    expect(client, b"there")
    client.close()
    opened = [record for record in local.finish() if record["kind"] == "opened"][0]
    assert opened["transport"] == "unix", opened
    print("places: IPv6 and a Unix socket")
    # A name with two addresses, of which only one answers, where this machine knows such a name.
    if {address[4][0] for address in socket.getaddrinfo("localhost", None)} != {"127.0.0.1", "::1"}:
        return
    raced = Proxy(folder, "--upstream", f"tcp://localhost:{server.port}", "--listen", "127.0.0.1:0")
    client = connect(raced)
    client.sendall(b"hello")
    expect(client, b"there")
    client.close()
    raced.finish()


def rewriting(folder):
    heads = []

    def talk(connection):
        got = b""
        while not got.endswith(b"\r\n\r\n"):
            piece = connection.recv(1000)
            if not piece:
                return
            got += piece
        heads.append(got)
        connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")

    server = Server(talk, patience=PATIENCE)
    proxy = Proxy(folder, "--upstream", f"http://localhost:{server.port}", "--listen", "127.0.0.1:0", "--rewrite-host", "inner.example",
                  "--rewrite-origin", "https://inner.example")
    client = connect(proxy)
    client.sendall(b"GET /a HTTP/1.1\r\nHost: outer\r\nX-Kept:  as it is\r\nOrigin: http://outer\r\n\r\n")
    expect(client, b"HTTP/1.1 204")
    client.close()
    records = proxy.finish()
    assert heads == [b"GET /a HTTP/1.1\r\nHost: inner.example\r\nX-Kept:  as it is\r\nOrigin: https://inner.example\r\n\r\n"], heads
    request = [record for record in records if record["kind"] == "request"][0]
    assert ["Host", "outer"] in request["headers"], request
    assert [record["id"] for record in records if record["kind"] == "finding"] == ["proxy.header-rewritten"]
    print("rewriting: Host and Origin alone, and recorded")


with tempfile.TemporaryDirectory(prefix="unmask-tls-") as base:
    checks = [lambda folder, name=name, steps=steps: midstream(folder, name, steps) for name, steps in TALKS.items()]
    for number, check in enumerate(checks + [passthrough, refusal, client_certificate, unknown_authority, weak_certificate, places, rewriting]):
        folder = os.path.join(base, str(number))
        os.mkdir(folder)
        check(folder)
