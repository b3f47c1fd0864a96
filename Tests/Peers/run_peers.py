#!/usr/bin/env python3
"""Programs that `unmask run` starts, with nothing set up: what they print and end with is what they do without it, and all of it is in the log.

The servers' certificate is of an authority that only the user's own SSL_CERT_FILE names, as of a company that has its own.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import comparison
from programs import Program

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = """
import asyncio, sys, urllib.request
from websockets.asyncio.client import connect
plain, secure = sys.argv[1:]
for url in (f"http://localhost:{plain}/word", f"https://localhost:{secure}/word"):
    print(urllib.request.urlopen(url).read().decode())
async def talk(url):
    async with connect(url) as socket:
        await socket.send("hello")
        print(await socket.recv())
asyncio.run(talk(f"ws://localhost:{plain}/echo"))
asyncio.run(talk(f"wss://localhost:{secure}/echo"))
sys.exit(7)
"""
# `ws` makes its connection in the same way: with net.connect and tls.connect, past every agent.
NODE = """
import http from 'node:http'; import https from 'node:https'; import net from 'node:net'; import tls from 'node:tls';
const [plain, secure] = process.argv.slice(-2);
const get = (from, url, more = {}) => new Promise((done, failed) => from.get(url, more, answer => {
  let text = '';
  answer.on('data', data => text += data).on('end', () => done(text));
}).on('error', failed));
const agent = new https.Agent({ keepAlive: true });
console.log(await get(http, `http://localhost:${plain}/word`), await get(https, `https://localhost:${secure}/word`, { agent }));
console.log(await (await fetch(`http://localhost:${plain}/word`)).text(), await (await fetch(`https://localhost:${secure}/word`)).text());
const talk = (from, port, createConnection) => new Promise((done, failed) => {
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  const asked = from.request({ host: 'localhost', port, path: '/echo', createConnection, headers });
  asked.on('upgrade', (answer, socket) => {
    socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
    socket.once('data', data => { done(data.subarray(2).toString()); socket.destroy(); });
  }).on('error', failed).end();
});
console.log(await talk(http, plain, net.connect), await talk(https, secure, tls.connect));
const reach = target => new Promise(done => net.connect(target).on('error', error => done(error.code)).on('connect', () => done('connected')));
console.log(await reach({ host: 'localhost', port: 9 }));
const socket = net.connect(plain, 'localhost', () => socket.write('GET /word HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'));
let text = '';
for await (const data of socket.setEncoding('latin1')) text += data;
console.log(text.split('\\r\\n')[0]);
"""
JAVA = """
import java.net.*; import java.net.http.*; import java.io.*;
public class Ask { public static void main(String[] ports) throws Exception {
  for (String url : new String[] { "http://localhost:" + ports[0] + "/word", "https://localhost:" + ports[1] + "/word" }) {
    System.out.println(new String(new URL(url).openStream().readAllBytes()));
    var request = HttpRequest.newBuilder(URI.create(url)).version(HttpClient.Version.HTTP_1_1).build();
    System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
  try (var socket = new Socket("localhost", Integer.parseInt(ports[0]))) {
    socket.getOutputStream().write("GET /word HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n".getBytes());
    System.out.println(new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine());
  }
} }
"""
# Both take the HTTP proxy from Java's properties and connect to it with plain sockets, which Java sends through the SOCKS proxy of the same properties.
OKHTTP = """
import java.util.concurrent.CountDownLatch;
import okhttp3.*;
public class AskWithOkHttp { public static void main(String[] ports) throws Exception {
  var client = new OkHttpClient();
  String[] hosts = { "://localhost:" + ports[0], "s://localhost:" + ports[1] };
  for (String host : hosts)
    try (var response = client.newCall(new Request.Builder().url("http" + host + "/word").build()).execute()) {
      System.out.println(response.body().string());
    }
  for (String host : hosts) {
    var done = new CountDownLatch(1);
    client.newWebSocket(new Request.Builder().url("ws" + host + "/echo").build(), new WebSocketListener() {
      @Override public void onOpen(WebSocket socket, Response response) { socket.send("hello"); }
      @Override public void onMessage(WebSocket socket, String text) { System.out.println(text); socket.close(1000, null); }
      @Override public void onClosed(WebSocket socket, int code, String reason) { done.countDown(); }
      @Override public void onFailure(WebSocket socket, Throwable failure, Response response) { System.out.println(failure); done.countDown(); }
    });
    done.await();
  }
  client.dispatcher().executorService().shutdown();
  client.connectionPool().evictAll();
} }
"""
APACHE = """
import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;
public class AskWithApache { public static void main(String[] ports) throws Exception {
  for (String url : new String[] { "http://localhost:" + ports[0] + "/word", "https://localhost:" + ports[1] + "/word" })
    try (var client = HttpClients.createSystem(); var response = client.execute(new HttpGet(url))) {
      System.out.println(EntityUtils.toString(response.getEntity()));
    }
} }
"""
JARS = {
    "okhttp": ["okhttp", "okio"],
    "apache": ["httpclient", "httpcore", "commons-logging", "commons-codec"],
}
# What programs print that do not trust the server's CA by themselves, or that cannot be compared with themselves.
PRINTED = {
    "java": "the word\n" * 4 + "HTTP/1.1 200 OK\n",
    "okhttp": "the word\n" * 2 + "heard: hello\n" * 2,
    "apache": "the word\n" * 2,
    "wget": "the word" * 2,
}


def java(it, name, source, ports):
    """The command that runs one file of Java with the JARs of Debian, or none of them where one is missing."""
    jars = [pathlib.Path("/usr/share/java", jar + ".jar") for jar in JARS.get(name, [])]
    if not all(jar.exists() for jar in jars):
        return [f"the JARs of {name}"]
    (file := pathlib.Path(it.folder, source.split("class ")[1].split()[0] + ".java")).write_text(source)
    classes = ["-cp", ":".join(map(str, jars))] if jars else []
    return ["java", *classes, str(file), *ports]


def started(it, command, number, *options):
    """What a command printed and ended with, and the records of what it said."""
    log = pathlib.Path(it.folder, f"run-{number}.ndjson")
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        environment[name] = str(it.certificates.authority)
    environment |= {"TMPDIR": str(it.folder), "no_proxy": "localhost,127.0.0.1"}
    prefix = [str(it.unmask), "run", "--log", str(log), *options, "--"] if number else []
    done = subprocess.run([*prefix, *command], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
    if number and done.returncode >= 125:
        print(done.stderr, flush=True)
    records = [json.loads(line) for line in log.read_text().splitlines()] if number else []
    return (done.returncode, done.stdout), records


def compare(it):
    with Program("run_servers.py", it.certificates.server) as servers:
        ports = [str(servers.port), servers.process.stdout.readline().strip()]
        plain, secure = ports
        script = pathlib.Path(it.folder, "app.mjs")
        script.write_text(NODE)
        browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        headless = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]
        # The command, and the requests and messages that the log has to have.
        tries = {
            "curl": (["curl", "-sS", "-q", "--max-time", "30", f"http://localhost:{plain}/word", f"https://localhost:{secure}/word"], 2, 0),
            "python": ([sys.executable, "-c", PYTHON, *ports], 2, 4),
            "node": (["node", str(script), *ports], 5, 4),
            "wget": (["wget", "-q", "-O", "-", f"http://localhost:{plain}/word", f"https://localhost:{secure}/word"], 2, 0),
            "java": (java(it, "java", JAVA, ports), 5, 0),
            "okhttp": (java(it, "okhttp", OKHTTP, ports), 4, 4),
            "apache": (java(it, "apache", APACHE, ports), 2, 0),
            "chromium": ([browser or "chromium", *headless, f"https://localhost:{secure}/page"], 3, 2),
        }
        for number, (name, (command, requests, messages)) in enumerate(tries.items(), 1):
            if not shutil.which(command[0]):
                print(f"skipped: unmask run -- {name} (there is no {name})", flush=True)
                continue
            through, records = started(it, command, number)
            # By themselves these two do not trust the server.
            if name == "chromium":
                it.same("chromium shows the page", (0, True), (through[0], "the word heard: hello" in through[1]))
            elif name in PRINTED:
                it.same(f"what {name} prints and ends with", (0, PRINTED[name]), through)
            else:
                it.same(f"what {name} prints and ends with", started(it, command, 0)[0], through)
            if name == "chromium":
                hosts = {record["server"].get("name") for record in records if record["kind"] == "opened"}
                it.same("chromium says nothing to anybody else", {"localhost"}, hosts)
            words = sum(record["kind"] == "request" and record["target"].endswith(("/word", "/page", "/echo")) for record in records)
            it.same(f"the log has what {name} asked for", (True, messages), (
                words >= requests, sum(record["kind"] == "message" for record in records)))
            sealed = {record.get("secrets") for record in records if record["kind"] == "tls" and record.get("serverName", "localhost") == "localhost"}
            it.same(f"{name} does not lead the proxy back to itself", [], [
                record for record in records if record.get("id") == "proxy.loop"])
            it.same(f"TLS of {name} is opened", {"terminated"}, sealed)
        it.same("nothing is left behind", [], [path.name for path in pathlib.Path(it.folder).glob("unmask-run.*")])


if __name__ == "__main__":
    sys.exit(comparison.main(compare))
