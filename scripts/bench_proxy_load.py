"""Runs the load tool's server, a proxy before it, and its client."""

import contextlib
import json
import socket
import subprocess
import time

HOST = "ws.example.test"


def wait_for_port(port, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


@contextlib.contextmanager
def running(command, **options):
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def echo_server(scratch, side):
    port = 9443 if side == "tls" else 9000
    command = [str(scratch / "wsbench"), "server", "--port", str(port)]
    if side == "tls":
        command += ["--tls", "--cert", str(scratch / "tls/srv.crt"), "--key", str(scratch / "tls/srv.key")]
    with running(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for_port(port)
        yield process


def client(scratch, side, port, **options):
    """What the client says of its run."""
    command = [str(scratch / "wsbench"), "client", "--port", str(port), "--sni", HOST] + (["--tls"] if side == "tls" else [])
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    lines = run.stdout.strip().splitlines()
    if not lines:
        raise SystemExit(f"the load tool said nothing: {run.stderr[-200:]}")
    return json.loads(lines[-1])


def memory(pid, key):
    """A line of /proc/PID/status, in MiB."""
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1]) / 1024
    return float("nan")


