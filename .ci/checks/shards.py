"""Load on a service over two shards while each process of the database is killed by -9, and while a shard is away for a minute.

    shards.py PROGRAM CLUSTER URL [SECONDS]

PROGRAM is `yards`, CLUSTER the directory of `.ci/checks/vitess-cluster`, URL that of the keyspace `app`. Prints a row for each
fault, and fails where an acknowledged change is lost, the log and the records disagree, numbers have gaps, a job is missing, or
tenants of living shards keep less than 99% of their requests.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
import uuid

PROGRAM, CLUSTER, URL = sys.argv[1:4]
HOLD = int(sys.argv[4]) if len(sys.argv) > 4 else 60
SECRET = "a secret of at least thirty-two bytes"
PORT = 28000
THREADS = 4
# More than three times what a tablet returns at once.
LONG = 31_000
YARDS = 16
KEPT = 0.99
REPAIRS = "/repairs?sort=number"


def hash_of(text):
    """XXH64 of a text shorter than 32 bytes, by which vtgate finds the shard of a tenant."""
    mask, data = (1 << 64) - 1, text.encode()
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
    turn = lambda value, bits: ((value << bits) | (value >> (64 - bits))) & mask
    found = (p5 + len(data)) & mask
    while len(data) >= 8:
        word = turn((int.from_bytes(data[:8], "little") * p2) & mask, 31) * p1 & mask
        found, data = (turn(found ^ word, 27) * p1 + p4) & mask, data[8:]
    if len(data) >= 4:
        word = int.from_bytes(data[:4], "little") * p1 & mask
        found, data = (turn(found ^ word, 23) * p2 + p3) & mask, data[4:]
    for byte in data:
        found = turn(found ^ (byte * p5 & mask), 11) * p1 & mask
    found = (found ^ (found >> 33)) * p2 & mask
    found = (found ^ (found >> 29)) * p3 & mask
    return found ^ (found >> 32)


def shard_of(yard):
    """1 is `app/-80`, 2 is `app/80-`: the first byte of the hash, the lowest first."""
    return 1 if hash_of(str(yard)) & 0xFF < 0x80 else 2


def token(yard, roles=("staff",)):
    encoded = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    now = int(time.time())
    claims = {"sub": "1", "roles": roles, "permissions": [], "iat": now, "exp": now + 86400, "type": "access", "yard": yard}
    text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{text}.{encoded(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest())}"


class Client:
    """A connection that is opened again after an error."""

    def __init__(self):
        self.connection = None
        self.tokens = {}

    def send(self, method, path, body=None, yard=1, roles=("staff",), headers=None):
        """The status and the body; status 0 where there is no answer."""
        key = (yard, tuple(roles))
        if key not in self.tokens:
            self.tokens[key] = token(yard, roles)
        headers = {"authorization": f"Bearer {self.tokens[key]}", "content-type": "application/json", **(headers or {})}
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=40)
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException):
            self.connection = None
            return 0, None


    def text(self, path, yard):
        """The body of a whole answer."""
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)
        connection.request("GET", path, None, {"authorization": f"Bearer {token(yard)}"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        return answer.read().decode()


class Boat:
    """A boat, as its one writer knows it."""

    def __init__(self, yard, key, length):
        self.yard, self.key = yard, key
        # The lengths that it may have: the last acknowledged one, and those whose outcome is not known.
        self.lengths = [length]
        self.acknowledged = 1
        self.undecided = 0


class Load:
    """A thread with the yards of one shard."""

    def __init__(self, number, yards, log):
        self.random = random.Random(number)
        self.yards, self.log = yards, log
        self.client, self.boats, self.repairs = Client(), [], []
        self.unknown_boats = 0
        self.stopped = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stopped:
            begin = time.time()
            yard = self.random.choice(self.yards)
            status = self.step(yard)
            self.log.append((begin, time.time() - begin, shard_of(yard), status))
            if status == 0:
                time.sleep(0.05)

    def step(self, yard):
        own = [boat for boat in self.boats if boat.yard == yard]
        choice = self.random.random()
        if not own or choice < 0.25:
            length = self.random.randint(1, 10**6)
            body = {"name": uuid.uuid4().hex, "length": length}
            headers = {"idempotency-key": uuid.uuid4().hex}
            status, found = self.client.send("POST", "/boats", body, yard, headers=headers)
            if status == 201:
                self.boats.append(Boat(yard, found["id"], length))
            return status
        boat = self.random.choice(own)
        if choice < 0.5:
            length = self.random.randint(1, 10**6)
            status, _ = self.client.send("PATCH", f"/boats/{boat.key}", {"length": length}, yard)
            if status == 200:
                boat.lengths, boat.acknowledged = [length], boat.acknowledged + 1
            else:
                boat.lengths.append(length)
                boat.undecided += 1
            return status
        if choice < 0.6:
            status, found = self.client.send("POST", "/repairs", {"boat_id": boat.key, "text": "mast"}, yard)
            if status == 201:
                self.repairs.append((yard, found["id"], found["number"]))
            return status
        if choice < 0.85:
            status, found = self.client.send("GET", f"/boats/{boat.key}", None, yard)
            if status == 200:
                assert found["length"] in boat.lengths, f"boat {boat.key} has {found['length']}, expected {boat.lengths}"
            return status
        return self.client.send("GET", "/boats?sort=-length&limit=20", None, yard)[0]

    def stop(self):
        self.stopped = True
        self.thread.join()


def cluster(*arguments):
    subprocess.run([".ci/checks/vitess-cluster", arguments[0], CLUSTER, *arguments[1:]], check=True)


def serve(url, log):
    environment = {**os.environ, "DATABASE_URL": url, "JWT_SECRET_KEY": SECRET, "BIND": f"127.0.0.1:{PORT}", "RUST_LOG": "warn"}
    service = subprocess.Popen([PROGRAM], env=environment, stdout=log, stderr=log)
    wait_until(lambda: service.poll() is not None or Client().send("GET", "/ready")[0] == 200, "the service starts")
    assert service.poll() is None, "the service ends: " + log.name
    return service


def wait_until(condition, what, seconds=120):
    begin = time.time()
    while not condition():
        assert time.time() - begin < seconds, f"{what}: not within {seconds} s"
        time.sleep(0.1)
    return time.time() - begin


def is_served(yard):
    client = Client()
    headers = {"idempotency-key": uuid.uuid4().hex}
    read = client.send("GET", "/boats?limit=1", None, yard)[0]
    return read == 200 and client.send("POST", "/boats", {"name": uuid.uuid4().hex, "length": 0}, yard, headers=headers)[0] == 201


def is_failure(status):
    return status == 0 or status >= 500


def share(entries):
    return 1 - sum(is_failure(status) for *_, status in entries) / len(entries) if entries else None


def percent(value):
    return "–" if value is None else f"{100 * value:.2f}%"


def fault(name, dead, hold, log, yards, kill, start):
    """Kills and starts again; prints the row. `dead`: the shard that is away, 0 for none."""
    time.sleep(3)
    begin = time.time()
    kill()
    time.sleep(hold)
    away = Client().send("GET", "/ready")
    start()
    started = time.time()
    recovery = wait_until(lambda: all(is_served(yard) for yard in yards), f"{name}: all yards are served again")
    end = time.time()
    time.sleep(2)
    entries = [entry for entry in log if begin <= entry[0] < started]
    living = [entry for entry in entries if entry[2] != dead]
    down = [entry for entry in entries if entry[2] == dead]
    slowest = max((entry[1] for entry in living), default=0)
    print(
        f"| {name} | {hold} s | {len(living):,} | {percent(share(living))} | {slowest:.1f} s | {percent(share(down))} | "
        f"{recovery:.1f} s | {', '.join((away[1] or {}).get('shards', {}).get('away', [])) or '–'} |",
        flush=True,
    )
    assert end > begin
    return share(living)


def listed(client, path, yard, roles=("staff",)):
    """All records of a list."""
    found = []
    while True:
        status, answer = client.send("GET", f"{path}&limit=100&skip={len(found)}", None, yard, roles)
        assert status == 200, answer
        found += answer["data"]
        if len(answer["data"]) < 100:
            return found


def check(loads):
    """The records and the log against what was acknowledged."""
    client, lost, disagreeing, undecided = Client(), [], [], 0
    boats = [boat for load in loads for boat in load.boats]
    for boat in boats:
        status, found = client.send("GET", f"/boats/{boat.key}", None, boat.yard)
        if status != 200 or found["length"] not in boat.lengths:
            lost.append((boat.yard, boat.key, found, boat.lengths))
            continue
        undecided += boat.undecided
        entries = listed(client, f"/boats/{boat.key}/history?", boat.yard, ("staff", "admin"))
        changes = [entry["changes"]["length"] for entry in entries if "length" in entry["changes"]]
        last = changes[-1]["to"] if isinstance(changes[-1], dict) else changes[-1]
        is_counted = boat.acknowledged <= len(changes) <= boat.acknowledged + boat.undecided
        if last != found["length"] or not is_counted:
            disagreeing.append((boat.yard, boat.key, found["length"], changes[-1], len(changes), boat.acknowledged, boat.undecided))
    assert not lost, f"acknowledged changes are lost: {lost[:5]}"
    assert not disagreeing, f"the log disagrees: {disagreeing[:5]}"
    acknowledged = {key for load in loads for _, key, _ in load.repairs}
    yards = {yard for load in loads for yard in load.yards}
    repairs = 0

    def are_invoiced():
        return all(repair["invoiced"] for yard in yards for repair in listed(client, REPAIRS, yard))

    wait_until(are_invoiced, "all jobs have run", 180)
    for yard in yards:
        found = listed(client, REPAIRS, yard)
        numbers = [repair["number"] for repair in found]
        assert numbers == list(range(1, len(numbers) + 1)), f"the numbers of yard {yard} have gaps: {numbers[:20]}"
        acknowledged -= {repair["id"] for repair in found}
        repairs += len(found)
    assert not acknowledged, f"{len(acknowledged)} acknowledged repairs are lost"
    changes = sum(boat.acknowledged for boat in boats)
    print(f"{changes:,} acknowledged changes of {len(boats):,} boats and {repairs:,} repairs: none lost, {undecided} undecided.")


def check_long_lists(yards):
    """Lists of more records than a tablet returns at once are whole."""
    client, yard = Client(), yards[0]
    shard = URL + (":-80" if shard_of(yard) == 1 else ":80-")
    numbers = "WITH RECURSIVE a AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 999)"
    pairs = f"FROM a JOIN (SELECT n FROM a WHERE n < {LONG // 1000}) b"
    statement = lambda table, columns, values: f"INSERT INTO {table} ({columns}) {numbers} SELECT {values} {pairs}"
    run = lambda *arguments: subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout
    before = [int(count) for count in run("boats", str(yard)).split()]
    run("sql", shard, statement("boats", "id, yard_id, name, length", f"100000000 + b.n * 1000 + a.n, {yard}, CONCAT('long ', b.n, ' ', a.n), a.n"))
    after = [int(count) for count in run("boats", str(yard)).split()]
    assert after == [count + LONG for count in before], f"{before} and {LONG} are {after}"
    export = client.text("/boats/export", yard).splitlines()
    keys = {json.loads(line)["id"] for line in export}
    assert len(export) == len(keys) == after[0], (len(export), len(keys), after)
    entry = f"'Boat', 100000000, 'update', '{{}}', NOW(6), '{yard}'"
    run("sql", shard, statement("audit_logs", "id, entity_type, entity_id, action, changes, timestamp, tenant", f"100000000 + b.n * 1000 + a.n, {entry}"))
    for skip in (0, LONG // 2, LONG - 50):
        history = f"/boats/100000000/history?limit=100&skip={skip}"
        status, answer = client.send("GET", history, None, yard, ("staff", "admin"))
        assert status == 200 and answer["total"] == LONG and len(answer["data"]) == min(100, LONG - skip), answer
    print(f"Lists, an export and a history of {LONG:,} records are whole.")


def ticks(name):
    """CPU seconds of the processes of a name."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = open(f"/proc/{pid}/comm").read().strip()
            if command == name:
                fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
                total += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return total / os.sysconf("SC_CLK_TCK")


