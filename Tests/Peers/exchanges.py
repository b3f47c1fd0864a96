"""What was said in conversations, to be held against what was said in others: of a log and of captures of the same talk."""

import collections
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import time

import comparison

# What differs between a log and a capture: where and when something was said, and after which preamble.
PLACES = ("conversation", "time", "packets", "offset", "channel", "latency", "exchange", "roundTrip")
KINDS = ("request", "response", "body", "upgrade", "message", "ping", "pong", "close")


def said(records, about=""):
    """What was said in each conversation that mentions something, without the CONNECT before it; in no order."""
    talks = collections.defaultdict(list)
    for record in records:
        if record["kind"] not in KINDS or record.get("method") == "CONNECT" and "stream" not in record:
            continue
        words = {key: value for key, value in record.items() if key not in PLACES}
        if record["kind"] == "response":
            # A response that crosses the reset of its request has the one on one connection and not on the other.
            words = {key: value for key, value in words.items() if key not in ("method", "target")}
        content = words.pop("base64", words.pop("text", ""))
        if content:
            words["content"] = hashlib.sha256(content.encode()).hexdigest()[:12]
        talks[record["conversation"]].append(json.dumps(words, sort_keys=True))
    texts = ("\n".join(sorted(talk)) for talk in talks.values())
    return collections.Counter(text for text in texts if about in text)


def difference(log, other, times=1):
    """What one has and the other does not: nothing where each conversation of the log stands in the other so many times."""
    missing, more = collections.Counter(), collections.Counter(other)
    for talk, count in log.items():
        missing[talk] = count * times
    return {"missing": sorted((missing - more).elements()), "more": sorted((more - missing).elements())}


NOTHING = {"missing": [], "more": []}


def read(unmask, *arguments):
    """The records of a capture."""
    command = [str(unmask), "read", "--format", "ndjson", *map(str, arguments)]
    # The test's own variable would name keys.
    environment = {key: value for key, value in os.environ.items() if key != "SSLKEYLOGFILE"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    if done.returncode:
        print(done.stderr, flush=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextlib.contextmanager
def capturing(path, ports):
    """Captures what passes over loopback at these ports while the block runs."""
    if not shutil.which("tcpdump") or os.geteuid() != 0:
        raise comparison.Skipped("what is captured beside the log (there is no tcpdump, or the user is not root)")
    expression = " or ".join(f"tcp port {port}" for port in ports)
    # Immediate mode keeps a slot of the snapshot length for every packet, so the buffer has to be large.
    command = ["tcpdump", "-i", "lo", "-U", "-w", str(path), "--immediate-mode", "--buffer-size=131072", "-Z", "root", expression]
    tcpdump = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        if not any("listening on" in line for line in iter(tcpdump.stderr.readline, "")):
            raise comparison.Skipped("what is captured beside the log (tcpdump may not capture here)")
        yield
        settle(path)
    finally:
        tcpdump.terminate()
        try:
            _, words = tcpdump.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            tcpdump.kill()
            raise
    if "\n0 packets dropped by kernel" not in words:
        raise RuntimeError(f"packets were lost: {words}")


def settle(path, quiet=0.3, longest=10):
    """Waits until a capture grows no more."""
    size, since, end = -1, time.monotonic(), time.monotonic() + longest
    while time.monotonic() - since < quiet and time.monotonic() < end:
        now = os.path.getsize(path)
        if now != size:
            size, since = now, time.monotonic()
        time.sleep(0.02)
