"""Spark's schema of the log's records, made from the JSON Schema that `unmask schema` prints, so that no pass over the data infers one.

All kinds of records lie in one table, a column a key. Where two kinds have different things under one key:
  - objects become one struct with the members of both (client and server of `opened` and of `closed`),
  - anything else becomes text: the number of an `opcode`, the object of a `framing` as JSON.
Objects whose members depend on the payload (`decoded`) are JSON text as well. Integers become BIGINT.
"""

import json

from pyspark.sql.types import (ArrayType, BooleanType, DataType, DoubleType, LongType, MapType, StringType, StructField, StructType)

# Records about the run, not about a conversation. They share keys with others and mean something else by them.
OF_THE_RUN = ("capture", "end")


def record_type(schema):
    """The struct of every kind of record but those of the run, from the parsed JSON Schema."""
    definitions = schema["$defs"]
    columns = {}
    for kind in definitions["kinds"]["enum"]:
        if kind in OF_THE_RUN:
            continue
        for name, described in definitions[kind]["properties"].items():
            found = type_of(described, definitions)
            columns[name] = joined(columns[name], found) if name in columns else found
    return StructType([StructField(name, columns[name]) for name in columns])


def type_of(described, definitions) -> DataType:
    """Spark's type for what a JSON Schema describes."""
    if "$ref" in described:
        return type_of(definitions[described["$ref"].rsplit("/", 1)[-1]], definitions)
    if "anyOf" in described:
        first, *others = [type_of(one, definitions) for one in described["anyOf"]]
        for other in others:
            first = joined(first, other)
        return first
    if "const" in described or "enum" in described:
        first, *others = [of_value(value) for value in described.get("enum", [described.get("const")])]
        for other in others:
            first = joined(first, other)
        return first
    kind = described.get("type")
    if kind == "object":
        # Only what the schema closes has no other members; what is open is kept whole, as JSON.
        if described.get("additionalProperties") is False:
            return StructType([StructField(name, type_of(one, definitions)) for name, one in described["properties"].items()])
        if isinstance(described.get("additionalProperties"), dict):
            return MapType(StringType(), type_of(described["additionalProperties"], definitions))
        return StringType()
    if kind == "array":
        items = described["prefixItems"][0] if "prefixItems" in described else described["items"]
        return ArrayType(type_of(items, definitions))
    return {"string": StringType(), "boolean": BooleanType(), "integer": LongType(), "number": DoubleType()}[kind]


def of_value(value) -> DataType:
    if isinstance(value, bool):
        return BooleanType()
    return LongType() if isinstance(value, int) else StringType()


def joined(one: DataType, other: DataType) -> DataType:
    """The type that holds the values of both."""
    if one == other:
        return one
    if isinstance(one, StructType) and isinstance(other, StructType):
        members = {member.name: member.dataType for member in one}
        for member in other:
            members[member.name] = joined(members[member.name], member.dataType) if member.name in members else member.dataType
        return StructType([StructField(name, members[name]) for name in members])
    return StringType()


if __name__ == "__main__":
    import sys

    print(record_type(json.load(sys.stdin)).simpleString())
