"""Follows the tutorial as its readers do: newcomer.py PAGES DIRECTORY RECORD.

Runs each `sh` block of the pages in a project that `crud init` makes, makes the edits that the `rs` and `ts` blocks are, and
compares answers with the `json`, `text` and `sql` blocks that follow. Writes the seconds of each command to RECORD. The last
page has a list of its commands with their seconds: NEWCOMER_UPDATE=1 follows it alone, and writes that list.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PAGES = ["first-service", "change-a-field", "rules", "tests", "login", "fifteen-minutes"]

# The page that begins with a project, and has the seconds of its commands.
TIMED = "fifteen-minutes"

# The beginning of that list.
LIST = "## Seconds\n\n"

# Commands that are for another machine, or done before.
SKIPPED = ["cargo install", "git diff"]


def blocks(page):
    """The blocks of a page: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


def commands(block):
    """The commands of a block, each with its continued lines."""
    command = ""
    for line in block.splitlines():
        command += line
        if command.endswith("\\"):
            command = command[:-1] + " "
            continue
        try:
            shlex.split(command, comments=True)
        except ValueError:
            command += "\n"
            continue
        if command.strip():
            yield command.strip()
        command = ""


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
        case ("fifteen-minutes", 0):
            ticket.write_text(ticket.read_text() + "\n" + code)
        case ("fifteen-minutes", 1):
            replace(resources, r"        \.version\(", lambda found: code + found[0])
        case ("first-service", _):
            pass  # It shows what is there.
        case _:
            sys.exit(f"{page}: the edit of block {number} is not known here:\n{code}")


def replace(path, pattern, new):
    text, count = re.subn(pattern, new, path.read_text())
    if count != 1:
        sys.exit(f"{path} has {count} times what the page replaces: {pattern}")
    path.write_text(text)


def is_part(expected, found):
    """Whether an answer has what the page shows; `…` stands for more."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key == "…" or key in found and is_part(value, found[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(is_part, expected, found))
    return expected == found


class Reader:
    def __init__(self, directory, record):
        self.place, self.record, self.server, self.seconds = directory, record, None, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        names = {"GIT_AUTHOR_NAME": "reader", "GIT_AUTHOR_EMAIL": "reader@example.org"}
        names |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in names.items()}
        self.environment = os.environ | names | {"BIND": f"127.0.0.1:{self.port}"}

    def run(self, command):
        """Runs a command; its output, and whether it has succeeded."""
        typed, command = command, self.at_port(command)
        # The next command is of the same shell to a reader: it has the directory and the variables.
        script = f"set -a\n{command}\nresult=$?\n{{ pwd; env -0; }} >&3\nexit $result"
        reader, writer = os.pipe()
        start = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", f"exec 3>&{writer}; {script}"], cwd=self.place, env=self.environment, pass_fds=[writer],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False,
        )
        seconds = time.monotonic() - start
        os.close(writer)
        with os.fdopen(reader) as state:
            place, _, variables = state.read().partition("\n")
        self.place = Path(place or self.place)
        pairs = (pair.partition("=") for pair in variables.split("\0") if "=" in pair)
        self.environment |= {name: value for name, _, value in pairs if name not in ("PWD", "OLDPWD", "SHLVL", "_")}
        self.note(seconds, typed)
        return done.stdout, done.stderr, done.returncode == 0

    def at_port(self, text):
        return text.replace("localhost:8000", f"localhost:{self.port}")

    def note(self, seconds, command):
        self.seconds.append((command.splitlines()[0], seconds))
        line = f"{seconds:.1f}\t{command.splitlines()[0]}"
        print(line, flush=True)
        with self.record.open("a") as record:
            record.write(line + "\n")

    def serve(self, is_refused):
        """Starts the program, and waits until it listens; or returns why it does not."""
        self.stop()
        start = time.monotonic()
        self.server = subprocess.Popen(
            ["cargo", "run"], cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0,
        )
        output = ""
        for line in self.server.stdout:
            output += line
            if "listening on" in line:
                break
        listens = "listening on" in output
        self.note(time.monotonic() - start, "cargo run")
        if listens == is_refused:
            sys.exit(f"cargo run: {output}")
        if not listens:
            self.stop()
        return output

    def stop(self):
        if self.server:
            # cargo has become the program, or has ended.
            os.killpg(self.server.pid, signal.SIGKILL) if self.server.poll() is None else None
            self.server.wait()
            self.server = None


def follow(reader, page, text):
    found, edits = blocks(text), 0
    output, shown = "", ""
    for index, (language, block) in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else ("", "")
        if language == "sh":
            if "npm " in block and not shutil.which("npm"):
                print(f"SKIPPED: newcomer: the client of {page}: there is no npm", flush=True)
                break
            for command in commands(block):
                if command.startswith(tuple(SKIPPED)):
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
                if made := re.match(r"crud init --name (\S+)", command):
                    # Its versions are those of the workspace.
                    shutil.copy("Cargo.lock", reader.place / made[1])
                status = re.search(r"# (\d{3})$", command)
                if status and json.loads(output)["status"] != int(status[1]):
                    sys.exit(f"{page}: {command}\n{output}")
        elif language == "rs":
            edit(page, edits, block, reader.place)
            edits += 1
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
    reader.stop()


def timed(text, seconds):
    """The page with the seconds of its commands."""
    lines = ["On two cores, from an empty directory of compiled code:", "", "| Seconds | Command |", "|--:|---|"]
    for command, taken in seconds:
        shown = command if len(command) <= 80 else command[:79] + "…"
        lines.append(f"| {taken:.1f} | `{shown.replace('|', chr(92) + '|')}` |")
    lines.append(f"| **{sum(taken for _, taken in seconds):.0f}** | |")
    return text.split("\n" + LIST)[0].rstrip() + "\n\n" + LIST + "\n".join(lines) + "\n"


pages, directory, record = map(Path, sys.argv[1:4])
record.parent.mkdir(parents=True, exist_ok=True)
record.unlink(missing_ok=True)
reader = Reader(directory, record)
is_updated = bool(os.environ.get("NEWCOMER_UPDATE"))
try:
    for name in [TIMED] if is_updated else PAGES:
        print(f"-- {name}", flush=True)
        page = pages / f"{name}.md"
        if name == TIMED:
            reader = Reader(directory, record)
        follow(reader, name, page.read_text())
        if is_updated:
            page.write_text(timed(page.read_text(), reader.seconds))
finally:
    reader.stop()
