#!/usr/bin/env python3
"""The client of the example, with the state machine that chat apps have: idle, connecting, connected, closing. It sends a heartbeat every second;
two that stay unanswered end the connection, and another one is made.

    client.py [PORT] [--name NAME] [--seconds S]
"""

import argparse
import asyncio
import time

import envelope

PERIOD = 1.0
MOST_UNANSWERED = 2


class Client:
    def __init__(self, port, name):
        self.port, self.name = port, name
        self.state = "idle"
        self.sequence = 0
        self.unanswered = 0

    def enter(self, state):
        print(f"{self.name}: {self.state} -> {state}", flush=True)
        self.state = state

    def send(self, type, **fields):
        self.sequence += 1
        message = envelope.encode(
            type=type, sequence=self.sequence, sender=self.name, room="7", sent_at=time.time_ns() // 1_000_000, **fields)
        self.writer.write(message)

    async def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.enter("connecting")
            try:
                reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(PERIOD)
                continue
            self.enter("connected")
            self.unanswered = 0
            self.send(envelope.JOIN)
            self.send(envelope.TEXT, text=f"hello from {self.name}")
            beating = asyncio.create_task(self.beat())
            try:
                await asyncio.wait_for(self.read(reader), max(0, end - time.monotonic()))
            except (asyncio.TimeoutError, ConnectionError):
                pass
            beating.cancel()
            self.enter("closing")
            self.writer.close()
        self.enter("idle")

    async def beat(self):
        while self.unanswered < MOST_UNANSWERED:
            await asyncio.sleep(PERIOD)
            self.unanswered += 1
            self.send(envelope.HEARTBEAT)
        await asyncio.sleep(PERIOD)
        self.writer.close()

    async def read(self, reader):
        frames = envelope.Frames()
        while data := await reader.read(4096):
            for message in frames.take(data):
                if message["type"] == envelope.HEARTBEAT:
                    self.unanswered = 0
                elif message["type"] == envelope.TEXT:
                    self.send(envelope.LIKE)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int, nargs="?", default=7000)
    parser.add_argument("--name", default="ada")
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    await Client(given.port, given.name).run(given.seconds)


if __name__ == "__main__":
    asyncio.run(main())
