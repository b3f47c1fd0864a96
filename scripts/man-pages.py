#!/usr/bin/env python3
"""man-pages.py FOLDER: makes a page of man for each command out of the help, which comes on standard input as `unmask --experimental-dump-help`
writes it."""

import json
import pathlib
import re
import sys


def escaped(text):
    """Text as roff takes it: no line may begin with a dot or an apostrophe, and hyphens of options stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text):
    """Prose, and examples, which the help indents."""
    for block in text.strip("\n").split("\n\n"):
        if all(line.startswith("  ") for line in block.split("\n")):
            yield ".PP\n.RS 4\n.nf\n" + escaped(re.sub(r"(?m)^  ", "", block)) + "\n.fi\n.RE"
        else:
            yield ".PP\n" + escaped(" ".join(block.split()))


def spelled(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def item(argument):
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        title = f"\\fI{escaped(value)}\\fR"
    else:
        title = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in argument["names"])
        if argument["kind"] == "option":
            title += f" \\fI{escaped(value)}\\fR"
    text = argument.get("abstract", "")
    default = argument.get("defaultValue")
    if default and "(default:" not in text:
        text += f" (default: {default})"
    return f".TP\n{title}\n{escaped(' '.join(text.split()))}"


def synopsis(command, name):
    shown = [argument for argument in command["arguments"] if argument.get("shouldDisplay", True)]
    words = [f"\\fB{escaped(name)}\\fR"]
    if command.get("subcommands"):
        words.append("\\fIcommand\\fR")
    if any(argument["kind"] != "positional" for argument in shown):
        words.append("[\\fIoptions\\fR]")
    for argument in shown:
        if argument["kind"] == "positional":
            value = f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR" + (" ..." if argument.get("isRepeating") else "")
            words.append(f"[{value}]" if argument.get("isOptional") else value)
    return " ".join(words)


def page(command, parents):
    name = " ".join(parents + [command["commandName"]])
    title = name.replace(" ", "-")
    lines = [
        f'.TH "{escaped(title.upper())}" 1 "" "Unmask" "Unmask"',
        ".nh", ".ad l",
        ".SH NAME", f"{escaped(title)} \\- {escaped(command.get('abstract', '').rstrip('.'))}",
        ".SH SYNOPSIS", synopsis(command, name),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    sections = {}
    for argument in command["arguments"]:
        if argument.get("shouldDisplay", True):
            sections.setdefault(argument.get("sectionTitle") or "Options", []).append(argument)
    for section, arguments in sections.items():
        lines += [f".SH {escaped(section.upper())}", *map(item, arguments)]
    commands = [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]
    if commands:
        lines.append(".SH COMMANDS")
        for each in commands:
            lines.append(f".TP\n\\fB{escaped(title + '-' + each['commandName'])}\\fR(1)\n{escaped(each.get('abstract', ''))}")
    if parents:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(parents))}\\fR(1)"]
    yield title, "\n".join(lines) + "\n"
    for each in commands:
        yield from page(each, parents + [command["commandName"]])


folder = pathlib.Path(sys.argv[1])
for title, text in page(json.load(sys.stdin)["command"], []):
    (folder / f"{title}.1").write_text(text, encoding="utf-8")
