"""What the recordings have in common: a packet capture around a talk, and programs that are started and ended."""

import contextlib
import logging
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

# Ends that are recorded on purpose are no errors to print.
logging.getLogger("websockets").setLevel(logging.CRITICAL)

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"


@contextlib.contextmanager
def recording(name, note, expression, interface="lo", snaplen=262_144):
    """Captures into fixtures/NAME/capture.pcapng what passes while the block runs, and writes the note beside it.

    tcpdump records; editcap writes pcapng without a word about the machine.
    """
    folder = FIXTURES / name
    folder.mkdir(exist_ok=True)
    (folder / "README.md").write_text(note.strip() + "\n\nRecorded by `scripts/record/" + os.path.basename(sys.argv[0]) + "`.\n")
    with tempfile.TemporaryDirectory() as scratch:
        raw = f"{scratch}/raw.pcap"
        command = ["tcpdump", "-i", interface, "-s", str(snaplen), "--time-stamp-precision=nano", "-U", "-w", raw]
        # Immediate mode keeps a slot of the snapshot length for every packet, so the buffer has to be large.
        command += ["--immediate-mode", "--buffer-size=131072"]
        tcpdump = subprocess.Popen([*command, "-Z", "root", *expression.split()], stderr=subprocess.PIPE, text=True)
        if not any("listening on" in line for line in iter(tcpdump.stderr.readline, "")):
            raise RuntimeError(f"tcpdump does not listen on {interface}")
        try:
            yield folder
            settle(raw)
        finally:
            tcpdump.terminate()
            _, said = tcpdump.communicate()
        if "\n0 packets dropped by kernel" not in said:
            raise RuntimeError(f"{name}: packets were lost: {said}")
        subprocess.run(["editcap", "-F", "pcapng", raw, folder / "capture.pcapng"], check=True, stderr=subprocess.DEVNULL)
    print(f"{name}: {(folder / 'capture.pcapng').stat().st_size:,} bytes")


def settle(path):
    """Waits until the capture stops growing."""
    size, since = -1, time.monotonic()
    while time.monotonic() - since < 0.4:
        now = os.path.getsize(path)
        if now != size:
            size, since = now, time.monotonic()
        time.sleep(0.05)


@contextlib.contextmanager
def running(*command, port=None, **options):
    """A program that runs while the block does; with a port, the block begins once it listens there."""
    process = subprocess.Popen([str(word) for word in command], **options)
    try:
        if port:
            wait_for(port)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(port):
    """Waits until something listens, without a connection that the capture would show."""
    listening = "0A"
    for _ in range(100):
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table) as file:
                rows = [line.split() for line in file]
            if any(row[1].endswith(f":{port:04X}") and row[3] == listening for row in rows):
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("there is no Chromium here")


def connect(port, host="127.0.0.1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    peer = socket.socket(family, socket.SOCK_STREAM)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.connect((host, port))
    return peer


def read_until(peer, end):
    """Reads until the bytes end with this, or the peer has no more."""
    got = b""
    while not got.endswith(end):
        more = peer.recv(1 if len(end) > 1 else 4096)
        if not more:
            break
        got += more
    return got
