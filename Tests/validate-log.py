#!/usr/bin/env python3
"""Holds logs of unmask against docs/log-format.schema.json.

    validate-log.py FILE...

A FILE is NDJSON, or JSON where it begins with "[". Exit code: 0 all records are right, 1 some are not (each is
named with its line), 2 wrong use, 77 the jsonschema package is missing.
"""
import collections
import json
import pathlib
import sys

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "log-format.schema.json"


def records(path):
    """Yields line or position, and the record."""
    with open(path, encoding="utf-8", newline="\n") as file:
        first = file.read(1)
        file.seek(0)
        if first == "[":
            yield from enumerate(json.load(file), 1)
        else:
            for number, line in enumerate(file, 1):
                if not line.endswith("\n"):
                    raise ValueError(f"line {number} has no end")
                yield number, json.loads(line)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        import jsonschema
    except ImportError:
        print("skipped: Python has no jsonschema package", file=sys.stderr)
        return 77
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    # One validator a kind: the whole schema's anyOf would only say that no kind fits.
    kinds = {
        name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
        for name in schema["$defs"]["kinds"]["enum"]
    }
    wrong = 0
    seen = collections.Counter()
    for path in sys.argv[1:]:
        try:
            for number, record in records(path):
                kind = record.get("kind")
                seen[kind] += 1
                if kind not in kinds:
                    wrong += 1
                    print(f"{path}:{number}: unknown kind {kind!r}")
                    continue
                for error in kinds[kind].iter_errors(record):
                    wrong += 1
                    place = "/".join(map(str, error.absolute_path))
                    print(f"{path}:{number}: {kind} {place}: {error.message[:300]}")
        except ValueError as error:
            wrong += 1
            print(f"{path}: {error}")
    print(f"{sum(seen.values())} records, {wrong} wrong: " + ", ".join(f"{seen[k]} {k}" for k in sorted(seen, key=str)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
