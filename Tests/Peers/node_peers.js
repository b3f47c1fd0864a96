// Node's own http, https, net and tls, as a server and as a client; node_peers.py starts both.
//
// server CERTIFICATE                               prints its two ports, and ends with its standard input
// client SCHEME TARGET PORT WAY AUTHORITY          prints what it saw as JSON

"use strict";
const crypto = require("crypto"), fs = require("fs"), http = require("http"), https = require("https"), net = require("net"), tls = require("tls");

function frame(first, payload, mask) {
  const key = mask ? Buffer.from([1, 2, 3, 4]) : Buffer.alloc(0);
  const body = Buffer.from(payload);
  if (mask) body.forEach((byte, index) => { body[index] = byte ^ key[index % 4]; });
  return Buffer.concat([Buffer.from([first, body.length | (mask ? 0x80 : 0)]), key, body]);
}

function server(certificate) {
  const pem = fs.readFileSync(certificate);
  const answer = (request, response) => {
    const hash = crypto.createHash("sha256");
    request.on("data", part => hash.update(part)).on("end", () => {
      response.sendDate = false;
      response.setHeader("Trailer", "X-Digest");
      response.write("the body, ");
      response.addTrailers({ "X-Digest": hash.digest("hex") });
      response.end("and its end");
    });
  };
  const upgrade = (request, socket) => {
    const accept = crypto.createHash("sha1").update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n");
    socket.once("data", () => { socket.write(frame(0x81, "hello back")); socket.end(frame(0x88, [3, 0xe8])); });
    socket.on("error", () => {});
  };
  const plain = http.createServer(answer).on("upgrade", upgrade);
  const secure = https.createServer({ cert: pem, key: pem }, answer).on("upgrade", upgrade);
  plain.listen(0, "127.0.0.1", () => secure.listen(0, "127.0.0.1", () => console.log(plain.address().port, secure.address().port)));
  process.stdin.resume().on("end", () => process.exit(0));
}

// A socket on which the server's own bytes are next; it says nothing before the client does.
function dial(target, port, way, ready) {
  const socket = net.connect(port, "127.0.0.1");
  const steps = {
    connect: [[`CONNECT localhost:${target} HTTP/1.1\r\nHost: localhost:${target}\r\n\r\n`, data => data.includes("\r\n\r\n")]],
    socks5: [[Buffer.from([5, 1, 0]), data => data.length >= 2],
      [Buffer.concat([Buffer.from([5, 1, 0, 3, 9]), Buffer.from("localhost"), Buffer.from([target >> 8, target & 255])]), data => data.length >= 10]],
  }[way] || [];
  const next = () => {
    const step = steps.shift();
    if (!step) return ready(socket);
    let seen = Buffer.alloc(0);
    const more = data => {
      seen = Buffer.concat([seen, data]);
      if (step[1](seen)) { socket.removeListener("data", more); next(); }
    };
    socket.on("data", more).resume().write(step[0]);
  };
  socket.on("connect", next);
}

function client(scheme, target, port, way, authority) {
  const seen = {};
  const secured = socket => scheme === "https" ? tls.connect({ socket, ca: fs.readFileSync(authority), servername: "localhost" }) : socket;
  const ask = then => dial(target, port, way, socket => {
    const request = http.request({ createConnection: () => secured(socket), method: "POST", path: "/body", headers: { Host: "localhost", Connection: "close" } }, response => {
      let body = "";
      response.on("data", part => { body += part; }).on("end", () => {
        Object.assign(seen, { status: response.statusCode, headers: response.rawHeaders, body, trailers: response.rawTrailers });
        then();
      });
    });
    request.on("error", error => { seen.error = error.code; then(); });
    request.end(Buffer.alloc(300000, "node"));
  });
  const talk = () => dial(target, port, way, plain => {
    const socket = secured(plain);
    let bytes = Buffer.alloc(0);
    socket.on("data", data => {
      bytes = Buffer.concat([bytes, data]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end > 0 && !seen.upgraded) { seen.upgraded = bytes.subarray(0, 12).toString(); socket.write(frame(0x81, "hello", true)); }
      if (end > 0) seen.frames = bytes.subarray(end + 4).toString("hex");
    });
    socket.on("end", () => { seen.ended = true; });
    socket.on("error", error => { seen.failed = error.code; });
    socket.on("close", failed => {
      seen.closed = failed;
      seen.message = Buffer.from(seen.frames || "", "hex").subarray(2, 12).toString();
      console.log(JSON.stringify(seen));
      process.exit(0);
    });
    socket.write("GET /talk HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  });
  ask(talk);
}

const [role, ...rest] = process.argv.slice(2);
if (role === "server") server(rest[0]);
else client(rest[0], Number(rest[1]), Number(rest[2]), rest[3], rest[4]);
