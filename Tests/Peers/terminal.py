"""A terminal whose window changes after the program has begun to read; prints how wide the lines came after that.

usage: terminal.py UNMASK CAPTURE WIDTH WIDTH
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

unmask, capture, first, second = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
content = open(capture, "rb").read()
feed, fed = os.pipe()


def resize(descriptor, columns):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


child, terminal = pty.fork()
if child == 0:
    resize(1, first)
    os.dup2(feed, 0)
    os.close(fed)
    os.execv(unmask, [unmask, "read", "--follow", "--color", "never", "-"])
os.close(feed)


def lines(until):
    """What is printed, up to a line that has the words."""
    text = b""
    end = time.monotonic() + 20
    while until not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return [line.decode() for line in text.replace(b"\r", b"").split(b"\n") if line]


# The program says what it reads when it has begun, and so knows the first width.
os.write(fed, content[:24])
lines(b"reading")
resize(terminal, second)
os.write(fed, content[24:])
os.close(fed)
shown = lines(b"findings")
os.waitpid(child, 0)
print(max(len(line) for line in shown), flush=True)
