"""Follows the pages whose commands need what their readers have by then: prepared.py BOOK DIRECTORY.

That is the shop's database, or a project with a migrated table, a log, a branch.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from pages import AUTHOR, Client, blocks, check_output, commands, free_port, new_project, serving, steps

# The program before the changes of the page on migrations.
PROGRAM = """use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
pub struct Person {
    pub id: i64,
    pub name: String,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    crud_runtime::config::run(|service| service.resource::<Person>()).await
}
"""


def typed(text):
    """The commands of each block of a page."""
    return [list(commands(block)) for language, block in blocks(text) if language == "sh"]


def migrations(text, reader):
    listed, data, merge, in_ci = typed(text)
    main = reader.place / "src/main.rs"

    def add(field, place):
        before, found, after = main.read_text().partition(place)
        if not found:
            sys.exit(f"the program has no `{place}`")
        main.write_text(f"{before}{place}\n        pub {field}: Option<String>,{after}")

    main.write_text(PROGRAM)
    reader.done("crud migrate diff && crud migrate apply")
    reader.done("""sqlite3 people.db "INSERT INTO people (name) VALUES ('Ada Lovelace')" """)
    add("last", "pub name: String,")
    add("first", "pub name: String,")
    for command in listed:
        reader.done(command)
    # The last one has reverted a migration.
    reader.done("crud migrate apply")

    main.write_text(next(block for _, block in blocks(text) if "split_names" in block and "fn main" in block))
    reader.done("crud migrate diff")
    for command in data:
        reader.done(command)
    reader.done("crud migrate apply")
    check_output("Ada|Lovelace", reader.done("sqlite3 people.db 'SELECT first, last FROM people'"))

    # The file of a branch, which is older than that which the database has: versions are seconds.
    commit = "git add -A && git commit -q -m"
    reader.done(f"{commit} people && git checkout -q -b mine")
    add("city", "pub id: i64,")
    # A migration is named a second after the last one at least, which may be ahead of the clock here.
    reader.done(f"crud migrate diff && {commit} city && git checkout -q - && sleep 5")
    add("email", "pub last: Option<String>,")
    reader.done(f"crud migrate diff && crud migrate apply && {commit} email")
    file = reader.done("git diff --name-only HEAD...mine -- 'migrations/*.up.sql' | xargs basename").strip()
    reader.run("git merge -q mine")  # The sums conflict.
    for command in merge:
        reader.done(re.sub(r"\d{14}_\w+\.up\.sql", file, command))
    for command in in_ci:
        reader.done(command)


def logs(text, reader):
    [[command]] = typed(text)
    request = f"curl localhost:8000/people -H 'x-request-id: {command.split()[-1]}'"
    # The journal is a file here.
    reader.run("journalctl() { cat journal; }")
    shapes = {"text": lambda line: re.sub(r"^\S+|=\S+", "", line.strip()), "json": lambda line: list(json.loads(line))}
    for language, shape in shapes.items():
        journal = reader.served(request, {"JSON_LOGS": str(language == "json").lower()})
        (reader.place / "journal").write_text(journal)
        line = reader.done(command)
        if shape(line) != shape(next(block for other, block in blocks(text) if other == language)):
            sys.exit(f"the log is not as the page shows it:\n{line}")


def configuration(text, reader):
    [block] = [block for language, block in blocks(text) if language == "sh"]
    (reader.place / ".env").write_text(block)
    output = reader.done("crud config --show")
    for name in re.findall(r"^\w+", block, re.M):
        # Other variables are in the page's table of them.
        if not re.search(rf"^{name.lower()} .* \.env ", output, re.M) and f"\n| `{name}` |" not in text:
            sys.exit(f"`{name}` of `.env` is not in force:\n{output}")
    # The environment overrides the file.
    reader.served("curl localhost:8000/people", {"DATABASE_URL": "sqlite://people.db"})


def indexes(text, reader):
    output = reader.done("DATABASE_URL=sqlite://shop.db shop seed 200")
    for kind, step in steps(blocks(text)):
        if kind == "command":
            output = reader.done(step)
        else:
            check_output(step, output)


def accounts(text, reader):
    """A person signs up by the mail in the log, as the pages of its project do, and another one is invited."""
    setup, invitation = typed(text)
    own = Client(reader.place.parent, reader.environment | {"RUST_LOG": "info"}, reader.port)
    init, *prepare, start = setup
    own.done(f"{init} --database sqlite --no-git")
    shutil.copy("Cargo.lock", own.place / init.split()[3])
    for command in prepare:
        own.done(command)
    own.done(start.replace("cargo run", "cargo build"))
    program = Path(os.environ["CARGO_TARGET_DIR"]) / "debug" / own.place.name
    environment = own.environment | {"BIND": f"127.0.0.1:{own.port}"}
    with (own.place / "log").open("w") as log:
        server = subprocess.Popen([program], cwd=own.place, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        await_text(own.place / "log", "listening on")

        def send(path, body):
            own.done(f"curl localhost:8000{path} -H 'content-type: application/json' -d '{json.dumps(body)}'")

        def accept(page):
            token = await_text(own.place / "log", rf"/account/{page}#([0-9a-f]{{64}})")[1]
            send("/auth/verify", {"token": token, "password": "correct horse battery"})

        own.done("curl localhost:8000/account/sign-up")
        send("/auth/register", {"email": "ann@example.com"})
        accept("verify")
        for command in invitation:
            own.done(command)
        accept("invitation")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def await_text(path, pattern):
    """The first match of a pattern in a file that grows."""
    for _ in range(600):
        if found := re.search(pattern, path.read_text()):
            return found
        time.sleep(0.1)
    sys.exit(f"there is no `{pattern}` in:\n{path.read_text()}")


# In the order in which one project is a reader's.
PAGES = {
    "guide/migrations": migrations, "guide/logs": logs, "reference/configuration": configuration, "guide/indexes": indexes,
    "guide/accounts": accounts,
}


class Reader(Client):
    def served(self, request, variables):
        """The log of the project's program while it answers a request."""
        program = Path(os.environ["CARGO_TARGET_DIR"]) / "debug" / self.place.name
        with serving([program], self.place, self.environment | variables | {"BIND": f"127.0.0.1:{self.port}"}) as log:
            self.done(request)
        return "".join(log)


if __name__ == "__main__":
    book, directory = map(Path, sys.argv[1:3])
    reader = Reader(new_project(directory, "people"), os.environ | AUTHOR, free_port())
    for name, follow in PAGES.items():
        print(f"-- {name}", flush=True)
        follow((book / f"{name}.md").read_text(), reader)
