"""Pages of the book, for the checks that follow them."""

import re
import shlex
import socket
import textwrap


def blocks(page):
    """The blocks of a page: language and text."""
    found = re.findall(r"^( *)```(\w+)\n(.*?)^\1```$", page, re.M | re.S)
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


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
