#!/usr/bin/env python3
"""compare-certificates.py UNMASK CAPTURE …: holds the certificates of `tls` records against tshark, which finds them, and against the Python
library cryptography, which reads them: SHA-256, subject, issuer, alternative names, times. A folder stands for the captures in it; keys are
taken from a keys.log beside a capture. Ends with 1 where something differs."""
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import warnings

from cryptography import x509

warnings.simplefilter("ignore")
EMAIL = x509.ObjectIdentifier("1.2.840.113549.1.9.1")


def captures(paths):
    for path in map(pathlib.Path, paths):
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (one for one in found if one.suffix in (".pcap", ".pcapng", ".cap"))


def keys_beside(path):
    keys = path.parent / "keys.log"
    return keys if keys.exists() else None


def seen_by_tshark(path):
    """Chains, as lists of DER in hexadecimal."""
    keys = keys_beside(path)
    command = ["tshark", "-r", path, "-2", "-n", "-T", "fields", "-e", "tls.handshake.certificate", "-Y", "tls.handshake.certificate"]
    command += ["-e", "tcp.stream", "-e", "tls.handshake.type"]
    if keys:
        command += ["-o", f"tls.keylog_file:{keys}"]
    out = subprocess.run(command, capture_output=True, text=True, timeout=300).stdout
    chains = collections.defaultdict(list)
    for line in out.splitlines():
        certificates, stream, *_ = line.split("\t")
        if stream:
            chains[stream].append(certificates.split(","))
    return chains


def seen_by_unmask(unmask, path):
    keys = keys_beside(path)
    command = [unmask, "read", path, "--format", "ndjson", "-Y", "kind == tls"] + (["--keys", keys] if keys else [])
    out = subprocess.run(command, capture_output=True, timeout=300).stdout
    return [json.loads(line) for line in out.splitlines() if b'"certificates":' in line]


def label(attribute):
    names = {"2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "STREET", "2.5.4.10": "O", "2.5.4.11": "OU"}
    names |= {"0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID", EMAIL.dotted_string: "emailAddress"}
    return names.get(attribute.oid.dotted_string, attribute.oid.dotted_string)


def escaped(value):
    text = "".join("\\" + c if c in '"+,;<>\\' else c for c in value)
    if text.startswith((" ", "#")):
        text = "\\" + text
    return text[:-1] + "\\ " if len(value) > 1 and value.endswith(" ") else text


def name(whole):
    return ",".join("+".join(f"{label(a)}={escaped(a.value)}" for a in rdn) for rdn in reversed(whole.rdns))


def facts(der):
    """What the library reads; nothing where it refuses the certificate."""
    facts = {"sha256": hashlib.sha256(der).hexdigest()}
    try:
        certificate = x509.load_der_x509_certificate(der)
        facts |= {"subject": name(certificate.subject), "issuer": name(certificate.issuer)}
        facts |= {
            "notBefore": certificate.not_valid_before_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "notAfter": certificate.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        facts["names"] = [str(one.value) for one in names if not isinstance(one, (x509.OtherName, x509.DirectoryName, x509.RegisteredID))]
    except x509.ExtensionNotFound:
        pass
    except ValueError as problem:
        facts["refused"] = str(problem)
    return {key: value for key, value in facts.items() if value}


def main():
    unmask, differences, count, chains = sys.argv[1], 0, 0, 0
    for path in captures(sys.argv[2:]):
        theirs = seen_by_tshark(path)
        known = {}
        for messages in theirs.values():
            for message in messages:
                for der in message:
                    known[hashlib.sha256(bytes.fromhex(der)).hexdigest()] = bytes.fromhex(der)
        ours = seen_by_unmask(unmask, path)
        shown = {c["sha256"] for record in ours for c in record["certificates"]}
        for missing in set(known) - shown:
            print(f"{path}: not shown: {facts(known[missing])}")
            differences += 1
        for record in ours:
            chains += 1
            for certificate in record["certificates"]:
                count += 1
                der = known.get(certificate["sha256"])
                wanted = facts(der) if der else None
                if wanted is None:
                    print(f"{path}: tshark has not found {certificate}")
                elif "refused" in wanted or all(certificate.get(key) == value for key, value in wanted.items()):
                    continue
                else:
                    print(f"{path}: {certificate}\n    is {wanted}")
                differences += 1
    print(f"{count} certificates in {chains} chains, {differences} differences")
    return 1 if differences else 0


sys.exit(main())
