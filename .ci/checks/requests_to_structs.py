"""Follows the pages whose requests are to their own structs: requests_to_structs.py BOOK DIRECTORY.

Each block of Rust with public structs, or with commands below it, is pasted into one project of `crud init`: structs into
`src/resources/`, a program into `src/bin/`. The project is built once. The service of each block starts on an empty database,
and answers the requests up to the next block in order. An answer that the page shows is compared.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from pages import Client, blocks, check_output, free_port, new_project, serving, steps
from requests_to_examples import SHOP
from requests_to_examples import follow as follow_example

PAGES = [
    "guide/relations", "guide/transitions", "reference/authentication", "reference/batches", "reference/idempotency",
]

# The request of these pages that is to the shop.
TO_SHOP = "expand=product.category"

ADD = """use crud_runtime::Service;

{modules}
pub fn add(service: Service) -> Service {{
    match std::env::var("SERVICE").as_deref() {{
{services}        other => panic!("{{other:?}}"),
    }}
}}
"""


def sections(page):
    """The blocks of Rust for a project, each with the steps up to the next one."""
    found = []
    for language, block in blocks(page):
        if language == "rust":
            found.append((block, []))
        elif found:
            found[-1][1].append((language, block))
    followed = ((code, list(steps(rest))) for code, rest in found)
    return [(code, rest) for code, rest in followed if rest or "pub struct" in code]


def added(module, code):
    """The expression of `resources::add` for the structs of a block."""
    if "pub fn add(" in code:
        return f"{module}::add(service)"
    return "service" + "".join(f".resource::<{module}::{name}>()" for name in re.findall(r"^pub struct (\w+)", code, re.M))


def paste(services, project, port):
    """Pastes blocks of Rust into the project."""
    modules = {name: code for name, (code, _) in services.items() if "fn main" not in code}
    for name in services.keys() - modules.keys():
        (project / "src/bin").mkdir(exist_ok=True)
        (project / f"src/bin/{name}.rs").write_text(services[name][0].replace("127.0.0.1:8000", f"127.0.0.1:{port}"))
    for name, code in modules.items():
        (project / f"src/resources/{name}.rs").write_text(code)
    arms = (f'        Ok("{name}") => {added(name, code)},\n' for name, code in modules.items())
    text = ADD.format(modules="".join(f"mod {name};\n" for name in modules), services="".join(arms))
    (project / "src/resources/mod.rs").write_text(text)


def follow(name, typed, project, port):
    environment = os.environ | {"SERVICE": name, "DATABASE_URL": f"sqlite://{name}.db", "BIND": f"127.0.0.1:{port}"}
    client, output = Client(project, environment, port), ""

    def take(step):
        nonlocal output
        kind, text = step
        if kind == "output":
            check_output(text, output)
        elif TO_SHOP in text:
            follow_example([text], *SHOP, project / "shop")
        elif not text.startswith("cargo run"):
            output = client.done(text)

    first = next((index for index, (_, text) in enumerate(typed) if "curl " in text), len(typed))
    for step in typed[:first]:
        take(step)
    debug = Path(os.environ["CARGO_TARGET_DIR"]) / "debug"
    program = debug / name if (project / f"src/bin/{name}.rs").exists() else debug / project.name
    with serving([program], project, client.environment):
        for step in typed[first:]:
            take(step)


if __name__ == "__main__":
    book, directory = map(Path, sys.argv[1:3])
    project, port = new_project(directory, "structs"), free_port()
    services = {
        f"{page.rpartition('/')[2]}_{index}": section
        for page in PAGES for index, section in enumerate(sections((book / f"{page}.md").read_text()))
    }
    paste(services, project, port)
    subprocess.run(["cargo", "build"], cwd=project, check=True)
    configuration = (project / "crud.toml").read_text()
    for name, (_, typed) in services.items():
        print(f"-- {name}", flush=True)
        (project / "crud.toml").write_text(configuration)
        follow(name, typed, project, port)
