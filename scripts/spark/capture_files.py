"""Which captures there are, and which of them one task reads."""

import os
import re

CAPTURES = re.compile(r"\.(pcap|pcapng|cap|snoop)(\.(gz|zst))?$|\.pcap\d+$", re.IGNORECASE)


def in_folder(folder):
    """(path, bytes) of everything in a folder and below that has the name of a capture, in the order of names."""
    found = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(place, name)
            if CAPTURES.search(name) and os.path.isfile(path):
                found.append((path, os.path.getsize(path)))
    return found


def in_list(path):
    """(name, bytes) from a file with a name a line and, after a tab, its size; without a size a capture counts as large."""
    found = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, _, size = line.rstrip("\n").partition("\t")
            if name:
                found.append((name, int(size) if size else 1 << 30))
    return found


def tasks(captures, bytes_a_task):
    """The names that each task reads, one after the other. A capture that is larger than a task should be has one of its own; small ones
    share one, since every task writes a file for each day and kind. The largest come first, so that no long task begins last."""
    made, filling, room = [], [], bytes_a_task
    for name, size in sorted(captures, key=lambda capture: (-capture[1], capture[0])):
        if filling and size > room:
            made.append(filling)
            filling, room = [], bytes_a_task
        filling.append(name)
        room -= size
    return made + [filling] if filling else made
