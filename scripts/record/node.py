#!/usr/bin/env python3
"""Node: its HTTP server with keep-alive, chunks, trailers and gzip; its WebSocket client against Python's websockets."""

import http.client
import subprocess
import sys
import threading

from recording import recording, running
from websockets.sync.server import serve

SERVER = """
const http = require("http"), zlib = require("zlib");
http.createServer((request, response) => {
  if (request.url === "/chunked") {
    response.writeHead(200, {"Content-Type": "text/plain", "Trailer": "X-Sum"});
    response.write("first, ");
    setTimeout(() => {
      response.write("then ");
      response.addTrailers({"X-Sum": "17"});
      response.end("last");
    }, 20);
  } else if (request.url === "/gzip") {
    const body = zlib.gzipSync("compressible ".repeat(50));
    response.writeHead(200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"});
    response.write(body.subarray(0, 20));
    setTimeout(() => response.end(body.subarray(20)), 10);
  } else if (request.url === "/deflate") {
    const body = zlib.deflateSync(JSON.stringify({room: 7, members: ["ana", "ben", "eve"]}));
    response.writeHead(200, {"Content-Type": "application/json", "Content-Encoding": "deflate", "Content-Length": body.length});
    response.end(body);
  } else if (request.method === "POST") {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      response.writeHead(201, {"Content-Type": "application/json", "Content-Length": body.length, "Set-Cookie": ["a=1", "b=2"]});
      response.end(body);
    });
  } else {
    response.writeHead(204).end();
  }
}).listen(8080, "127.0.0.1");
"""
CLIENT = """
const socket = new WebSocket("ws://127.0.0.1:9000/node", ["chat.v2"]);
socket.binaryType = "arraybuffer";
let received = 0;
socket.onopen = () => {
  socket.send(JSON.stringify({type: "join", room: 7}));
  socket.send("x".repeat(300));
  socket.send(new Uint8Array([1, 2, 3]));
};
socket.onmessage = () => { if (++received === 3) socket.close(4000, "seen enough"); };
socket.onclose = () => process.exit(0);
socket.onerror = (event) => { console.error(event.message ?? event); process.exit(1); };
"""

with running("node", "-e", SERVER, port=8080):
    with recording(
        "node-http",
        "Python's http.client asks Node's HTTP server on one connection: chunks with a trailer, gzip in chunks, deflate with a length, a POST "
        "sent in chunks, 204, HEAD.",
        "tcp port 8080",
    ):
        client = http.client.HTTPConnection("127.0.0.1", 8080)
        for path in ("/chunked", "/gzip", "/deflate", "/nothing"):
            client.request("GET", path, headers={"Accept-Encoding": "gzip, deflate"})
            client.getresponse().read()
        client.request("HEAD", "/gzip")
        client.getresponse().read()
        body = (part for part in [b'{"type":"text",', b'"text":"in two chunks"}'])
        client.request("POST", "/messages", body=body, headers={"Content-Type": "application/json"}, encode_chunked=True)
        client.getresponse().read()
        client.close()


def echo(socket):
    for message in socket:
        socket.send(message)


with recording("node-websocket", "Node's WebSocket client (undici) talks to Python's websockets; the client closes with 4000 and a reason.", "tcp port 9000"):
    with serve(echo, "127.0.0.1", 9000, subprotocols=["chat.v2"]) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = ["node", "--experimental-websocket", "-e", CLIENT]
        if subprocess.run(command, timeout=20, stderr=subprocess.DEVNULL).returncode:
            sys.exit("this Node has no WebSocket client")
        server.shutdown()
