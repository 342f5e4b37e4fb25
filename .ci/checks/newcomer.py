"""Follows the book as its readers do: newcomer.py BOOK DIRECTORY RECORD.

Runs each `sh` block of the pages in a project that `crud init` makes, makes the edits that the `rs` and `ts` blocks are, and
compares answers with the `json`, `text` and `sql` blocks that follow. A directory takes the part of the machine that the
project is deployed on. Every page with commands is followed, or is in ELSEWHERE with the reason. Writes the seconds of each
command to RECORD. The last page has a list of its commands with their seconds: NEWCOMER_UPDATE=1 follows it alone, and writes
that list.
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

from pages import AUTHOR, Shell, blocks, commands, free_port, is_part
from prepared import PAGES as PREPARED
from requests_to_examples import PAGES as OF_EXAMPLES
from requests_to_examples import TOUR
from requests_to_structs import PAGES as OF_STRUCTS

PAGES = [
    "tutorial/first-service", "tutorial/change-a-field", "tutorial/rules", "tutorial/tests", "tutorial/login", "guide/cors",
    "guide/metrics", "guide/production", "tutorial/deploy", "guide/systemd", "guide/backup", "guide/moving", "guide/upgrading",
    "tutorial/rooms-and-bookings", "tutorial/fifteen-minutes",
]

# The pages that begin with a project. The last one has the seconds of its commands.
NEW = ["tutorial/rooms-and-bookings", "tutorial/fifteen-minutes"]
TIMED = "tutorial/fifteen-minutes"

# The beginning of that list.
LIST = "## Seconds\n\n"

# The beginnings of commands that are not run, with the reason.
SKIPPED = {
    "cargo install": "the command is built before",
    "cargo update": "no registry has a newer version",
    "git diff": "it is for the eyes",
    "systemctl": "it needs systemd: the unit's own commands are run",
    "journalctl": "it needs systemd",
}

# Pages with commands that are not followed, with the reason, or the part of `.ci/run` that does what they say.
ELSEWHERE = {
    "guide/admin": "the part `admin` builds and uses its example",
    "guide/clients": "the part `generators` runs these generators",
    "guide/docker": "it needs a docker daemon",
    "guide/existing-database": "the part `generated` follows it, with SQLite in PostgreSQL's place",
    "guide/api-keys": "its program is the example `keys`, which the part `admin-page` runs",
    "reference/engines": "it needs an engine: the part `vitess` has one",
    "tutorial/prove-and-deploy": "the part `tests` runs this test",
    "guide/sharding": "the part `shards` follows it, as it needs Vitess",
    "guide/api-lock": "the part `generated` locks an interface, and breaks it",
    "guide/events": "the part `events` follows such streams",
    "guide/files": "the part `files` sends and reads such files",
    "guide/mcp": "it needs an assistant: the part `agents` has the official clients",
    "guide/webhooks": "it needs a receiver: the part `webhooks` has one",
    "guide/servers": "it needs several hosts: the part `fleet` has such servers on one",
}

# The deployed program, with variables before it.
DEPLOYED = re.compile(r"(\w+=\S+ )*library ")

# An empty database of another URL: the guide's is one of a server, and this one is a second file.
OTHER_DATABASE = "sqlite://moved.db"


def edit(page, number, code, project):
    """Makes the edit that a block of Rust is."""
    book, loan = project / "src/resources/book.rs", project / "src/resources/loan.rs"
    tests = project / "tests/resources/loan.rs"
    ticket, resources = project / "src/resources/ticket.rs", project / "src/resources/mod.rs"
    match (page, number):
        case ("change-a-field", 0):
            replace(book, r"(    pub pages: Option<i64>,\n)", lambda found: found[1] + code)
        case ("rules", 0):
            attribute = code.splitlines()[0]
            replace(loan, r"#\[crud\(filter, sort, pagination\)\]", lambda _: attribute)
            transitions = re.search(r"    #\[crud\(default.*?\)\)\]\n", code, re.S)[0]
            replace(loan, r"    #\[crud\(default\(LoanStatus::Lent\)\)\]\n", lambda _: transitions)
        case ("rules", 1):
            loan.write_text(loan.read_text() + "\n" + code)
        case ("tests", 0):
            tests.write_text(tests.read_text() + "\n" + code)
        case ("login", 0):
            replace(book, r"#\[crud\(filter, sort, pagination, soft_delete, audit\)\]", lambda _: code.strip())
        case ("rooms-and-bookings", 0):
            booking = project / "src/resources/booking.rs"
            replace(booking, r"#\[crud\(filter.*\)\]", lambda _: code.splitlines()[0])
            replace(booking, r"    #\[crud\(default.*\)\]", lambda _: re.search(r"    #\[crud\(default.*", code)[0])
        case ("fifteen-minutes", 0):
            ticket.write_text(ticket.read_text() + "\n" + code)
        case ("fifteen-minutes", 1):
            replace(resources, r"        \.openapi\(", lambda found: code + found[0])
        case ("first-service", _):
            pass  # It shows what is there.
        case _:
            sys.exit(f"{page}: the edit of block {number} is not known here:\n{code}")


def replace(path, pattern, new):
    text, count = re.subn(pattern, new, path.read_text())
    if count != 1:
        sys.exit(f"{path} has {count} times what the page replaces: {pattern}")
    path.write_text(text)


class Reader(Shell):
    def __init__(self, book, directory, record):
        self.book = book.resolve()
        self.record, self.server, self.seconds = record, None, []
        self.machine = directory.resolve() / "machine"
        for path in ["root", "var/backups", "etc"]:
            (self.machine / path).mkdir(parents=True, exist_ok=True)
        self.port, self.metrics_port = free_port(), free_port()
        path = f"{self.machine}/usr/local/bin:{os.environ['PATH']}"
        super().__init__(directory, os.environ | AUTHOR | {"PATH": path, "BIND": f"127.0.0.1:{self.port}"})

    def run(self, command):
        start = time.monotonic()
        done = super().run(self.here(self.at_port(command)))
        self.note(time.monotonic() - start, command)
        return done

    def at_port(self, text):
        metrics = f"localhost:{self.metrics_port}"
        return text.replace("localhost:8000", f"localhost:{self.port}").replace("localhost:9000", metrics)

    def here(self, command):
        """The command with the directories of the other machine below that of this run, and its other database a file."""
        if command == "createdb library":
            # Between databases of one kind, the migrations create the tables.
            apply = f"DATABASE_URL={OTHER_DATABASE}"
            return f"{apply} crud migrate apply && {self.deployed(f'{apply} library migrate apply')}"
        command = command.replace("postgres://library:password@localhost/library", OTHER_DATABASE)
        command = command.replace(" alert-rules.yml", f" {self.book}/monitoring/alert-rules.yml")
        command = re.sub(r"/(var|srv|usr/local)/", lambda found: f"{self.machine}{found[0]}", command)
        if command.startswith("scp "):
            target = os.environ.get("CARGO_TARGET_DIR", "target")
            command = "cp " + command.removeprefix("scp ").replace("target/", f"{target}/")
            command = command.replace("shop.example:", f"{self.machine}/root") + f" && cd {self.machine}/root"
        return self.deployed(command) if DEPLOYED.match(command) else command

    def deployed(self, command):
        """A command in the directory of the deployed program."""
        return f"(cd {self.machine}/srv/library && {command})"

    def start_unit(self, unit, project):
        """Does what systemd does with a unit, whose secrets are those of the project's `.env`."""
        def of(name):
            return re.findall(rf"^{name}=(.*)$", unit, re.M)

        secrets = self.machine / of("EnvironmentFile")[0].lstrip("/")
        shutil.copy(project / ".env", secrets)
        for name in of("StateDirectory"):
            (self.machine / "var/lib" / name).mkdir(parents=True, exist_ok=True)
        # The port is that of this run.
        variables = " ".join(value for value in of("Environment") if not value.startswith("BIND="))
        for before in of("ExecStartPre"):
            command = f"{variables} {before.removeprefix('/usr/local/bin/')}"
            output, errors, good = self.run(command)
            if not good:
                sys.exit(f"{command}\n{output}{errors}")
        start = self.here(f"cd {of('WorkingDirectory')[0]} && export {variables} && exec {of('ExecStart')[0]}")
        self.serve(False, ["bash", "-c", f"set -a; . {secrets}; {start}"], of("ExecStart")[0])

    def note(self, seconds, command):
        self.seconds.append((command.splitlines()[0], seconds))
        line = f"{seconds:.1f}\t{command.splitlines()[0]}"
        print(line, flush=True)
        with self.record.open("a") as record:
            record.write(line + "\n")

    def serve(self, is_refused, program=("cargo", "run"), typed="cargo run"):
        """Starts the program, and waits until it listens; or returns why it does not."""
        self.stop()
        start = time.monotonic()
        self.server = subprocess.Popen(
            program, cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0,
        )
        output = ""
        for line in self.server.stdout:
            output += line
            if "listening on" in line:
                break
        listens = "listening on" in output
        self.note(time.monotonic() - start, typed)
        if listens == is_refused:
            sys.exit(f"{typed}: {output}")
        if not listens:
            self.stop()
        return output

    def stop(self):
        if self.server:
            # cargo has become the program, or has ended.
            os.killpg(self.server.pid, signal.SIGKILL) if self.server.poll() is None else None
            self.server.wait()
            self.server = None


