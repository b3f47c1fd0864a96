"""The modules of the console's page that need no browser, run by Node: what is copied, and the reader of JSON."""

import base64
import json
import os
import pathlib
import shutil
import subprocess

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/WebConsole/Page"

SCRIPT = """
import { ways, shell } from "./copies.mjs";
import { readJSON, kinds } from "./json.mjs";
let input = "";
for await (const part of process.stdin) input += part;
const { payloads, documents, requests } = JSON.parse(input);
const copies = [];
for (const one of payloads) {
  const bytes = new Uint8Array(Buffer.from(one, "base64"));
  const text = new TextDecoder().decode(bytes);
  const record = { kind: "message", conversation: 3, time: "2026-11-20T21:48:00.000000000Z", opcode: "text", headers: [["Host", text], ["X", text]], target: "/" + text };
  const detail = { id: 1, record, text: ["line"], payload: { kind: "text", length: bytes.length, stored: bytes.length } };
  const conversation = { n: 3, client: "10.0.0.5:1", server: "10.0.0.9:80", name: text, path: "/" + text };
  const made = { shell: shell(text) };
  for (const way of ways) {
    const kind = way.name === "curl" ? "request" : "message";
    made[way.name] = way.made({ detail: { ...detail, record: { ...record, kind } }, bytes, conversation, files: [text] });
  }
  copies.push(made);
}
const curl = ways.find((way) => way.name === "curl");
const commands = requests.map(([method, target, headers]) => {
  const record = { kind: "request", method, target, headers: [["Host", "a.test"], ...(headers ?? [])] };
  return curl.made({ detail: { id: 1, record, text: [], payload: {} }, bytes: new Uint8Array(), conversation: null, files: [] });
});
const read = [];
for (const one of documents) {
  const bytes = new Uint8Array(Buffer.from(one, "base64"));
  try {
    const tree = await readJSON(bytes);
    const value = (node) => {
      const [kind, start, end] = [tree.kind.values[node], tree.start.values[node], tree.end.values[node]];
      if (kind !== kinds.object && kind !== kinds.array) return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString());
      const list = [];
      for (let child = node + 1; child < tree.next.values[node]; child = tree.next.values[child]) {
        const [from, to] = [tree.keyStart.values[child], tree.keyEnd.values[child]];
        list.push(kind === kinds.object ? [JSON.parse(Buffer.from(bytes.subarray(from, to)).toString()), value(child)] : value(child));
      }
      return kind === kinds.object ? { members: list } : list;
    };
    read.push({ value: tree.count < 500 ? value(0) : tree.count });
  } catch (error) {
    read.push({ error: String(error.message) });
  }
}
console.log(JSON.stringify({ copies, read, commands }));
"""


# Requests, and the words of curl for them after `curl -i`.
REQUESTS = [
    (("GET", "/plain/a..b/.c?x=1"), ["http://a.test/plain/a..b/.c?x=1"]),
    (("GET", "/list?filter[name]=x"), ["-g", "http://a.test/list?filter[name]=x"]),
    (("PUT", "/a/{id}"), ["-g", "-X", "PUT", "http://a.test/a/{id}"]),
    (("HEAD", "/"), ["-I", "http://a.test/"]),
    (("GET", "/a/../b"), ["--path-as-is", "http://a.test/a/../b"]),
    (("GET", "/a/%2e%2E?"), ["--path-as-is", "http://a.test/a/%2e%2E?"]),
    (("POST", "/b", [["Content-Length", "9"], ["X-Empty", ""]]), ["-X", "POST", "--data-binary", "@SAVED-BODY", "-H", "X-Empty;", "http://a.test/b"]),
    (("POST", "/b", [["Content-Length", "0"]]), ["-X", "POST", "http://a.test/b"]),
]


def run(folder, payloads, documents):
    """What the modules make of payloads, of JSON documents and of `REQUESTS`; nil where there is no Node."""
    if not shutil.which("node"):
        return None
    for name in ("copies", "json"):
        (folder / f"{name}.mjs").write_text((PAGE / f"{name}.js").read_text("utf-8"), "utf-8")
    (folder / "run.mjs").write_text(SCRIPT, "utf-8")
    given = {"payloads": [base64.b64encode(one).decode() for one in payloads], "documents": [base64.b64encode(one).decode() for one in documents],
             "requests": [request for request, _ in REQUESTS]}
    ran = subprocess.run(["node", str(folder / "run.mjs")], input=json.dumps(given), capture_output=True, text=True, timeout=60)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout)


def shell_words(command):
    """The words that bash takes a command for."""
    ran = subprocess.run(["bash", "-c", f"for word in {command}; do printf '%s\\0' \"$word\"; done"], env={**os.environ, "LC_ALL": "C.UTF-8"},
                         capture_output=True, timeout=20)
    return ran.stdout.decode("utf-8", "replace").split("\0")[:-1]


def json_value(document):
    """A document as the modules give it: objects as lists of their members, in order, repeated ones too."""
    try:
        return {"value": json.loads(document.decode("utf-8"), object_pairs_hook=lambda members: {"members": [list(one) for one in members]},
                                    parse_constant=lambda word: 1 / 0)}
    except (ValueError, ZeroDivisionError, RecursionError):
        return None
