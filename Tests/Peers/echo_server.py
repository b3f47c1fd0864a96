#!/usr/bin/env python3
"""A WebSocket server that echoes, with permessage-deflate: plain, and with TLS where a certificate is given.

Prints `listening PORT` when it is ready, and ends with its standard input, so that it never outlives who started it.
"""

import argparse
import asyncio
import os
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


async def echo(connection):
    try:
        async for message in connection:
            await connection.send(message)
    except ConnectionClosed:
        pass


async def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--port", type=int, default=0)
    arguments.add_argument("--address", default="127.0.0.1")
    arguments.add_argument("--certificate", help="PEM with the certificate and its key: the server speaks TLS")
    arguments = arguments.parse_args()
    context = None
    if arguments.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate)
    options = dict(ssl=context, max_size=1 << 25, ping_interval=None, close_timeout=5)
    async with serve(echo, arguments.address, arguments.port, **options) as server:
        print("listening", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)
        # No handshake with peers that may be gone already.
        os._exit(0)


if __name__ == "__main__":
    import logging

    logging.basicConfig(level=logging.CRITICAL)
    asyncio.run(main())
