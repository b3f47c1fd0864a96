"""The Autobahn test suite: where its Python is, its installation into a cache, and one run of its fuzzing client."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "requirements.txt"

# Its console script wants to be installed; this is what that script does. The suite watches no certificate.
BOOTSTRAP = """
import site, sys, warnings
warnings.simplefilter("ignore")
site.addsitedir(sys.argv.pop(1))
from autobahntestsuite.wstest import run
run()
"""


# Its own limit is a second, which a busy machine passes now and then; with or without a proxy, that says nothing about either.
PATIENCE = {"openHandshakeTimeout": 20, "closeHandshakeTimeout": 20, "serverConnectionDropTimeout": 20}


class Missing(Exception):
    """The suite cannot run here, and why."""


def python27():
    """A Python 2.7 with pip, the last that the suite runs under."""
    candidates = [shutil.which("python2.7")]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, timeout=30).stdout.strip()
        candidates += sorted(map(str, pathlib.Path(root, "versions").glob("2.7*/bin/python2.7")))
    for candidate in filter(None, candidates):
        try:
            tried = subprocess.run([candidate, "-m", "pip", "--version"], capture_output=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if tried.returncode == 0:
            return candidate
    raise Missing("there is no Python 2.7 with pip")


class Suite:
    def __init__(self, cache):
        self.python = python27()
        self.site = pathlib.Path(cache) / "site"
        self.install()

    def install(self):
        wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
        stamp = self.site.parent / "installed"
        if stamp.exists() and stamp.read_text() == wanted:
            return
        shutil.rmtree(self.site, ignore_errors=True)
        self.site.mkdir(parents=True)
        command = [self.python, "-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check", "--no-warn-script-location",
                   "--target", str(self.site), "-r", str(REQUIREMENTS)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            raise Missing("pip did not install the suite in five minutes") from None
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            raise Missing("pip could not install the suite: " + lines[-1])
        stamp.write_text(wanted)

    def run(self, url, cases, excluded, folder, timeout, prefix=()):
        """Runs the fuzzing client against a server; returns {case: (behavior, behaviorClose)}."""
        folder = pathlib.Path(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        spec = folder / "spec.json"
        spec.write_text(json.dumps({
            "outdir": str(folder), "servers": [{"agent": "server", "url": url}], "cases": cases, "exclude-cases": excluded,
            "exclude-agent-cases": {}, "options": PATIENCE,
        }))
        command = [*prefix, self.python, "-c", BOOTSTRAP, str(self.site), "-m", "fuzzingclient", "-s", str(spec)]
        # What another Python is told is not for this one.
        environment = {
            name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("PYTHON")}
        with open(folder / "output.txt", "w") as output:
            subprocess.run(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, timeout=timeout, cwd=folder, env=environment)
        index = folder / "index.json"
        if not index.exists():
            raise RuntimeError(f"the fuzzing client made no report; see {folder}/output.txt")
        (results,) = json.loads(index.read_text()).values()
        return {case: (result["behavior"], result["behaviorClose"]) for case, result in results.items()}
