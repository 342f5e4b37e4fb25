"""Pages of the book, for the checks that follow them."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path

# The author of commits.
AUTHOR = {f"GIT_{role}_{field}": "reader@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


def blocks(page):
    """The blocks of a page: language and text."""
    found = re.findall(r"^( *)```(\w+)[\w,]*\n(.*?)^\1```$", page, re.M | re.S)
    return [(language, textwrap.dedent(text)) for _, language, text in found]


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


def steps(found):
    """The commands of blocks, and what their page shows of the outputs: comments below a command, and the `json` after it."""
    before = ""
    for language, block in found:
        for command in commands(block) if language == "sh" else ():
            yield ("output", command[2:]) if command.startswith("# ") else ("command", command)
        if (before, language) == ("sh", "json"):
            yield "output", block
        before = language


def is_part(expected, found):
    """Whether an answer has what the page shows; `…` stands for more."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key == "…" or key in found and is_part(value, found[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(is_part, expected, found))
    if isinstance(expected, str) and expected.endswith("…"):
        return isinstance(found, str) and found.startswith(expected[:-1])
    return expected == found


def check_output(shown, output):
    """Ends the check unless an output is as its page shows it."""
    if not (is_part(json.loads(shown), json.loads(output)) if shown.startswith(("{", "[")) else shown in output):
        sys.exit(f"the output is not as the page shows it:\n{output}\n{shown}")


def accepted(command):
    """Whether the page says that a status is an answer to this request."""
    comment = command.partition("  # ")[2]
    stated = {int(status) for status in re.findall(r"\b\d{3}\b", comment)} if comment[:3].isdigit() else set()
    return stated.__contains__ if stated else lambda status: status < 400


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def new_project(directory, name):
    """A project of `crud init` on SQLite, with the versions of the workspace."""
    subprocess.run(["crud", "init", "--name", name, "--database", "sqlite", "--auth", "no"], cwd=directory, check=True)
    shutil.copy("Cargo.lock", directory / name)
    return directory / name


@contextmanager
def serving(program, place, environment):
    """The log of a program that listens; all of it at the end."""
    server = subprocess.Popen(
        program, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    log = []
    try:
        for line in server.stdout:
            log.append(line)
            if "listening on" in line:
                break
        else:
            sys.exit(f"{program[0]} does not start:\n{''.join(log)}")
        yield log
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        log.append(server.stdout.read())


class Shell:
    """A terminal: the directory and the variables of a command are those of the next."""

    def __init__(self, place, environment):
        self.place, self.environment = place, environment

    def run(self, command):
        """Runs a command; its output, its errors, and whether it has succeeded."""
        reader, writer = os.pipe()
        # A server that the command starts would keep the pipe open.
        script = f"set -a -o pipefail\n{{ {command}\n}} {writer}>&-\nresult=$?\n{{ pwd; env -0; }} >&{writer}\nexit $result"
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.place, env=self.environment, pass_fds=[writer],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3000, check=False,
        )
        os.close(writer)
        with os.fdopen(reader) as state:
            place, _, variables = state.read().partition("\n")
        self.place = Path(place or self.place)
        pairs = (pair.partition("=") for pair in variables.split("\0") if "=" in pair)
        self.environment |= {name: value for name, _, value in pairs if name not in ("PWD", "OLDPWD", "SHLVL", "_")}
        return done.stdout, done.stderr, done.returncode == 0

    def done(self, command):
        """The output of a command that succeeds."""
        output, errors, good = self.run(command)
        if not good:
            sys.exit(f"{command}\n{output}{errors}")
        print(f"done\t{command.splitlines()[0]}", flush=True)
        return output


class Client(Shell):
    """A shell whose requests go to a port of this run instead of 8000."""

    def __init__(self, place, environment, port):
        super().__init__(place, environment)
        self.port, self.head = port, place / "head"

    def done(self, command):
        """The output of a command that succeeds, with the status that the page states or one below 400."""
        self.head.unlink(missing_ok=True)
        curl = f"curl() {{ command curl -s -D '{self.head}' --max-time 20 \"$@\"; }}"
        output, errors, good = self.run(f"{curl}\n{command.replace('localhost:8000', f'127.0.0.1:{self.port}')}")
        head = self.head.read_text() if self.head.exists() else ""
        statuses = [int(status) for status in re.findall(r"^HTTP/1.1 (\d{3})", head, re.M)]
        # The definition of a function sends nothing.
        sends = "curl " in command and not re.match(r"\w+\(\) ", command)
        if not good or sends and not (statuses and accepted(command)(statuses[-1])):
            sys.exit(f"{command}\n{statuses}\n{output}{errors}")
        print(f"{statuses[-1] if statuses else 'done'}\t{command.splitlines()[0]}", flush=True)
        return output
