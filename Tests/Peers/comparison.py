"""What real programs see without a proxy and through one: written down, and compared."""

import json
import pathlib
import signal
import sys
import tempfile

import certificates
from programs import Unmask


class Skipped(Exception):
    """A comparison that cannot be made here, and why."""


class Comparison:
    """Holds the certificates, starts proxies, and collects what differs."""

    def __init__(self, unmask, folder):
        self.unmask, self.folder = unmask, pathlib.Path(folder)
        self.certificates = certificates.Certificates(self.folder / "certificates")
        self.differences = 0
        self.number = 0

    def proxy(self, mode, *options):
        self.number += 1
        return Unmask(self.unmask, self.folder / f"proxy-{self.number}", "--mode", mode, "--upstream-ca", self.certificates.authority, *options)

    def same(self, what, without, through):
        if without == through:
            print(f"same: {what}", flush=True)
        else:
            self.differences += 1
            print(f"different: {what}\n  without: {without}\n  through: {through}", flush=True)

    def records(self, proxy):
        """The records of a proxy that has ended."""
        return [json.loads(line) for line in proxy.records.read_text().splitlines()]


def main(compare):
    """Runs a comparison with the program that the command line names. Exit status: 1 where something differs."""
    # A test's process blocks signals, which whoever is started inherits.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    with tempfile.TemporaryDirectory(prefix="unmask-peers-") as folder:
        comparison = Comparison(pathlib.Path(sys.argv[1]), folder)
        try:
            compare(comparison)
        except Skipped as reason:
            print(f"skipped: {reason}", flush=True)
        return 1 if comparison.differences else 0
