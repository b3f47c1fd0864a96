"""Programs that a script starts: each says that it is ready, and ends with who started it."""

import pathlib
import re
import signal
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
READY = 30


class Program:
    """A program of this folder: `port` is what it says after `listening`."""

    def __init__(self, script, *arguments, prefix=()):
        command = [*prefix, sys.executable, str(HERE / script), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening "):
            raise RuntimeError(f"{script} did not start: {line!r}")
        self.port = int(line.split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        stop(self.process)


def stop(process, seconds=10):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Unmask:
    """`unmask proxy` with these arguments: `port` is where it listens, `status` how it ended."""

    READY = re.compile(r"^unmask: listening on (\S+):(\d+)")

    def __init__(self, binary, folder, *arguments, listen="127.0.0.1:0", prefix=()):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.records = self.folder / "records.ndjson"
        self.errors = []
        self.status = None
        self.ready = threading.Event()
        command = [*prefix, str(binary), "proxy", "--listen", listen, *map(str, arguments)]
        command += ["--format", "ndjson", "--ca-folder", str(self.folder / "ca")]
        with open(self.records, "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.listen, daemon=True).start()
        if not self.ready.wait(READY) or not hasattr(self, "port"):
            self.__exit__()
            raise RuntimeError("the proxy did not start: " + "".join(self.errors))

    def listen(self):
        for line in self.process.stderr:
            self.errors.append(line)
            if found := self.READY.match(line):
                self.port = int(found.group(2))
                self.ready.set()
        self.ready.set()

    @property
    def authority(self):
        """The certificate that the proxy's clients are to trust."""
        return self.folder / "ca/authority/unmask-authority.pem"

    def cpu(self):
        """Seconds of processor time so far; nil where the system does not tell."""
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / 100
        except OSError:
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        stop(self.process, 15)
        self.status = self.process.returncode
