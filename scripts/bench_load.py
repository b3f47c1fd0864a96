#!/usr/bin/env python3
"""bench_load.py FOLDER: makes small captures for `make bench` where no larger load is at hand, each with what is true of it.

They have the shapes of the large ones: small, deflate, manyconn, bulk. What is there already stays.
"""

import json
import pathlib
import sys

from wiretext import Script

QUOTE = r'{\"type\":\"quote\",\"symbol\":\"ACME\",\"bid\":101.25,\"ask\":101.5,\"size\":NUMBER,\"venue\":\"north\",\"note\":\"a line of about a hundred and fifty bytes\"}'
DEFLATE = ' extensions "permessage-deflate"'


def talk(index, messages, extension="", option="", payload=QUOTE, repeat=""):
    yield f"talk t{index} client=10.{index >> 16 & 255}.{index >> 8 & 255}.{index & 255}:{20_000 + index % 40_000}"
    yield f"> ws upgrade /feed{extension}"
    yield f"< ws accept{extension}"
    for number in range(messages):
        text = payload.replace("NUMBER", str(number))
        yield f'{"<>"[number % 3 == 0]} ws {"binary" if repeat else "text"} {option} {repeat} "{text}"'
    yield "> ws close 1000"
    yield "< ws close 1000"
    yield "< fin"
    yield "> fin"


LOADS = {
    "small": (20, 1000, {}),
    "deflate": (20, 500, {"extension": DEFLATE, "option": "deflate"}),
    "manyconn": (2000, 2, {}),
    "bulk": (4, 200, {"payload": "0123456789abcdef", "repeat": "repeat=4096"}),
}


def main(folder):
    for name, (talks, messages, shape) in LOADS.items():
        capture = folder / f"{name}.pcap"
        if capture.exists():
            continue
        script = Script()
        script.capture.tick = 10_000
        for index in range(talks):
            script.run("\n".join(talk(index + 1, messages, **shape)))
        known = {"packets": len(script.capture.packets), "messages": talks * messages}
        with open(capture, "wb") as file:
            script.capture.write(file)
        pathlib.Path(f"{capture}.truth.json").write_text(json.dumps(known))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
