"""Debian's Chromium before a web console, driven by Playwright, with everything noted that a page must not do."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#[0-9a-f]{32}")


def chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def console(program, *arguments, seconds=60, folder=None):
    """Starts `unmask console`, and gives the address that it prints."""
    environment = {**os.environ, "TZ": "UTC0"}
    process = subprocess.Popen(
        [program, "console", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        cwd=folder)
    watchdog = threading.Timer(seconds, process.kill)
    watchdog.start()
    try:
        printed = []
        for line in process.stdout:
            printed.append(line)
            if found := ADDRESS.search(line):
                break
        else:
            raise RuntimeError(f"the console printed no address: {''.join(printed)}")
        watchdog.cancel()
        # What it still prints is read, so that it never waits for it.
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        yield found[0]
    finally:
        watchdog.cancel()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Page:
    """A page of the browser, and what it did that it must not do."""

    WATCH = """
        window.violations = [];
        document.addEventListener("securitypolicyviolation", event => window.violations.push(
            event.violatedDirective + " " + event.blockedURI + " " + event.sample));
        window.alert = window.confirm = window.prompt = () => { window.ran = true; };
        window.ran = false;
    """

    def __init__(self, browser, address, *, width=1400, height=900, scheme="light"):
        self.address = address
        self.origin = address.split("/#")[0]
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.context.add_init_script(self.WATCH)
        self.page = self.context.new_page()
        self.strayed, self.complaints = [], []
        self.page.on("request", self.requested)
        self.page.on("console", self.said)
        self.page.on("response", self.responded)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))

    def requested(self, request):
        if not request.url.startswith((self.origin + "/", "data:image/svg+xml", f"blob:{self.origin}/")):
            self.strayed.append(request.url)

    def responded(self, response):
        if response.status >= 401:
            self.complaints.append(f"{response.status} {response.url}")

    def said(self, message):
        # A filter that the server refuses with 400 is part of the checks; Chromium notes every such response.
        if message.type in ("error", "warning") and "status of 400" not in message.text:
            self.complaints.append(message.text)

    def open(self, more=""):
        self.page.goto("about:blank")
        self.page.goto(self.address + more)
        self.wait("document.querySelector('#messages')?.getAttribute('aria-busy') === 'false'")
        return self.page

    def wait(self, condition, seconds=15):
        # Playwright's own way to wait has the page read a string as a script, which the page's policy refuses.
        end = time.monotonic() + seconds
        while not self.page.evaluate(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"it never came that {condition}")
            self.page.wait_for_timeout(20)

    def misdeeds(self):
        """Everything that must not have happened; empty where nothing did."""
        return {
            "requests elsewhere": self.strayed,
            "messages": self.complaints,
            "violations": self.page.evaluate("window.violations"),
            "scripts": self.page.evaluate("window.ran"),
        }

    def close(self):
        self.context.close()


NO_MISDEEDS = {"requests elsewhere": [], "messages": [], "violations": [], "scripts": False}

#: The active row of a list: its position as a screen reader has it, and its text.
ACTIVE = """id => { const row = document.querySelector(`#${id} .row.active`);
    return row && !row.classList.contains("waiting") ? [Number(row.getAttribute("aria-rowindex")) - 2, row.textContent] : null; }"""


@contextlib.contextmanager
def browser(playwright):
    chrome = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"])
    try:
        yield chrome
    finally:
        chrome.close()
