#!/usr/bin/env python3
"""Runs the Autobahn test suite against a WebSocket server directly and through every mode of `unmask proxy`.

The verdict of each case has to be the same. Without a proxy it is run three times: directly, directly once more, and through a
program that only copies bytes. A case whose verdict differs between those depends on time, or on how TCP cuts the bytes, which nobody
promises; it is named, and through the proxy it has to have one of these verdicts. A case that differs through the proxy is tried some
more times without one, before it is called a difference. Exit status: 0 the same, 1 a difference, 2 not run.
"""

import argparse
import collections
import pathlib
import sys
import tempfile
import time

import legs
from suite import Missing, Suite

import certificates  # found through legs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Runs more without a proxy of a case that differs.
RETRIES = 10
# Without a proxy too these are now OK, now NON-STRICT: it depends on whether the echo of the first message comes before the end.
WAVERING = {"3.4", "4.1.5", "4.2.5"}
# One case of each kind that a relay can spoil, none that waits: framing, controls, reserved bits and opcodes, fragments, UTF-8, the
# closing handshake, sizes, compression.
QUICK = ["1.1.1", "1.1.8", "1.2.6", "2.*", "3.*", "4.*", "5.1", "5.3", "5.5", "5.7", "5.9", "5.15", "5.18", "6.1.*", "6.2.*", "6.3.*",
         "7.*", "9.1.1", "9.2.1", "10.*", "12.2.1", "13.4.1"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--unmask", default=ROOT / ".build/release/unmask", type=pathlib.Path, help="the built program")
    arguments.add_argument("--cases", type=lambda text: text.split(","), default=["*"], help="patterns, such as 1.*,7.3.*")
    arguments.add_argument("--exclude", type=lambda text: text.split(","), default=[], help="patterns of cases to leave out")
    arguments.add_argument("--ways", type=lambda text: text.split(","), help="only these legs, by the first word of their names")
    arguments.add_argument("--quick", action="store_true", help="a case of each kind, in a minute")
    arguments.add_argument("--cache", default=ROOT / ".build/autobahn", type=pathlib.Path, help="where the suite is installed")
    arguments.add_argument("--keep", type=pathlib.Path, help="keep the reports in this folder")
    arguments.add_argument("--timeout", type=float, help="seconds that one run may take (3600, with --quick 30)")
    arguments = arguments.parse_args()
    arguments.timeout = arguments.timeout or (30 if arguments.quick else 3600)
    try:
        suite = Suite(arguments.cache)
    except Missing as reason:
        print(f"skipped: the Autobahn test suite ({reason})")
        return 0
    if not arguments.unmask.exists():
        print(f"{arguments.unmask} is not there; build it first", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="unmask-autobahn-") as temporary:
        return Comparison(suite, arguments, pathlib.Path(arguments.keep or temporary).resolve()).run()


class Comparison:
    def __init__(self, suite, arguments, folder):
        self.suite, self.arguments, self.folder = suite, arguments, folder
        self.cases = QUICK if arguments.quick else arguments.cases
        self.certificates = certificates.Certificates(folder / "certificates")
        # What a server's scheme gives without a proxy: {case: {verdict: runs}}.
        self.expected = {scheme: collections.defaultdict(dict) for scheme in ("ws", "wss")}
        self.rows = []
        self.failed = False

    def verdicts(self, leg, name, cases=None):
        begun = time.monotonic()
        with legs.laid(leg, self.arguments.unmask, self.certificates, self.folder / name / "proxy") as (url, prefix, proxy):
            verdicts = self.suite.run(
                url, cases or self.cases, self.arguments.exclude, self.folder / name / "report", self.arguments.timeout, prefix)
            cpu = proxy.cpu() if proxy else None
        if proxy and proxy.status not in (0, 130):
            self.fail(f"{leg.name}: the proxy ended with status {proxy.status}: {''.join(proxy.errors)}")
        return verdicts, time.monotonic() - begun, cpu

    def fail(self, text):
        print(text, flush=True)
        self.failed = True

    def direct(self):
        for scheme in ("ws", "wss"):
            for number, leg in enumerate((leg for leg in legs.DIRECT if leg.server == scheme), 1):
                verdicts, seconds, _ = self.verdicts(leg, f"{leg.name} {number}".replace(" ", "-"))
                self.expect(scheme, verdicts, f"{leg.way} {number}")
                self.row(f"{leg.name}, run {number}", verdicts, seconds)

    def expect(self, scheme, verdicts, run):
        for case, verdict in verdicts.items():
            self.expected[scheme][case].setdefault(verdict, []).append(run)

    def different(self, leg, verdicts):
        """The cases whose verdict is none of those that they have without a proxy."""
        expected = self.expected[leg.server]
        return [
            case for case in expected
            if verdicts.get(case) not in expected[case] and not (case in WAVERING and set(verdicts.get(case) or ["?"]) <= {"OK", "NON-STRICT"})
        ]

    def try_again(self, leg, cases):
        """Runs cases without a proxy some more times, for the verdicts that they have now and then."""
        again = next(direct for direct in legs.DIRECT if direct.server == leg.server)
        for number in range(1, RETRIES + 1):
            verdicts, _, _ = self.verdicts(again, "again", cases)
            self.expect(leg.server, verdicts, f"again {number}")

    def proxied(self):
        for leg in legs.PROXIED:
            if self.arguments.ways and leg.way not in self.arguments.ways:
                continue
            try:
                verdicts, seconds, cpu = self.verdicts(leg, leg.name.replace(" ", "-"))
            except legs.Unreachable as reason:
                print(f"skipped: the Autobahn test suite through {leg.name} ({reason})", flush=True)
                continue
            except Exception as error:
                self.fail(f"{leg.name}: {error!r}")
                continue
            different = self.different(leg, verdicts)
            if 0 < len(different) <= 10:
                self.try_again(leg, different)
                different = self.different(leg, verdicts)
            for case in different:
                self.fail(f"{leg.name}: case {case} is {verdicts.get(case)}, without a proxy {sorted(self.expected[leg.server][case])}")
            self.row(leg.name, verdicts, seconds, cpu, len(different))

    def row(self, name, verdicts, seconds, cpu=None, different=None):
        good = sum(behavior in ("OK", "NON-STRICT", "INFORMATIONAL") for behavior, _ in verdicts.values())
        self.rows.append((name, len(verdicts), good, "" if different is None else different, f"{seconds:.1f}", "" if cpu is None else f"{cpu:.1f}"))
        print(f"{name}: {len(verdicts)} cases in {seconds:.1f} s" + ("" if different is None else f", {different} different"), flush=True)

    def run(self):
        self.direct()
        self.proxied()
        head = ("way", "cases", "passed", "different", "seconds", "proxy's CPU s")
        widths = [max(len(str(row[column])) for row in [head, *self.rows]) for column in range(len(head))]
        print()
        for row in [head, *self.rows]:
            print("  ".join(str(cell).ljust(width) if index == 0 else str(cell).rjust(width) for index, (cell, width) in enumerate(zip(row, widths))))
        print()
        for scheme, cases in self.expected.items():
            for case, several in cases.items():
                if len(several) > 1:
                    said = "; ".join(f"{'/'.join(verdict)} {len(runs)} times" for verdict, runs in several.items())
                    print(f"Without a proxy, {scheme}, case {case} has no one verdict: {said}")
        print("\nEvery verdict is the same." if not self.failed else "\nNot the same.")
        return 1 if self.failed else 0


if __name__ == "__main__":
    sys.exit(main())
