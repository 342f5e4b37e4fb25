"""Follows the pages whose requests are to an example: requests_to_examples.py BOOK DIRECTORY.

Each page gets the example with records of its own. A request is answered with a status that its line ends with, or with one
below 400.
"""

import os
import subprocess
import sys
from pathlib import Path

from pages import Client, blocks, commands, free_port, serving

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

# Pages that follow each other in one shell, on one program, whose directory has the book as the repository has it.
TOUR = [
    f"tutorial/{page}"
    for page in ["companies", "people", "floor-plans", "live", "calendar-and-display", "assistant"]
]


def requests(page):
    """The requests of a page, and commands that use their answers: without those that start its program."""
    all_commands = (command for language, block in blocks(page) if language == "sh" for command in commands(block))
    return [command for command in all_commands if "curl " in command or command.startswith("TOKEN=")]


def follow(typed, program, before, directory, place=None):
    directory.mkdir()
    port = free_port()
    environment = os.environ | {
        "DATABASE_URL": f"sqlite://{directory}/records.db", "BIND": f"127.0.0.1:{port}",
        "SHOP_ADMIN_PASSWORD": "correct horse",
    }
    for command in before:
        subprocess.run(command, env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL)
    client = Client(place or directory, environment, port)
    with serving(program, directory, environment):
        for command in typed:
            client.done(command)


if __name__ == "__main__":
    book, directory = map(Path, sys.argv[1:3])
    for name, (program, before) in PAGES.items():
        print(f"-- {name}", flush=True)
        follow(requests((book / f"{name}.md").read_text()), program, before, directory / name.replace("/", "-"))
    print("-- the tour of the tutorial", flush=True)
    (directory / "docs").symlink_to(book.resolve().parent)
    typed = [command for name in TOUR for command in requests((book / f"{name}.md").read_text())]
    follow(typed, ["booking"], [], directory / "tour", directory)
