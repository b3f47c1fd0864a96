"""A certificate authority for one run of the tests, and a certificate of it for the servers on loopback."""

import pathlib
import ssl
import subprocess

NAMES = "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1,IP:10.77.0.2"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)


class Certificates:
    """`authority` is the certificate to trust, `server` holds a certificate for loopback and its key. Made once a folder."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.authority = folder / "authority.pem"
        self.server = folder / "server.pem"
        if self.server.exists():
            return
        key, request, extensions = folder / "authority.key", folder / "server.csr", folder / "server.ext"
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=Test authority", "-addext", "basicConstraints=critical,CA:TRUE",
            "-keyout", key, "-out", self.authority)
        leaf_key, leaf = folder / "server.key", folder / "server.crt"
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
            "-keyout", leaf_key, "-out", request)
        extensions.write_text(f"subjectAltName={NAMES}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
        run("openssl", "x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", key, "-CAcreateserial", "-days", "30",
            "-extfile", extensions, "-out", leaf)
        self.server.write_text(leaf.read_text() + leaf_key.read_text())

    def server_context(self, protocols=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server)
        if protocols:
            context.set_alpn_protocols(protocols)
        return context


def client_context(*authorities):
    """Trusts these certificates and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for authority in authorities:
        if authority:
            context.load_verify_locations(authority)
    return context
