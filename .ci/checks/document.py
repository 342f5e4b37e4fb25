"""Checks an OpenAPI document: against the specification, and its examples and defaults against its schemas."""

import json
import sys

from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012


def pointer(path):
    """A JSON Pointer as the fragment of a URI."""
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    keep = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
    text = "".join("/" + step for step in escaped)
    return "".join(c if c in keep else "".join(f"%{byte:02X}" for byte in c.encode()) for c in text)


def samples(node, path=()):
    """Every example and default, with the path of the schema that it belongs to."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from samples(item, (*path, index))
    if not isinstance(node, dict):
        return
    examples = node.get("examples")
    if isinstance(examples, list):
        yield from ((path, example) for example in examples)
    elif isinstance(examples, dict) and "schema" in node:
        yield from (((*path, "schema"), example["value"]) for example in examples.values())
    if "schema" in node and "example" in node:
        yield (*path, "schema"), node["example"]
    if "type" in node and "default" in node:
        yield path, node["default"]
    for key, value in node.items():
        yield from samples(value, (*path, key))


def main(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    faults = [f"{list(e.absolute_path)}: {e.message}" for e in OpenAPIV31SpecValidator(document).iter_errors()]
    resource = Resource(contents=document, specification=DRAFT202012)
    registry = Registry().with_resource("urn:document", resource)
    count = 0
    for schema, sample in samples(document):
        count += 1
        reference = {"$ref": "urn:document#" + pointer(schema)}
        validator = Draft202012Validator(reference, registry=registry, format_checker=FormatChecker())
        faults += [f"{pointer(schema)}: {e.message}" for e in validator.iter_errors(sample)]
    for fault in faults:
        print(fault[:500])
    print(f"{path}: {len(faults)} faults, {count} examples and defaults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(max(main(path) for path in sys.argv[1:]))
