"""Follows the pages whose requests are to an example: requests_to_examples.py BOOK PROGRAMS DIRECTORY.

Each page gets the example with records of its own. A request is answered with a status that its line ends with, or with one
below 400.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from pages import blocks, commands, free_port

# Pages with their program, and the commands that run before it.
SHOP = (["shop"], [["shop", "seed", "200"]])
PAGES = {
    "guide/access": (["shop", "--auth"], [["shop", "seed", "200"]]),
    "reference/adapter": (["own-adapter"], []),
    "reference/audit-log": SHOP,
    "reference/filters": SHOP,
    "reference/http": SHOP,
    "reference/soft-delete": SHOP,
}


def requests(page):
    """The requests of a page, and commands that use their answers: without those that start its program."""
    all_commands = (command for language, block in blocks(page) if language == "sh" for command in commands(block))
    return [command for command in all_commands if "curl " in command]


def accepted(command):
    """Whether the page says that a status is an answer to this request."""
    comment = command.partition("  # ")[2]
    stated = {int(status) for status in re.findall(r"\b\d{3}\b", comment)} if comment[:3].isdigit() else set()
    return stated.__contains__ if stated else lambda status: status < 400


def follow(page, program, before, directory):
    port, head = free_port(), directory / "head"
    environment = os.environ | {
        "DATABASE_URL": f"sqlite://{directory}/records.db", "BIND": f"127.0.0.1:{port}",
        "SHOP_ADMIN_PASSWORD": "correct horse",
    }
    for command in before:
        subprocess.run(command, env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if not any("listening on" in line for line in server.stdout):
            sys.exit(f"{program} does not start")
        lines = [f"curl() {{ command curl -s -D '{head}' --max-time 20 \"$@\"; }}"]
        for command in requests(page):
            script = "\n".join([*lines, command]).replace("localhost:8000", f"127.0.0.1:{port}")
            shell = ["bash", "-e", "-o", "pipefail", "-c", script]
            answer = subprocess.run(shell, env=environment, capture_output=True, text=True)
            status = int(re.findall(r"^HTTP/1.1 (\d{3})", head.read_text(), re.M)[-1])
            if answer.returncode or not accepted(command)(status):
                sys.exit(f"{command}\n{status}\n{answer.stdout}{answer.stderr}")
            print(f"{status}\t{command.splitlines()[0]}", flush=True)
            # Later requests use a variable that one sets.
            if re.match(r"\w+=", command):
                lines.append(command)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


if __name__ == "__main__":
    book, programs, directory = map(Path, sys.argv[1:4])
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    for name, (program, before) in PAGES.items():
        print(f"-- {name}", flush=True)
        place = directory / name.replace("/", "-")
        place.mkdir()
        follow((book / f"{name}.md").read_text(), program, before, place)
