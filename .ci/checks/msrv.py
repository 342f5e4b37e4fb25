"""Fails when a dependency needs a newer Rust than the manifest states; reads `cargo metadata`."""

import json
import sys


def version(text):
    return tuple(map(int, (text + ".0.0").split(".")[:3]))


packages = json.load(sys.stdin)["packages"]
newer = [p["id"] for p in packages if p["rust_version"] and version(p["rust_version"]) > version(sys.argv[1])]
sys.exit("these need a newer Rust than the manifest states: " + ", ".join(newer) if newer else 0)
