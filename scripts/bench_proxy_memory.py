"""Compares the proxy's memory after much on one socket with that after little."""

import subprocess

import bench_proxy_load as load

MESSAGE = 65_536
# What ten times the traffic may add, in MiB: what the allocator keeps of one heap (Sources/Interception/Heap.swift), which a batch
# has to be large enough once to reach.
ALLOWANCE = 8.0


def memory_after(scratch, command, side, port, gigabytes):
    """Memory afterwards and at its peak, in MiB, of a new proxy that so much went through on one socket."""
    count = max(1, int(gigabytes * 1e9 / MESSAGE))
    with load.echo_server(scratch, side), load.running(command, stderr=subprocess.DEVNULL) as proxy:
        load.wait_for_port(port)
        said = load.client(scratch, side, port, mode="bulk", size=MESSAGE, count=count)
        if not said["complete"]:
            raise SystemExit(f"memory, {side}: the run was not completed: {said}")
        return load.memory(proxy.pid, "VmRSS"), load.memory(proxy.pid, "VmHWM")


def check(scratch, command, side, port, gigabytes):
    """Prints a line; returns whether memory grew."""
    little, much = (memory_after(scratch, command, side, port, amount) for amount in (gigabytes / 10, gigabytes))
    has_grown = much[1] > little[1] + ALLOWANCE
    print(
        f"memory, {side}: {little[0]:.1f} MiB (peak {little[1]:.1f}) after {gigabytes / 10:g} GB on one socket,"
        f" {much[0]:.1f} MiB (peak {much[1]:.1f}) after {gigabytes:g} GB" + (" MISSED" if has_grown else ""),
        flush=True)
    return has_grown
