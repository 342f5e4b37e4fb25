"""Follows the page "Sharding by tenant" as its readers do, from SQLite to two shards: sharding_page.py DIRECTORY.

Runs each command of the page, with other ports and another directory of the cluster, and compares what it shows. What is built
is built before.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from pages import Shell, blocks, free_port

PAGE = Path("docs/src/guide/sharding.md")
DIRECTORY = sys.argv[1]
CLUSTER_PORT = int(os.environ["PORT"])
PORT = free_port()

# What the page has, and what it is in this run.
HERE = {
    "localhost:8000": f"127.0.0.1:{PORT}",
    "/tmp/cluster": f"{DIRECTORY}/cluster",
    ":27006": f":{CLUSTER_PORT + 6}",
}

# The command that does not end by itself, and the one before which the page ends it.
SERVER, MOVE = "target/debug/tracker", "target/debug/tracker move"

# The teams of the shard that is killed.
AWAY = {8, 10}


class Terminals:
    """One terminal for the tracker, and another one for requests."""

    def __init__(self):
        environment = os.environ | {"DATABASE_URL": f"sqlite://{DIRECTORY}/tracker.db", "BIND": f"127.0.0.1:{PORT}"}
        self.shell, self.server = Shell(Path.cwd(), environment), None

    def run(self, block):
        """The output of a block of the page and its errors, in the order in which a terminal shows them."""
        output, lines = "", []
        for line in block.splitlines():
            if line.startswith("cargo build"):
                continue
            if line.startswith(MOVE):
                self.stop()
            if line.endswith(SERVER):
                output, lines = output + self.typed(lines), []
                self.serve(line)
            else:
                lines.append(line)
        return output + self.typed(lines)

    def typed(self, lines):
        text = "\n".join(lines)
        return self.shell.run(f"{{ {text}\n}} 2>&1")[0] if lines else ""

    def serve(self, command):
        log = open(f"{DIRECTORY}/tracker.log", "a")
        self.server = subprocess.Popen(
            ["bash", "-c", command.replace(SERVER, f"exec {SERVER}")], env=self.shell.environment, stdout=log, stderr=log
        )
        atexit.register(self.server.kill)
        begin = time.time()
        while not is_ready():
            if self.server.poll() is not None or time.time() - begin > 60:
                sys.exit(f"{command}\n{Path(log.name).read_text()}")
            time.sleep(0.1)

    def stop(self):
        """Ctrl-C."""
        self.server.send_signal(signal.SIGINT)
        assert self.server.wait(60) == 0, "the tracker does not end by itself"


def is_ready():
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{PORT}/ready", timeout=5).status == 200
    except OSError:
        return False


def here(text):
    for shown, replaced in HERE.items():
        text = text.replace(shown, replaced)
    return text


def check_teams(output):
    """Teams of the living shard have created an issue, the others have got 503."""
    teams = [answer.splitlines() for answer in output.split("team ")[1:]]
    assert len(teams) == 10, output
    for number, *answer in teams:
        expected = "curl: (22) The requested URL returned error: 503" if int(number[:-1]) in AWAY else '"Order paint"'
        assert answer == [expected], f"team {number} {answer}"


def check_shown(shown, output):
    """Each line that the page shows is in the output, in that order."""
    at = 0
    for line in shown.splitlines():
        assert line == "…" or line in output[at:], f"{line}\n{output}"
        at = at if line == "…" else output.index(line, at)


def main():
    terminals, output = Terminals(), ""
    section = PAGE.read_text().split("## From SQLite to two shards")[1].split("\n## ")[0]
    for language, block in blocks(section):
        if language == "text":
            check_shown(block, output)
            check_teams(output)
            continue
        output = terminals.run(here(block))
        print(output, flush=True)
    assert all(f'"team_id":{team},"title":"Order paint"' in output for team in AWAY), "the teams of the shard are served again"
    terminals.stop()


main()
