#!/usr/bin/env python3
"""bill-of-materials.py VERSION UNMASK: prints what a release is made of, as SPDX 2.3 in JSON: the Swift packages that are linked into the program,
by Package.resolved, and the packages of Debian whose libraries it loads."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

version, program = sys.argv[1], pathlib.Path(sys.argv[2])
project = pathlib.Path(__file__).resolve().parent.parent
created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def package(name, its_version, where, **more):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": its_version,
        "downloadLocation": where,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        **more,
    }


def linked():
    """The Swift packages, from the versions that the build resolved."""
    pins = json.loads((project / "Package.resolved").read_text())["pins"]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        where = "git+" + pin["location"].removesuffix(".git")
        yield package(pin["identity"], pin["state"]["version"], f"{where}@{pin['state']['revision']}", licenseDeclared="Apache-2.0")


def loaded():
    """The packages of Debian that the program names libraries of."""
    needed = re.findall(r"NEEDED\s+(\S+)", subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout)
    paths = dict(re.findall(r"(\S+) => (\S+)", subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout))
    found = {}
    for library in needed:
        path = paths.get(library)
        if not path:
            continue
        for candidate in (path, os.path.realpath(path), "/usr" + path):
            owner = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True).stdout.split(":")[0]
            if owner:
                shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", owner], check=True, capture_output=True, text=True)
                found[owner] = shown.stdout
                break
    for name in sorted(found):
        yield package("debian-" + name, found[name], "NOASSERTION")


digest = hashlib.sha256(program.read_bytes()).hexdigest()
root = package(
    "unmask", version, "NOASSERTION", licenseDeclared="Apache-2.0", checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
    primaryPackagePurpose="APPLICATION")
inside, beside = list(linked()), list(loaded())
relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": root["SPDXID"]}]
for kind, parts in (("STATIC_LINK", inside), ("DYNAMIC_LINK", beside)):
    for part in parts:
        relations.append({"spdxElementId": root["SPDXID"], "relationshipType": kind, "relatedSpdxElement": part["SPDXID"]})
document = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"unmask-{version}",
    "documentNamespace": f"https://unmask.invalid/spdx/unmask-{version}-{digest[:16]}",
    "creationInfo": {"created": created, "creators": ["Tool: bill-of-materials.py", "Organization: The Unmask Developers"]},
    "packages": [root, *inside, *beside],
    "relationships": relations,
}
json.dump(document, sys.stdout, indent=2)
print()
