#!/usr/bin/env python3
"""gRPC over HTTP/2 in the clear, between grpcio's client and server of PyPI."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Peers"))

import grpc_talks
from recording import recording

NOTE = """
grpcio's client and server in the clear: a call, a stream of the server, a stream of the client, both at once, a message that gzip has made
smaller, an error with its message, a deadline that is over, a method that is not there.
"""

with grpc_talks.server(port=50_051):
    with recording("http2-grpc", NOTE, "tcp port 50051"):
        grpc_talks.talk(50_051)
