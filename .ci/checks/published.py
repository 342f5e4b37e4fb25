"""The packages that are published, as arguments of cargo; reads `cargo metadata`."""

import json
import sys

for package in json.load(sys.stdin)["packages"]:
    if package["publish"] != []:
        print("--package", package["name"])
