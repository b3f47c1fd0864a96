#!/usr/bin/env python3
"""The certificates of openssl's server, as a proxy shows them that leaves TLS alone, and `unmask read --keys` of its recording: held against
what openssl says of them."""

import datetime
import json
import re
import shutil
import socket
import subprocess
import sys

import certificates
import comparison
from programs import Unmask

SUBJECT = "/C=DE/O=Example, Inc./OU=Chat #1/CN=localhost"
NAMES = "DNS:localhost,DNS:*.chat.example,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1,URI:https://chat.example/"


def chain(folder, name, *, names=NAMES, key=("rsa:2048",), digest="sha256", purpose="serverAuth", start=-1, end=30, weak=False):
    """A root, an authority below it, and a certificate of that for a server: PEM files of the last two and of the server's key."""
    folder = folder / name
    folder.mkdir(parents=True)
    day = datetime.datetime.now(datetime.timezone.utc)
    times = [(day + datetime.timedelta(days=days)).strftime("%y%m%d%H%M%SZ") for days in (start, end)]
    (folder / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=one\n[one]\ndatabase={folder}/index\nnew_certs_dir={folder}\nserial={folder}/serial\ndefault_md={digest}\n"
        "policy=any\nunique_subject=no\n[any]\ncommonName=supplied\norganizationName=optional\ncountryName=optional\n"
        "organizationalUnitName=optional\n"
        "[middle]\nbasicConstraints=critical,CA:TRUE\n"
        f"[leaf]\nbasicConstraints=CA:FALSE\nextendedKeyUsage={purpose}\n" + (f"subjectAltName={names}\n" if names else ""))
    (folder / "index").write_text("")
    (folder / "serial").write_text("01\n")

    def made(part, subject, issuer, *words):
        certificates.run("openssl", "req", "-newkey", *words, "-nodes", "-utf8", "-subj", subject,
                         "-keyout", folder / f"{part}.key", "-out", folder / f"{part}.csr")
        certificates.run("openssl", "ca", "-batch", "-notext", "-config", folder / "ca.cnf", "-preserveDN",
                         "-cert", folder / f"{issuer}.pem", "-keyfile", folder / f"{issuer}.key", "-in", folder / f"{part}.csr",
                         "-out", folder / f"{part}.pem", "-extensions", part, "-startdate", times[0], "-enddate", times[1])

    certificates.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Root of the test", "-days", "9",
                     "-keyout", folder / "root.key", "-out", folder / "root.pem")
    made("middle", "/O=Grüße/CN=Authority", "root", "rsa:2048")
    made("leaf", SUBJECT, "middle", *key)
    return folder


def said(path):
    """What openssl says of a certificate, as a record would have it."""
    command = ["openssl", "x509", "-in", str(path), "-noout", "-subject", "-issuer", "-dates", "-fingerprint", "-sha256", "-ext", "subjectAltName",
               "-nameopt", "RFC2253,utf8,-esc_msb", "-dateopt", "iso_8601"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    lines = dict(line.split("=", 1) for line in text.splitlines() if re.match(r"(subject|issuer|notBefore|notAfter|sha256 Fingerprint)=", line))
    names = [name.split(":", 1) for line in text.splitlines() if ":" in line and line.startswith("    ") for name in line.strip().split(", ")]
    certificate = {
        "sha256": lines["sha256 Fingerprint"].replace(":", "").lower(), "subject": lines["subject"], "issuer": lines["issuer"],
        "names": [name.lower().replace("0:0:0:0:0:0:0:1", "::1") if kind == "IP Address" else name for kind, name in names],
        "notBefore": lines["notBefore"].replace(" ", "T"), "notAfter": lines["notAfter"].replace(" ", "T"),
    }
    return {key: value for key, value in certificate.items() if value}


def talk(it, folder, version, name):
    """A request of openssl's client to its server through a proxy that leaves TLS alone. Returns the live records, and those of the recording."""
    port = free_port()
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", folder / "leaf.pem", "-key", folder / "leaf.key", "-cert_chain",
         folder / "middle.pem", "-www", "-naccept", "1", "-cipher", "ALL:@SECLEVEL=0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in server.stdout:
            if line.startswith("ACCEPT"):
                break
        recording, keys = folder / f"{version}.pcapng", folder / f"{version}.keys"
        with Unmask(it.unmask, folder / f"proxy-{version}", "--mode", f"reverse:tcp://127.0.0.1:{port}", "-w", recording,
                    "--passthrough", "*") as proxy:
            subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{proxy.port}", "-servername", name, "-keylogfile", keys, f"-{version}",
                 "-quiet", "-ign_eof", "-cipher", "ALL:@SECLEVEL=0"],
                input=b"GET / HTTP/1.0\r\n\r\n", capture_output=True, timeout=60, check=False)
        server.wait(15)
    finally:
        server.kill()
        server.wait()
    done = subprocess.run([it.unmask, "read", recording, "--keys", keys, "--format", "ndjson"], capture_output=True, timeout=60, check=False)
    return it.records(proxy), [json.loads(line) for line in done.stdout.splitlines()]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def shown(records):
    return [certificate for record in records if record["kind"] == "tls" for certificate in record.get("certificates", [])]


def findings(records):
    return sorted(record["id"].removeprefix("tls.certificate-") for record in records
                  if record["kind"] == "finding" and record["id"].startswith("tls.certificate-"))


def compare(it):
    if not shutil.which("openssl"):
        raise comparison.Skipped("certificates (there is no openssl)")
    good = chain(it.folder, "good")
    wanted = [said(good / "leaf.pem"), said(good / "middle.pem")]
    for version in ("tls1_2", "tls1_3"):
        live, recorded = talk(it, good, version, "localhost")
        it.same(f"{version}: certificates in the recording, with keys", wanted, shown(recorded))
        it.same(f"{version}: certificates live", wanted if version == "tls1_2" else [], shown(live))
        it.same(f"{version}: nothing is wrong with them", [], findings(live) + findings(recorded))
        it.same(f"{version}: keys open the recording", {"keylog"}, {record["secrets"] for record in recorded if record["kind"] == "tls"})
    cases = {
        "expired": ({"start": -30, "end": -1}, "localhost", ["expired", "expired"]),
        "early": ({"start": 1, "end": 30}, "localhost", ["not-yet-valid", "not-yet-valid"]),
        "name": ({}, "chat.example", ["name"]),
        "wildcard": ({}, "www.chat.example", []),
        "nameless": ({"names": ""}, "localhost", ["name"]),
        "short": ({"key": ("rsa:1024",)}, "localhost", ["weak"]),
        # The last of them may be a root that a client knows: its signature is not judged.
        "sha1": ({"digest": "sha1"}, "localhost", ["weak"]),
        "client": ({"purpose": "clientAuth"}, "localhost", ["purpose"]),
        "curve": ({"key": ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")}, "localhost", []),
    }
    for name, (words, host, found) in cases.items():
        folder = chain(it.folder, name, **words)
        live, _ = talk(it, folder, "tls1_2", host)
        it.same(f"{name}: {' and '.join(found) or 'nothing'} is found", found, findings(live))
        it.same(f"{name}: the certificate", said(folder / "leaf.pem"), (shown(live) + [None])[0])


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
