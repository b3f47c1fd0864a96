"""Reads captures in a task of Spark: one `unmask` after the other, its records handed on as Arrow without looking at each line."""

import json
import os
import resource
import shlex
import shutil
import subprocess
import tempfile
import threading
import time

import numpy
import pyarrow
from pyspark import AccumulatorParam, SparkFiles

BLOCK = 4 << 20
# The most that is kept of what a program says about an input.
COMPLAINT = 2000
OF_THE_RUN = (b'{"kind":"capture",', b'{"kind":"end",')


class Outcomes(AccumulatorParam):
    """What became of each capture. A task that was run again replaces what it said before."""

    def zero(self, value):
        return {}

    def addInPlace(self, value1, value2):
        value1.update(value2)
        return value1


def program(name):
    """Where unmask is on this machine: among the files sent with the job (which YARN puts in the working folder), or where the name leads."""
    sent = os.path.basename(name)
    for path in (SparkFiles.get(sent), os.path.abspath(sent)):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        # Not a fault of a capture: every task would end so.
        raise FileNotFoundError(f"{name} is not on this machine; install it, or send it along with spark-submit --files")
    return found


class Run:
    """One capture through `unmask read`. `blocks` has its records as Arrow, `outcome` what became of it afterwards."""

    def __init__(self, unmask, options, fetch, capture, seconds):
        self.capture, self.seconds, self.lines, self.of_the_run, self.last = capture, seconds, 0, 0, b""
        self.began, self.python = time.monotonic(), cpu()
        self.errors = tempfile.TemporaryFile()
        self.fetching, source, name = None, None, capture
        if fetch:
            command = fetch.replace("{}", shlex.quote(capture))
            self.fetching = subprocess.Popen(["/bin/sh", "-c", command], stdout=subprocess.PIPE, stderr=self.errors)
            source, name = self.fetching.stdout, "-"
        # A profile in the folder of the worker would change what is read.
        command = [unmask, "read", "--profile", "none", "--format", "ndjson", *options, "--", name]
        self.reading = subprocess.Popen(command, stdin=source or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        if source:
            source.close()
        self.late = threading.Timer(seconds, self.stop)
        self.late.start()

    def stop(self):
        for process in (self.fetching, self.reading):
            if process and process.returncode is None:
                process.kill()

    def blocks(self):
        """Batches of (capture, line, record). `line` is the record's number in the log of its capture, from 1."""
        rest = b""
        while block := self.reading.stdout.read(BLOCK):
            block = rest + block
            end = block.rfind(b"\n") + 1
            rest = block[end:]
            if end:
                yield self.batch(block[:end])
        if rest:  # A line that is cut: the program was killed. It becomes a corrupt record.
            yield self.batch(rest + b"\n")

    def batch(self, lines):
        self.of_the_run += sum(lines.count(b"\n" + start) + lines.startswith(start) for start in OF_THE_RUN)
        self.last = lines[lines.rfind(b"\n", 0, len(lines) - 1) + 1:]
        ends = numpy.flatnonzero(numpy.frombuffer(lines, numpy.uint8) == 0x0A) + 1
        starts = numpy.concatenate(([0], ends)).astype(numpy.int32)
        count = len(ends)
        # Each value ends with its line feed, which JSON allows.
        records = pyarrow.StringArray.from_buffers(count, pyarrow.py_buffer(starts.tobytes()), pyarrow.py_buffer(lines))
        numbers = pyarrow.array(numpy.arange(self.lines + 1, self.lines + count + 1))
        self.lines += count
        names = pyarrow.repeat(pyarrow.scalar(self.capture), count)
        return pyarrow.RecordBatch.from_arrays([names, numbers, records], ["capture", "line", "record"])

    def outcome(self):
        """The row of the table of captures."""
        _, status, usage = os.wait4(self.reading.pid, 0)
        self.reading.returncode = os.waitstatus_to_exitcode(status)
        fetched = self.fetching.wait() if self.fetching else 0
        late = not self.late.is_alive()
        self.late.cancel()
        self.errors.seek(0)
        complaint = self.errors.read(COMPLAINT).decode(errors="replace").strip()
        code = self.reading.returncode
        if late:
            complaint = f"took longer than {self.seconds} s and was ended. {complaint}"
        elif fetched:
            complaint = f"fetching ended with exit code {fetched}. {complaint}"
        elif code < 0:
            complaint = f"unmask was ended by signal {-code}. {complaint}"
        elif code == 0:
            complaint = ""
        end = json.loads(self.last) if self.last.startswith(OF_THE_RUN[1]) and self.last.endswith(b"}\n") else {}
        if code == 0 and not end:
            code, complaint = 1, "the records end without the totals of the run"
        return {
            "capture": self.capture, "exit": code or (1 if fetched else 0), "error": complaint or None, "records": self.lines,
            "recordsOfTheRun": self.of_the_run, "packets": end.get("packets"), "conversations": end.get("conversations"), "messages": end.get("messages"),
            "findings": end.get("findings"), "bytes": end.get("bytes"), "skipped": end.get("skipped"),
            "seconds": time.monotonic() - self.began, "cpuSeconds": usage.ru_utime + usage.ru_stime, "pythonSeconds": cpu() - self.python,
            "peakBytes": usage.ru_maxrss * 1024,
        }


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def reader(unmask, options, fetch, seconds, outcomes):
    """The function that a task runs over its rows, each a list of captures."""

    def read(batches):
        found = program(unmask)
        for batch in batches:
            for captures in batch.column(0).to_pylist():
                for capture in captures:
                    run = Run(found, options, fetch, capture, seconds)
                    try:
                        yield from run.blocks()
                        outcomes.add({capture: run.outcome()})
                    finally:
                        run.late.cancel()
                        run.stop()

    return read
