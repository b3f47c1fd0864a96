"""Holds how long a round trip takes through the proxy against haproxy: both run at once, and take turns under the same load."""

import json
import socket
import statistics
import subprocess
import time

# How many times haproxy's p99 ours may be: the median over the rounds of the ratio in each.
BAR = 1.2
SERVERS = {"plain": 9000, "tls": 9443}


def port_opens(port, seconds=25):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def ping(scratch, side, port, seconds):
    """p50 and p99 in microseconds of one WebSocket connection that sends the next message when the last is back."""
    command = ["taskset", "-c", "0", scratch / "wsbench", "client", "--port", port, "--sni", "ws.example.test"]
    command += ["--tls"] if side == "tls" else []
    command += ["--mode", "ping", "--conns", 1, "--secs", seconds]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds + 60)
    figures = json.loads(result.stdout.strip().splitlines()[-1])
    return figures["p50_us"], figures["p99_us"]


def start(command, core):
    """A program on a core of its own: the load and the server are on the other."""
    return subprocess.Popen(["taskset", "-c", core, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check(scratch, side, ours, our_port, peer, peer_port, rounds, seconds):
    """Prints p50 and p99 of both and the ratio. Returns 1 where the bar is missed."""
    tls = ["--tls", "--cert", scratch / "tls/srv.crt", "--key", scratch / "tls/srv.key"] if side == "tls" else []
    programs = []
    try:
        programs.append(start([scratch / "wsbench", "server", "--port", SERVERS[side], *tls], "0"))
        assert port_opens(SERVERS[side]), "the echo server does not listen"
        programs += [start(ours, "1"), start(peer, "1")]
        assert port_opens(our_port) and port_opens(peer_port), "a proxy does not listen"
        for port in (our_port, peer_port):
            ping(scratch, side, port, 0.5)
        figures = []
        for turn in range(rounds):
            pair = {}
            # Whoever goes first in one round goes second in the next.
            for name, port in [("ours", our_port), ("peer", peer_port)][:: 1 if turn % 2 else -1]:
                pair[name] = ping(scratch, side, port, seconds)
            figures.append(pair)
    finally:
        for program in reversed(programs):
            program.terminate()
            program.wait()
    ratio = statistics.median(pair["ours"][1] / pair["peer"][1] for pair in figures)
    print(f"\n{side:8}round trip, one connection   p50 us   p99 us   (median of {rounds} rounds, and the range)")
    for key, name in (("ours", "unmask"), ("peer", "haproxy")):
        line = f"        {name:29}"
        for place in (0, 1):
            values = [pair[key][place] for pair in figures]
            line += f"{statistics.median(values):6.0f} [{min(values):.0f}-{max(values):.0f}]  "
        print(line)
    median = statistics.median(pair["ours"][0] / pair["peer"][0] for pair in figures)
    verdict = "MISSED" if ratio > BAR else "held"
    print(f"        ratio{'':24}{median:6.2f}   {ratio:6.2f}   bar {BAR}: {verdict}", flush=True)
    return int(ratio > BAR)
