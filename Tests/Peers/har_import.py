#!/usr/bin/env python3
"""Has Chromium's developer tools import an HTTP archive: `har_import.py FILE`.

Headless Chromium serves its developer tools over its debugging port. A page of that origin loads the module with which the network panel reads
archives, and hands it the file, as "Import HAR file" does. What it makes of the file is printed as JSON: a list of requests.
"""

import asyncio
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from messaging_talks import library

IMPORT = """
(async () => {
  const har = await import('/devtools/models/har/har.js');
  const root = new har.HARFormat.HARRoot(JSON.parse(%s));
  const requests = har.Importer.Importer.requestsFromHARLog(root.log);
  const out = [];
  for (const request of requests) {
    const content = await request.requestContentData();
    out.push({
      url: request.url(), method: request.requestMethod, status: request.statusCode, type: request.resourceType().name(),
      mime: request.mimeType, start: request.startTime, address: request.remoteAddress(),
      requestHeaders: request.requestHeaders().length, responseHeaders: request.responseHeaders.length,
      size: content && content.isTextContent !== undefined && content.isTextContent ? content.text.length : null,
      frames: request.frames().map(f => ({type: f.type, time: f.time, opcode: f.opCode, text: f.text})),
    });
  }
  return JSON.stringify(out);
})()
"""


async def evaluate(address, code):
    """Runs code in the page at `address`, and gives what it comes to."""
    async with library("websockets").connect(address, max_size=None) as socket:
        async def ask(number, method, **params):
            await socket.send(json.dumps({"id": number, "method": method, "params": params}))
            while True:
                answer = json.loads(await asyncio.wait_for(socket.recv(), 60))
                if answer.get("id") == number:
                    return answer

        return await ask(1, "Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)


def main(path):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        print("absent: chromium")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            told = pathlib.Path(folder, "DevToolsActivePort")
            deadline = time.monotonic() + 60
            while not (told.exists() and "\n" in told.read_text()):
                if time.monotonic() > deadline or process.poll() is not None:
                    print("absent: a debugging port")
                    return 3
                time.sleep(0.1)
            origin = "http://127.0.0.1:" + told.read_text().split("\n")[0]
            opening = urllib.request.Request(origin + "/json/new?" + origin + "/json/version", method="PUT")
            page = json.load(urllib.request.urlopen(opening, timeout=60))
            code = IMPORT % json.dumps(pathlib.Path(path).read_text(encoding="utf-8"))
            answer = {}
            # The page may still be on its way.
            for _ in range(20):
                answer = asyncio.run(evaluate(page["webSocketDebuggerUrl"], code))
                if isinstance(answer.get("result", {}).get("result", {}).get("value"), str):
                    break
                time.sleep(0.5)
            else:
                print("error:", json.dumps(answer)[:2000])
                return 1
            print(answer["result"]["result"]["value"])
            return 0
        finally:
            process.terminate()
            process.wait(30)


sys.exit(main(sys.argv[1]))
