#!/usr/bin/env python3
"""key_preload.py: what programs do with libunmask-keys.so loaded into them, against libraries that stand for OpenSSL. Prints `same` or `failed` lines.

`key_preload.py LIBRARY` looks at another build of it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = PROJECT / "Tests/Peers/preload"
COMPILER = os.environ.get("CC") or "cc"
# Name of the file, VERSION, and the version of its symbols.
LIBRARIES = [("libssl.so.3", 3, "OPENSSL_3.0.0"), ("libssl.so.1.1", 11, "OPENSSL_1_1_0"), ("libssl.so.1.0.0", 10, "OPENSSL_1.0.0"),
             ("libssl-2f1c.so.3", 3, "OPENSSL_3.0.0")]


class Folder:
    def __init__(self, path, preload):
        self.path, self.preload, self.wrong = pathlib.Path(path), preload, []
        if not preload:
            subprocess.run([PROJECT / "scripts/preload.sh", path], check=True, timeout=120)
            self.preload = f"{path}/libunmask-keys.so"
        for name, version, symbols in LIBRARIES:
            script = self.path / f"{name}.map"
            script.write_text(f"{symbols} {{ global: *; }};\n")
            self.compile(name, ["ssl.c"], "-shared", "-fPIC", f"-DVERSION={version}", f"-Wl,-soname,{name},--version-script,{script}")
            more = ["-DHAS_NO_KEY_LOG"] if version == 10 else []
            self.compile(f"user-{name}", ["user.c"], "-shared", "-fPIC", *more, name)
        self.compile("waiting", ["waiting.c", "user.c"], "-shared", "-fPIC", "libssl.so.3")
        self.compile("main", ["main.c"])
        self.compile("linked", ["main.c", "user.c"], "-DLINKED", "libssl.so.3")
        self.compile("loading", ["loading.c"])
        self.compile("other", [], "-shared", "-fPIC", "-xc", "/dev/null")

    def compile(self, output, sources, *options):
        flags = [f"{self.path}/{word}" if word.startswith("libssl") else word for word in options]
        command = [COMPILER, "-O2", "-w", *(str(SOURCES / source) for source in sources), "-o", f"{self.path}/{output}", *flags, f"-Wl,-rpath,{self.path}"]
        subprocess.run([*command, "-ldl", "-lpthread"], check=True, timeout=120)

    def shell(self, what, script, output, **variables):
        """A shell with the library, which makes no context, says what it says without it."""
        environment = {"PATH": os.environ["PATH"], "LD_PRELOAD": self.preload, "HOME": str(self.path), **variables}
        process = subprocess.run(["bash", "-c", script], env=environment, cwd=self.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if (process.returncode, process.stdout, process.stderr) != (0, output, ""):
            self.wrong.append(f"different: {what}: {process.returncode}, {process.stdout!r}, {process.stderr!r}")

    def run(self, what, words, lines):
        """The program says ok, and these key lines are in the file."""
        log = self.path / "keys.log"
        log.write_text("")
        words = [word if word.startswith("CLIENT") else f"{self.path}/{word}" for word in words]
        environment = {"PATH": "/usr/bin:/bin", "SSLKEYLOGFILE": str(log), "LD_PRELOAD": self.preload}
        process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output, _ = process.communicate(timeout=60)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            output, status = process.communicate()[0], "it hangs"
        written = sorted(set(log.read_text().splitlines()))
        if (status, output, written) != (0, "ok\n", sorted(lines)):
            self.wrong.append(f"different: {what}: {status}, {output!r}, {written}")


def main():
    if not shutil.which(COMPILER) or sys.platform != "linux":
        print("skipped: libunmask-keys.so (it takes Linux and a C compiler)")
        print("same: nothing")
        return 0
    with tempfile.TemporaryDirectory(prefix="unmask-preload-") as path:
        folder = Folder(path, sys.argv[1] if len(sys.argv) > 1 else None)
        own = ["CLIENT_RANDOM main before", "CLIENT_RANDOM main after"]
        new, old = "CLIENT_RANDOM new", "CLIENT_RANDOM old"
        folder.run("one OpenSSL", ["linked"], own)
        folder.run("one that a plugin brings", ["main", "user-libssl.so.1.1", old], [old])
        folder.run("another one in a plugin", ["linked", "user-libssl.so.1.1", old], [*own, old])
        folder.run("two in plugins", ["main", "user-libssl.so.1.1", old, "user-libssl.so.3", new], [old, new])
        folder.run("two of one version", ["main", "user-libssl-2f1c.so.3", old, "user-libssl.so.3", new], [old, new])
        folder.run("one without a key log", ["linked", "user-libssl.so.1.0.0", "CLIENT_RANDOM none"], own)
        folder.run("a library that is loaded meanwhile", ["loading", "libssl.so.3", "other"],
                   ["CLIENT_RANDOM while loading", "CLIENT_RANDOM at the end"])
        folder.run("a constructor that waits for a thread", ["linked", "waiting", new], [*own, "CLIENT_RANDOM of a constructor", new])
        log = folder.path / "shell-keys.log"
        log.write_text("")
        given = {"SSLKEYLOGFILE": str(log)}
        folder.shell("a shell that takes any number for its files", "exec 200>mine; echo word >&200; cat mine; exec 200</etc/hostname; read -u 200 name; echo ${#name}; exec 200>&1; echo on >&200",
                     f"word\n{len(pathlib.Path('/etc/hostname').read_text().split()[0])}\non\n", **given)
        if log.read_text():
            folder.wrong.append(f"different: in the key log there is {log.read_text()!r}")
        gone = f"{path}/unmask-run.gone"
        options = {"SSLKEYLOGFILE": f"{gone}/keys.log", "NODE_OPTIONS": f"--no-warnings --tls-keylog={gone}/keys.log \"--require={gone}/quiet.cjs\" --trace-exit",
                   "JAVA_TOOL_OPTIONS": f"-javaagent:/opt/agent.jar={gone}/keys.log"}
        folder.shell("a program for which the folder of the run is not there", 'echo "${SSLKEYLOGFILE-none} $NODE_OPTIONS ($JAVA_TOOL_OPTIONS)"',
                     "none --no-warnings --trace-exit ()\n", **options)
        folder.shell("Python there", "python3 -c 'import ssl; ssl.create_default_context(); print(1)'", "1\n", **options)
        own = {"SSLKEYLOGFILE": f"{path}/none/of/mine", "NODE_OPTIONS": f"--tls-keylog={path}/none/of/mine"}
        folder.shell("a file of the user's own that is not there", 'echo "$SSLKEYLOGFILE $NODE_OPTIONS"', f"{own['SSLKEYLOGFILE']} {own['NODE_OPTIONS']}\n", **own)
        for line in folder.wrong:
            print(line)
        print("failed" if folder.wrong else "same: 12 programs")
        return 1 if folder.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