def check_pages(book):
    """Asserts that each page with commands is followed, or has a reason not to be."""
    paths = {str(path.relative_to(book).with_suffix("")): path for path in book.rglob("*.md")}
    commanding = {name for name, path in paths.items() if any(language == "sh" for language, _ in blocks(path.read_text()))}
    followed = {*PAGES, *OF_EXAMPLES, *TOUR, *OF_STRUCTS, *PREPARED}
    if unknown := commanding - followed - set(ELSEWHERE):
        sys.exit(f"pages with commands that nothing follows, and no reason is given for: {sorted(unknown)}")
    if stale := (followed | set(ELSEWHERE)) - commanding:
        sys.exit(f"these pages have no commands: {sorted(stale)}")
    for name, reason in ELSEWHERE.items():
        print(f"not followed: {name}: {reason}", flush=True)


def follow(reader, name, text):
    kind, page = name.split("/")
    found, edits, project = blocks(text), 0, reader.place
    if kind == "guide":
        # Other blocks of a guide are alternatives, or of another service.
        pairs = zip([("", ""), *found], found)
        found = [now for before, now in pairs if now[0] in ("sh", "ini") or (before[0], now[0]) == ("sh", "text")]
    output, shown, printed = "", "", ""
    for index, (language, block) in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else ("", "")
        if language == "sh":
            if "npm " in block and not shutil.which("npm"):
                print(f"SKIPPED: newcomer: the client of {page}: there is no npm", flush=True)
                break
            printed = ""
            for command in commands(block):
                if reasons := [reason for start, reason in SKIPPED.items() if command.startswith(start)]:
                    print(f"not run: {command}: {reasons[0]}", flush=True)
                    continue
                if "promtool " in command and not shutil.which("promtool"):
                    print(f"SKIPPED: promtool: {command}: Debian's package `prometheus` cannot be had here", flush=True)
                    continue
                if command.startswith("crud init"):
                    command += " --database sqlite --auth no"
                if re.fullmatch(r"cargo run( +#.*)?", command):
                    output = reader.serve(following[0] == "text" and following[1].startswith("Error:"))
                    continue
                output, errors, good = reader.run(command)
                if not good:
                    sys.exit(f"{page}: {command}\n{output}{errors}")
                shown = output if command.startswith("cat ") else shown
                printed += output
                if made := re.match(r"crud init --name (\S+)|crud add ", command):
                    # Its versions are those of the workspace.
                    shutil.copy("Cargo.lock", reader.place / (made[1] or ""))
                if command == "crud add metrics":
                    reader.environment["METRICS"] = f"127.0.0.1:{reader.metrics_port}"
                status = re.search(r"# (\d{3})$", command)
                if status and json.loads(output)["status"] != int(status[1]):
                    sys.exit(f"{page}: {command}\n{output}")
        elif language == "rs":
            edit(page, edits, block, reader.place)
            edits += 1
        elif language == "ini":
            reader.start_unit(block, project)
        elif language == "ts":
            (reader.place / "main.ts").write_text(reader.at_port(block))
        elif language == "sql" and not all(line in shown for line in block.splitlines()):
            sys.exit(f"{page}: the statements are not as the page shows them:\n{shown}\n{block}")
        elif language == "json" and not is_part(json.loads(block), json.loads(output)):
            sys.exit(f"{page}: the answer is not as the page shows it:\n{output}\n{block}")
        elif language == "text" and block.startswith("INFO"):
            # The address of these runs is another one, which no network reaches.
            lines = [line for line in block.splitlines() if "listening on" not in line and "every network" not in line]
            if not all(line in output for line in lines):
                sys.exit(f"{page}: the log is not as the page shows it:\n{output}\n{block}")
        elif language == "text" and block.startswith("Error:") and block.strip() not in output:
            sys.exit(f"{page}: the error is not as the page shows it:\n{output}\n{block}")
        elif language == "text" and kind == "guide" and not set(shapes(block)) <= set(shapes(printed)):
            sys.exit(f"{page}: the output is not as the page shows it:\n{printed}\n{block}")
    reader.stop()
    if reader.place.is_relative_to(reader.machine):
        reader.place = project


