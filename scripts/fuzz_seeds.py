#!/usr/bin/env python3
"""fuzz_seeds.py FOLDER: writes the talks of fixtures/*/talk.wire as seeds for the fuzzers of layers.

A seed is a dialogue: for each run of bytes one byte that tells the sender (0 the client, 1 the server), its length in two bytes,
most significant first, and the bytes.
"""

import pathlib
import struct
import sys

import wiretext

LONGEST = 1400
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"


def dialogue(text):
    said = []

    class Listening(wiretext.Talk):
        def send(self, side, payload):
            if self.together is None:
                said.extend((side, payload[at : at + LONGEST]) for at in range(0, len(payload), LONGEST))
            super().send(side, payload)

    wiretext.Talk = Listening
    wiretext.Script().run(text)
    wiretext.Talk = Listening.__base__
    return b"".join(struct.pack(">BH", side, len(payload)) + payload for side, payload in said)


def main(folder):
    for path in sorted(FIXTURES.glob("*/talk.wire")):
        text = path.read_text(encoding="utf-8")
        if "capture large" not in text:
            (folder / path.parent.name).write_bytes(dialogue(text))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
