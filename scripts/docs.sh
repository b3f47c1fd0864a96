#!/usr/bin/env bash
# docs.sh UNMASK: writes anew what the documentation takes from the program: docs/findings.md, docs/log-format.schema.json, the tables of
# docs/log-format.md and docs/filter.md, and the samples in README.md and docs/demo.md.
set -euo pipefail
unmask=$(realpath "${1:?usage: docs.sh UNMASK}")
cd "$(dirname "$0")/.."

"$unmask" findings --markdown >docs/findings.md.new
mv docs/findings.md.new docs/findings.md
"$unmask" explain --markdown >docs/symptoms.md.new
mv docs/symptoms.md.new docs/symptoms.md
"$unmask" schema >docs/log-format.schema.json.new
mv docs/log-format.schema.json.new docs/log-format.schema.json

# The command that a sample shows stands in the README itself, in the line after the marker.
python3 - "$unmask" <<'PYTHON'
import os, re, subprocess, sys

readme = open("README.md", encoding="utf-8").read()
environment = dict(os.environ, NO_COLOR="1", COLUMNS="120", TZ="UTC0")

def sample(match):
    command = re.search(r"^\$ unmask (.*)$", match[2], re.M)
    if not command:
        sys.exit("a sample in README.md names no command")
    output = subprocess.run([sys.argv[1]] + command[1].split(), env=environment, check=True, capture_output=True, text=True)
    return f"{match[1]}```console\n$ unmask {command[1]}\n{output.stdout.rstrip()}\n```\n{match[3]}"

readme, count = re.subn(r"(<!-- sample -->\n)(.*?)(<!-- /sample -->)", sample, readme, flags=re.S)
if not count:
    sys.exit("README.md has no <!-- sample --> block")
with open("README.md", "w", encoding="utf-8") as file:
    file.write(readme)

# Each table of fields stands between two comments, the first of which names it.
tables = subprocess.run([sys.argv[1], "schema", "--tables"], check=True, capture_output=True, text=True).stdout
for kind, name in (("fields", "docs/log-format.md"), ("filter", "docs/filter.md")):
    page = open(name, encoding="utf-8").read()
    for table in re.findall(rf"<!-- {kind}: .*?<!-- /{kind} -->\n", tables, re.S):
        place = re.escape(table.split("\n", 1)[0]) + rf"\n.*?<!-- /{kind} -->\n"
        if not re.search(place, page, re.S):
            sys.exit(f"{name} has no place for " + table.split("\n", 1)[0])
        page = re.sub(place, lambda _: table, page, count=1, flags=re.S)
    with open(name, "w", encoding="utf-8") as file:
        file.write(page)

# Of the demonstration the clocks and ports differ from run to run. Where nothing else does, the sample stays as it is.
def masked(text):
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{3}|\d{4}-\d\d-\d\d|\d+(\.\d+)? (s|ms)\b", "#", text)
    return re.sub(r"(127\.0\.0\.1:|localhost:|port )\d+", r"\1#", text)

page = open("docs/demo.md", encoding="utf-8").read()
match = re.search(r"(<!-- demo -->\n)(.*?)(<!-- /demo -->)", page, re.S)
if not match:
    sys.exit("docs/demo.md has no <!-- demo --> block")
environment = dict(os.environ, NO_COLOR="1", COLUMNS="140", TZ="UTC0")
output = subprocess.run([sys.argv[1], "demo"], env=environment, check=True, capture_output=True, text=True)
block = f"```console\n$ unmask demo\n{output.stdout.rstrip()}\n```\n"
if masked(block) != masked(match[2]):
    with open("docs/demo.md", "w", encoding="utf-8") as file:
        file.write(page[: match.end(1)] + block + page[match.start(3) :])
PYTHON
