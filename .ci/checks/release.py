"""Writes a version into the files of a release: release.py VERSION DATE [REPOSITORY]."""

import json
import re
import subprocess
import sys
from pathlib import Path

# Where a repository is not known yet.
PLACEHOLDER = "https://repository.example/crud"

# What the first release makes untrue, and what stands there then.
UNPUBLISHED = [
    (
        "README.md",
        "\nVersion 0.1 is not on crates.io yet. Until then, depend on a clone: "
        "`crud-runtime = { path = \"…/crud-runtime\" }`.\n",
        "",
    ),
    ("README.md", "cargo install --path crud-cli          # in a clone of this repository", "cargo install crud-cli"),
    (
        "docs/src/tutorial/first-service.md",
        "In\na clone of the repository, install the `crud` command; once it is published, `cargo install crud-cli` does so anywhere:\n\n"
        "```sh\ncargo install --path crud-cli\n```",
        "Install\nthe `crud` command:\n\n```sh\ncargo install crud-cli\n```",
    ),
    (
        "docs/src/reference/command.md",
        "`cargo install --path crud-cli` in a clone of the repository installs the command;\n"
        "`cargo install crud-cli` will, once it is published.",
        "`cargo install crud-cli` installs the command.",
    ),
    (
        "docs/src/guide/admin.md",
        "Until the packages are published, make them from a checkout: `npm ci && npm pack --workspace typescript --workspace\n"
        "react-admin` in `clients`, then `npm install react-admin ../crud/clients/crud-runtime-client-0.1.0.tgz\n"
        "../crud/clients/ra-data-crud-runtime-0.1.0.tgz`.\n\n",
        "",
    ),
]


def replace(path, old, new):
    text = Path(path).read_text()
    if old not in text:
        sys.exit(f"{path} lacks what the release replaces:\n{old}")
    Path(path).write_text(text.replace(old, new))


def set_versions(version):
    manifest = Path("Cargo.toml")
    text = re.sub(r'(?m)^version = "[^"]*"$', f'version = "{version}"', manifest.read_text(), count=1)
    manifest.write_text(re.sub(r'version = "=[^"]*"', f'version = "={version}"', text))
    lock = Path("clients/package-lock.json")
    locked = json.loads(lock.read_text())
    for name in ["typescript", "react-admin", "example"]:
        path = Path("clients") / name / "package.json"
        manifest = json.loads(path.read_text())
        for package in [manifest, locked["packages"][name]]:
            set_npm_version(package, version)
        write_json(path, manifest)
    write_json(lock, locked)


def set_npm_version(package, version):
    """The packages of npm depend on each other by their exact version."""
    if "version" in package:
        package["version"] = version
    dependencies = package.get("dependencies", {})
    for name in dependencies.keys() & {"@crud-runtime/client", "ra-data-crud-runtime"}:
        dependencies[name] = version


def write_json(path, document):
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def set_pages(version):
    """Pages name the version that a project depends on, without its patch."""
    minor = version.rsplit(".", 1)[0]
    pages = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    for page in map(Path, pages):
        text = page.read_text()
        new = re.sub(r'(crud-runtime = (?:\{ version = )?")\d+\.\d+(?=")', rf"\g<1>{minor}", text)
        if new != text:
            page.write_text(new)


def set_repository(repository):
    files = subprocess.run(["git", "grep", "-l", PLACEHOLDER], capture_output=True, text=True, check=False).stdout.split()
    files = [file for file in files if not file.startswith(".ci/")]
    if files and not repository:
        sys.exit(f"the repository is not known: give its address, as in .ci/release 0.1.0 https://example.org/crud ({files[0]})")
    for file in files:
        replace(file, PLACEHOLDER, repository.rstrip("/"))


def set_changelog(version, date):
    path = Path("CHANGELOG.md")
    text = path.read_text()
    before, rest = text.split("## [Unreleased]\n", 1)
    entries, sections = rest.split("\n## [", 1) if "\n## [" in rest else (rest, "")
    sections = "\n## [" + sections if sections else ""
    if f"\n## [{version}]" in sections:
        # The first version has its own text: what was added and mended on the way to it was never released.
        sections = sections.replace(f"\n## [{version}]", f"\n## [{version}] - {date}", 1)
        entries = ""
    else:
        sections = f"\n## [{version}] - {date}\n{entries.rstrip()}\n{sections}"
    path.write_text(f"{before}## [Unreleased]\n{sections}")


version, date, repository = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
is_first = any(PLACEHOLDER in Path(file).read_text() for file in ["Cargo.toml"])
set_repository(repository)
set_versions(version)
set_pages(version)
set_changelog(version, date)
if is_first:
    for path, old, new in UNPUBLISHED:
        replace(path, old, new)
