#!/usr/bin/env python3
"""bench-opening.py UNMASK-OPENING: what it costs to open a record of TLS, beside `openssl speed` for as many bytes with the same ciphers.

Talks of s_client and s_server are recorded on loopback; each record is opened over and over, and the least of nine means counts, in
processor time. Of suites with a MAC of its own openssl is asked for both. Ends with 1 where a suite costs more than twice as much.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BAR = 2.0
HERE = pathlib.Path(__file__).resolve().parent
# A case of tls-suites.py, and what openssl is asked for: a cipher and, where it is none of AEAD, a digest.
SUITES = {
    "tls1_3-TLS_AES_128_GCM_SHA256": ("aes-128-gcm", None),
    "tls1_3-TLS_AES_256_GCM_SHA384": ("aes-256-gcm", None),
    "tls1_3-TLS_CHACHA20_POLY1305_SHA256": ("chacha20-poly1305", None),
    "tls1_3-TLS_AES_128_CCM_SHA256": ("aes-128-ccm", None),
    "tls1_2-ECDHE-ECDSA-AES128-GCM-SHA256": ("aes-128-gcm", None),
    "tls1_2-ECDHE-ECDSA-AES128-SHA": ("aes-128-cbc", "sha1"),
    "tls1_2-ECDHE-ECDSA-AES128-SHA256": ("aes-128-cbc", "sha256"),
    "tls1_2-ECDHE-ECDSA-AES256-SHA384": ("aes-256-cbc", "sha384"),
}


def nanoseconds(count, *words):
    """Processor time that openssl takes for so many bytes."""
    command = ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", str(count), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    # +F:22:name:bytes a second
    rates = re.findall(r"^\+F:\d+:[^:]+:([\d.]+)$", done.stdout, re.MULTILINE)
    return count / float(rates[-1]) * 1e9


def main():
    opening, worst = sys.argv[1], 0.0
    with tempfile.TemporaryDirectory() as folder:
        recorder = [sys.executable, HERE / "../Tests/Peers/tls-suites.py", "--all", "--long", folder, *SUITES]
        subprocess.run(recorder, check=True, timeout=600, stdout=subprocess.DEVNULL)
        for name, (cipher, digest) in SUITES.items():
            talk = pathlib.Path(folder) / name
            if not (talk / "wire").exists():
                print(f"{name}: not recorded")
                worst = max(worst, 99.0)
                continue
            # What is best of three runs of each that take turns.
            ours, theirs, count = [], [], 0
            for _ in range(3):
                done = subprocess.run([opening, talk], capture_output=True, text=True, timeout=120, check=True)
                rows = [line.split() for line in done.stdout.splitlines()]
                count, cost = max((int(row[2]), int(row[3])) for row in rows)
                ours.append(cost)
                aead = [] if digest else ["-aead"]
                theirs.append(nanoseconds(count, "-evp", cipher, "-decrypt", *aead) + (nanoseconds(count, "-hmac", digest) if digest else 0))
            ratio = min(ours) / min(theirs)
            worst = max(worst, ratio)
            print(f"{name:44} {count:6} B  {min(ours) / 1000:7.2f} us  openssl {min(theirs) / 1000:7.2f} us  {ratio:5.2f}", flush=True)
    print(f"the worst is {worst:.2f} times openssl's, the bar {BAR}")
    return 1 if worst > BAR else 0


sys.exit(main())