def shapes(text):
    """The lines of an output, with one word for each number and checksum."""
    return [tuple(re.sub(r"^([0-9a-f]{16}|\d+)$", "#", word) for word in line.split()) for line in text.splitlines()]


def timed(text, seconds):
    """The page with the seconds of its commands."""
    lines = ["On two cores, from an empty directory of compiled code:", "", "| Seconds | Command |", "|--:|---|"]
    for command, taken in seconds:
        shown = command if len(command) <= 80 else command[:79] + "…"
        lines.append(f"| {taken:.1f} | `{shown.replace('|', chr(92) + '|')}` |")
    lines.append(f"| **{sum(taken for _, taken in seconds):.0f}** | |")
    return text.split("\n" + LIST)[0].rstrip() + "\n\n" + LIST + "\n".join(lines) + "\n"


book, directory, record = map(Path, sys.argv[1:4])
check_pages(book)
record.parent.mkdir(parents=True, exist_ok=True)
record.unlink(missing_ok=True)
reader = Reader(book, directory, record)
is_updated = bool(os.environ.get("NEWCOMER_UPDATE"))
try:
    for name in [TIMED] if is_updated else PAGES:
        print(f"-- {name}", flush=True)
        page = book / f"{name}.md"
        if name in NEW:
            reader = Reader(book, directory, record)
        follow(reader, name, page.read_text())
        if is_updated:
            page.write_text(timed(page.read_text(), reader.seconds))
finally:
    reader.stop()
