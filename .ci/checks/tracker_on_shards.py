"""The tracker moves from SQLite to two shards, loses one, and goes back, as the page "Sharding by tenant" says.

    tracker_on_shards.py PROGRAM CLUSTER URL YARDS

PROGRAM is `tracker`, YARDS the program `yards`, which runs statements, CLUSTER the directory of `.ci/checks/vitess-cluster`, URL that
of the keyspace `app`, which is empty, and whose servers count from 1: keys are from sequences. Then the servers get steps, and assign
the keys.
"""

import atexit
import http.client
import json
import os
import sqlite3
import subprocess
import sys
import time

from services_on_shards import shard_of

PROGRAM, CLUSTER, URL, YARDS = sys.argv[1:]
PORT = 28100
PASSWORD = "correct horse battery"
TEAMS = 8
# More than a tablet returns at once, in each shard.
COMMENTS = 30_000
PROGRAM_LOG = os.path.join(CLUSTER, "log", "tracker")


def send(method, path, body=None, token=None):
    """The status and the body."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=40)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def ok(method, path, body=None, token=None):
    status, answer = send(method, path, body, token)
    assert status in (200, 201), f"{method} {path}: {status} {answer}"
    return answer


def login(name):
    return ok("POST", "/auth/login", {"username": name, "password": PASSWORD})["access_token"]


def in_team(name, team):
    return ok("POST", "/auth/tenant", {"tenant": team}, login(name))["access_token"]


def environment(url):
    return {**os.environ, "DATABASE_URL": url, "SHARD_BY": "tenant", "ADMIN_PASSWORD": PASSWORD, "BIND": f"127.0.0.1:{PORT}",
            "JWT_SECRET_KEY": "a secret of at least thirty-two bytes", "RUST_LOG": "warn"}


def start(url):
    log = open(PROGRAM_LOG, "a")
    service = subprocess.Popen([PROGRAM], env=environment(url), stdout=log, stderr=log)
    atexit.register(service.kill)
    wait_until(lambda: service.poll() is not None or is_ready(), "the tracker starts")
    assert service.poll() is None, f"the tracker ends: {PROGRAM_LOG}"
    return service


def is_ready():
    try:
        return send("GET", "/ready")[0] == 200
    except OSError:
        return False


def stop(service):
    service.terminate()
    assert service.wait(60) == 0


def move(source, target):
    """The move from one database to another; its output."""
    return subprocess.run([PROGRAM, "move", target], env=environment(source), check=True, capture_output=True, text=True).stdout


def wait_until(condition, what, seconds=60):
    begin = time.time()
    while not condition():
        assert time.time() - begin < seconds, f"{what}: not within {seconds} s"
        time.sleep(0.1)
    return time.time() - begin


def cluster(*arguments):
    subprocess.run([".ci/checks/vitess-cluster", arguments[0], CLUSTER, *arguments[1:]], check=True)


def fill(path):
    """Teams with an owner each, and Mia in all of them; then many comments of two teams, by SQL."""
    admin = login("admin")
    user = lambda name: ok("POST", "/auth/users", {"username": name, "password": PASSWORD}, admin)["id"]
    mia, teams = user("mia"), []
    for number in range(TEAMS):
        team = ok("POST", "/teams", {"name": f"team {number}"}, admin)["id"]
        teams.append(team)
        owner = {"team_id": team, "user_id": user(f"owner{team}"), "name": "Owner", "role": "owner"}
        ok("POST", "/members", owner, admin)
        own = login(f"owner{team}")
        guest = ok("POST", "/members", {"user_id": mia, "name": "Mia", "role": "guest" if team % 2 else "member"}, own)["id"]
        label = ok("POST", "/labels", {"name": "urgent"}, own)["id"]
        ok("POST", "/issues", {"title": f"Lock {team}"}, own)
        issue = {"title": f"Paint {team}", "estimate": 3, "assignee_id": guest, "checklist": [{"text": "primer"}]}
        key = ok("POST", "/issues", issue, own)["id"]
        assert send("PUT", f"/issues/{key}/labels", {"ids": [label]}, own)[0] < 300
        ok("POST", "/comments", {"issue_id": key, "text": "hello"}, own)
    with sqlite3.connect(path) as database:
        insert = "INSERT INTO comments (team_id, issue_id, author_id, text, created_at) SELECT team_id, issue_id, author_id, ?, created_at"
        for number in range(COMMENTS // TEAMS):
            database.execute(f"{insert} FROM comments WHERE text = 'hello'", (f"comment {number}",))
    database.close()
    return teams


def seen(team):
    """Answers that the owner of a team gets, and those that Mia gets, who is a guest of some teams."""
    own, mia = login(f"owner{team}"), in_team("mia", team)
    paths = ["/issues", "/board", "/members?sort=name", "/labels", "/checklist", "/audit-logs?limit=100", "/teams",
             "/comments?limit=100", "/comments?limit=5&skip=3000"]
    answers = {path: ok("GET", path, token=own) for path in paths}
    return answers | {f"{path} of Mia": ok("GET", path, token=mia) for path in paths if not path.startswith("/audit")}


def check(teams, before):
    for team in teams:
        after = seen(team)
        for path, answer in after.items():
            assert answer == before[team][path], f"{path} of team {team}: {before[team][path]} was {answer}"


def change(teams):
    """New records have keys that none has had."""
    keys = []
    for team in teams:
        own = login(f"owner{team}")
        issue = ok("POST", "/issues", {"title": "Order paint"}, own)
        keys.append(issue["id"])
        ok("POST", f"/issues/{issue['id']}/start", None, own)
        assert [entry["action"] for entry in ok("GET", f"/issues/{issue['id']}/history", token=own)["data"]].count("create") == 1
        refused = send("POST", "/members", {"user_id": 10**6, "name": "Nobody", "role": "member"}, own)
        assert refused[0] == 409 and refused[1]["code"] == "reference_not_found", refused
    assert len(set(keys)) == len(keys) and min(keys) > len(teams), keys


def answers(database, statement):
    url = f"{URL.rsplit('/', 1)[0]}/{database}"
    return subprocess.run([YARDS, "sql", url, statement], capture_output=True).returncode == 0


def restart_servers(keys):
    """The servers of the shards with steps of their own, or without: `shards` or `sequences`."""
    os.environ["KEYS"] = keys
    for name in ("mysqld-1", "mysqld-2"):
        cluster("kill", name)
        cluster("start", name)
    wait_until(lambda: answers("app:-80", "SELECT 1") and answers("app:80-", "SELECT 1"), "the shards serve")


def from_sequences_to_servers(teams, latest):
    """Servers that have got steps assign keys, which need no unsharded keyspace; without steps again, no service starts."""
    restart_servers("shards")
    service = start(URL)
    check(teams, latest)
    change(teams)
    tokens = {team: login(f"owner{team}") for team in teams}
    cluster("kill", "mysqld-0")
    for team, token in tokens.items():
        key = ok("POST", "/issues", {"title": "Order a lock"}, token)["id"]
        assert key % 10 == shard_of(team), f"the key {key} of team {team} is not one of its shard's server"
    cluster("start", "mysqld-0")
    wait_until(lambda: all(is_served(team) for team in teams), "logins are served again", 120)
    latest = {team: seen(team) for team in teams}
    stop(service)
    restart_servers("sequences")
    refused = subprocess.run([PROGRAM], env=environment(URL), capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0 and "two of them would assign the same key now" in refused.stderr + refused.stdout, refused
    restart_servers("shards")
    return latest


def is_served(team):
    try:
        own = login(f"owner{team}")
    except AssertionError:
        return False
    return all(send(*request, token=own)[0] < 300 for request in [("GET", "/issues"), ("POST", "/issues", {"title": "More"})])


def main():
    path = os.path.join(CLUSTER, "tmp", "tracker.db")
    sqlite = f"sqlite://{path}"
    service = start(sqlite)
    teams = fill(path)
    before = {team: seen(team) for team in teams}
    stop(service)

    # A move that is killed leaves what no service starts on, and the next one removes.
    killed = subprocess.Popen([PROGRAM, "move", URL], env=environment(sqlite), stdout=subprocess.DEVNULL)
    wait_until(lambda: answers("main", "SELECT 1 FROM _crud_unfinished_move"), "the move begins")
    time.sleep(1)
    killed.kill()
    assert killed.wait() == -9, "the move ends before it is killed"
    refused = subprocess.run([PROGRAM], env=environment(URL), capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0 and "a move into this database has not ended" in refused.stderr + refused.stdout, refused

    begin = time.time()
    moved = move(sqlite, URL)
    print(f"{moved}\nmoved in {time.time() - begin:.1f} s")
    assert f"{COMMENTS + TEAMS}" in moved, moved
    again = subprocess.run([PROGRAM, "move", URL], env=environment(sqlite), capture_output=True, text=True)
    assert again.returncode != 0 and "the target is not empty" in again.stderr, again.stderr

    service = start(URL)
    check(teams, before)
    change(teams)

    # A shard is away: its teams wait, the others are served.
    for name in ("vttablet-1", "mysqld-1"):
        cluster("kill", name)
    wait_until(lambda: send("GET", "/ready")[1]["shards"]["away"] == ["app/-80"], "the service names the shard")
    served = {team for team in teams if is_served(team)}
    assert served and served != set(teams), f"served: {served} of {teams}"
    print(f"a shard is away: {len(served)} of {len(teams)} teams are served")
    for name in ("mysqld-1", "vttablet-1"):
        cluster("start", name)
    took = wait_until(lambda: all(is_served(team) for team in teams), "all teams are served again", 120)
    print(f"all teams are served {took:.1f} s after its start")
    latest = {team: seen(team) for team in teams}
    stop(service)
    latest = from_sequences_to_servers(teams, latest)

    # Back to one database.
    back = os.path.join(CLUSTER, "tmp", "back.db")
    print(move(URL, f"sqlite://{back}"))
    service = start(f"sqlite://{back}")
    check(teams, latest)
    change(teams)
    stop(service)

    # Memberships that a login would not find.
    subprocess.run([YARDS, "sql", URL, "ALTER VSCHEMA ON app.members DROP VINDEX members_lookup"], check=True)
    refused = subprocess.run([PROGRAM], env=environment(URL), capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0 and "`members` has memberships and no lookup" in refused.stderr + refused.stdout, refused


main()