def new_yards():
    client = Client()
    keys = []
    for number in range(YARDS):
        status, yard = client.send("POST", "/yards", {"name": f"yard {number}"})
        assert status == 201, yard
        keys.append(yard["id"])
    return keys


def measured(what, yards, seconds=15):
    """Requests a second, and CPU milliseconds a request of each program."""
    log, names = [], ["yards", "vtgate", "vttablet", "mysqld"]
    before = [ticks(name) for name in names]
    begin = time.time()
    loads = [Load(100 + number, yards, log) for number in range(2 * THREADS)]
    time.sleep(seconds)
    for load in loads:
        load.stop()
    took = time.time() - begin
    spent = [ticks(name) - earlier for name, earlier in zip(names, before)]
    assert share(log) == 1, "a request failed without a fault"
    each = " | ".join(f"{1000 * one / len(log):.2f}" for one in spent)
    print(f"| {what} | {len(log) / took:.0f} | {each} |", flush=True)
    return loads


def main():
    log = open(os.path.join(CLUSTER, "log", "service"), "a")
    service = serve(URL, log)
    try:
        yards = new_yards()
        of_shard = {shard: [yard for yard in yards if shard_of(yard) == shard] for shard in (1, 2)}
        assert all(of_shard.values()), f"no yard is in a shard: {of_shard}"
        print("| Shards | Requests a second | CPU ms a request: service | vtgate | vttablet | mysqld |\n|--:|--:|--:|--:|--:|--:|")
        loads = measured("1 of 2", of_shard[1]) + measured("2", yards)
        requests = []
        for number in range(2 * THREADS):
            loads.append(Load(number, of_shard[1 + number % 2], requests))
        print(
            "\n| Killed | Time | Requests of living shards | answered | slowest | answered of the dead shard | served again after | "
            "`/ready` names |\n|---|--:|--:|--:|--:|--:|--:|---|"
        )
        kept = []
        for name, dead in [("mysqld-1", 1), ("vttablet-2", 2), ("etcd", 0)]:
            kill, start = lambda: cluster("kill", name), lambda: cluster("start", name)
            kept.append((name, fault(name, dead, 8, requests, yards, kill, start)))
        # The keys of new records come from there, a thousand at a time.
        for name in ("mysqld-0", "vttablet-0"):
            fault(name, 0, 8, requests, yards, lambda: cluster("kill", name), lambda: cluster("start", name))
        shard = ("vttablet-1", "mysqld-1")
        kill, start = lambda: [cluster("kill", one) for one in shard], lambda: [cluster("start", one) for one in reversed(shard)]
        kept.append(("a shard", fault("a shard, both", 1, HOLD, requests, yards, kill, start)))
        fault("vtgate", None, 3, requests, yards, lambda: cluster("kill", "vtgate"), lambda: cluster("start", "vtgate"))
        for load in loads:
            load.stop()
        check(loads)
        check_long_lists(yards)
        lacking = [(name, percent(value)) for name, value in kept if value < KEPT]
        assert not lacking, f"tenants of living shards keep less than {KEPT:.0%} of their requests: {lacking}"
    finally:
        service.kill()


main()
