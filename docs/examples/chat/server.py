#!/usr/bin/env python3
"""The server of the example: acknowledges what it gets, sends it to the others, answers heartbeats; with --mute N it says nothing any more after N
heartbeats of a connection, as a server does that hangs.

    server.py [PORT] [--mute N]
"""

import argparse
import asyncio

import envelope


class Server:
    def __init__(self, mute):
        self.mute = mute
        self.peers = set()

    async def serve(self, reader, writer):
        frames, heartbeats = envelope.Frames(), 0
        self.peers.add(writer)
        try:
            while data := await reader.read(4096):
                for message in frames.take(data):
                    if message["type"] == envelope.HEARTBEAT:
                        heartbeats += 1
                    if self.mute is not None and heartbeats > self.mute:
                        continue
                    if message["type"] == envelope.HEARTBEAT:
                        writer.write(envelope.encode(type=envelope.HEARTBEAT, sequence=message.get("sequence", 0)))
                        continue
                    writer.write(envelope.encode(type=envelope.ACK, sequence=message.get("sequence", 0)))
                    for peer in self.peers - {writer}:
                        peer.write(envelope.encode(**message))
        except (ConnectionError, ValueError):
            pass
        finally:
            self.peers.discard(writer)
            writer.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int, nargs="?", default=7000)
    parser.add_argument("--mute", type=int)
    given = parser.parse_args()
    server = await asyncio.start_server(Server(given.mute).serve, "127.0.0.1", given.port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
