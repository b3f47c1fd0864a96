#!/usr/bin/env python3
"""Writes the files of the web console's page into one Swift file of string literals, so that the program carries them.

    scripts/assets.py            writes Sources/WebConsole/Assets.swift anew
    scripts/assets.py --check    says what differs, and ends with status 1 where something does
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "Sources/WebConsole/Page"
TARGET = ROOT / "Sources/WebConsole/Assets.swift"
LIMIT = 150_000

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}

HEAD = """\
// swift-format-ignore-file
// Written by `make assets` from the files under Page; edit those. table: a row for each file.

/// The files of the page, which the program carries with it.
enum Assets {
    /// One file by its name, with its media type; nil for any other name.
    static func file(named name: String) -> (type: String, bytes: StaticString)? {
        switch name {
"""


def literal(text):
    """A raw string of several lines: nothing in it is an escape, and every line of the file is a line of it."""
    fence = "#"
    while '"""' + fence in text or "\\" + fence in text:
        fence += "#"
    return f'{fence}"""\n{text}\n"""{fence}'


def page_files():
    files = sorted(path for path in PAGE.iterdir() if path.suffix in TYPES)
    total = sum(path.stat().st_size for path in files)
    if total > LIMIT:
        sys.exit(f"the page has {total:,} bytes, over {LIMIT:,}")
    return files


def generated():
    files = page_files()
    cases, constants = [], []
    for path in files:
        text = path.read_bytes().decode("utf-8")
        if "\r" in text or "\0" in text:
            sys.exit(f"{path.name} has a carriage return or a zero byte")
        constant = "".join(part.capitalize() for part in path.name.replace(".", "-").split("-"))
        constant = constant[0].lower() + constant[1:]
        cases.append(f'        case "{path.name}": ("{TYPES[path.suffix]}", {constant})\n')
        constants.append(f"\n    private static let {constant}: StaticString = {literal(text)}\n")
    modules = ", ".join(f"</{path.name}>; rel=modulepreload" for path in files if path.suffix == ".js")
    preload = f'\n    /// What a browser fetches with the page (Link, RFC 8288): all modules at once.\n    static let preload = "{modules}"\n'
    return HEAD + "".join(cases) + "        default: nil\n        }\n    }\n" + preload + "".join(constants) + "}\n"


def main():
    text = generated()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or TARGET.read_text("utf-8") != text:
            sys.exit("Sources/WebConsole/Assets.swift differs from the files under Page; run make assets")
    else:
        TARGET.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
