"""The services of shards.py and their load: `yards`, a repair shop for boats whose tenants are yards, and the tracker, whose tenants are
teams. Each knows what was acknowledged, and compares it with the records and the log.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import subprocess
import threading
import time
import uuid

SECRET = "a secret of at least thirty-two bytes"
PASSWORD = "correct horse battery"
TENANTS = 16
LISTED = 100


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


def shard_of(tenant):
    """1 is `app/-80`, 2 is `app/80-`: the first byte of the hash, the lowest first."""
    return 1 if hash_of(str(tenant)) & 0xFF < 0x80 else 2


def signed(yard, roles):
    encoded = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    now = int(time.time())
    claims = {"sub": "1", "roles": roles, "permissions": [], "iat": now, "exp": now + 86400, "type": "access", "yard": yard}
    text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return f"{text}.{encoded(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest())}"


def wait_until(condition, what, seconds=120):
    begin = time.time()
    while not condition():
        assert time.time() - begin < seconds, f"{what}: not within {seconds} s"
        time.sleep(0.1)
    return time.time() - begin


class Client:
    """A connection that is opened again after an error."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def send(self, method, path, body=None, token=None, headers=None):
        """The status and the body; status 0 where there is no answer."""
        headers = {"content-type": "application/json", **(headers or {})}
        if token:
            headers["authorization"] = f"Bearer {token}"
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        except (OSError, http.client.HTTPException):
            self.connection = None
            return 0, None

    def ok(self, method, path, body=None, token=None):
        status, answer = self.send(method, path, body, token)
        assert status in (200, 201), f"{method} {path}: {status} {answer}"
        return answer

    def text(self, path, token):
        """The body of a whole answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, None, {"authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        return answer.read().decode()

    def listed(self, path, token):
        """All records of a list."""
        found = []
        while True:
            answer = self.ok("GET", f"{path}&limit={LISTED}&skip={len(found)}", token=token)
            found += answer["data"]
            if len(answer["data"]) < LISTED:
                return found


class Record:
    """A record, as its one writer knows it."""

    def __init__(self, tenant, key, value):
        self.tenant, self.key = tenant, key
        # The values of its field that it may have: the last acknowledged one, and those whose outcome is not known.
        self.values = [value]
        self.acknowledged, self.undecided = 1, 0

    def changed(self, value, is_acknowledged):
        if is_acknowledged:
            self.values, self.acknowledged = [value], self.acknowledged + 1
        else:
            self.values.append(value)
            self.undecided += 1


class Load:
    """A thread with tenants of a service; notes the time of each request, how long it took, the shard and the status."""

    def __init__(self, service, number, tenants, log):
        self.service, self.tenants, self.log = service, tenants, log
        self.random, self.client = random.Random(number), Client(service.port)
        self.records, self.further = [], []
        self.stopped = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stopped:
            begin, tenant = time.time(), self.random.choice(self.tenants)
            status = self.service.step(self, tenant)
            self.log.append((begin, time.time() - begin, shard_of(tenant), status))
            if status == 0:
                time.sleep(0.05)

    def own(self, tenant):
        return [record for record in self.records if record.tenant == tenant]

    def change(self, path, record, field, value):
        token = self.service.token(record.tenant)
        status, _ = self.client.send("PATCH", f"{path}/{record.key}", {field: value}, token)
        record.changed(value, status == 200)
        return status

    def get(self, path, record, field):
        status, found = self.client.send("GET", f"{path}/{record.key}", None, self.service.token(record.tenant))
        if status == 200:
            assert found[field] in record.values, f"{path}/{record.key} has {found[field]}, expected {record.values}"
        return status

    def stop(self):
        self.stopped = True
        self.thread.join()


class Service:
    """A process with the tenants that it has."""

    def __init__(self, program, port, cluster, environment):
        self.program, self.port, self.tenants = program, port, []
        self.environment = {**os.environ, "JWT_SECRET_KEY": SECRET, "BIND": f"127.0.0.1:{port}", "RUST_LOG": "warn", **environment}
        self.log = os.path.join(cluster, "log", os.path.basename(program))

    def start(self):
        log = open(self.log, "a")
        self.process = subprocess.Popen([self.program], env=self.environment, stdout=log, stderr=log)
        wait_until(lambda: self.process.poll() is not None or self.client().send("GET", "/ready")[0] == 200, "the service starts")
        assert self.process.poll() is None, f"the service ends: {self.log}"

    def client(self):
        return Client(self.port)

    def of_shard(self, shard):
        found = [tenant for tenant in self.tenants if shard_of(tenant) == shard]
        assert found, f"no tenant is in the shard {shard}: {self.tenants}"
        return found

    def loads(self, threads, log):
        """Threads, each with the tenants of one shard."""
        return [Load(self, number, self.of_shard(1 + number % 2), log) for number in range(threads)]

    def check_records(self, loads, path, field):
        """The records and the log against what was acknowledged; the number of changes, and of those that are undecided."""
        client, lost, disagreeing, undecided = self.client(), [], [], 0
        records = [record for load in loads for record in load.records]
        for record in records:
            status, found = client.send("GET", f"{path}/{record.key}", None, self.token(record.tenant))
            if status != 200 or found[field] not in record.values:
                lost.append((record.tenant, record.key, found, record.values))
                continue
            undecided += record.undecided
            entries = client.listed(f"{path}/{record.key}/history?", self.auditor(record.tenant))
            changes = [entry["changes"][field] for entry in entries if field in entry["changes"]]
            last = changes[-1]["to"] if isinstance(changes[-1], dict) else changes[-1]
            is_counted = record.acknowledged <= len(changes) <= record.acknowledged + record.undecided
            if last != found[field] or not is_counted:
                counts = (len(changes), record.acknowledged, record.undecided)
                disagreeing.append((record.tenant, record.key, found[field], changes[-1], counts))
        assert not lost, f"acknowledged changes are lost: {lost[:5]}"
        assert not disagreeing, f"the log disagrees: {disagreeing[:5]}"
        keys = [record.key for record in records]
        assert len(set(keys)) == len(keys), f"{path}: two records have one key"
        # The servers of the shards count in steps of ten.
        strangers = [(record.tenant, record.key) for record in records if record.key % 10 != shard_of(record.tenant)]
        assert not strangers, f"{path}: keys are not those of the shard's server: {strangers[:5]}"
        return sum(record.acknowledged for record in records), undecided


class Yards(Service):
    """Boats, their repairs with numbers of the yard, and a job for each repair."""

    REPAIRS = "/repairs?sort=number"

    def __init__(self, program, port, cluster, url):
        super().__init__(program, port, cluster, {"DATABASE_URL": url})
        self.tokens = {}

    def token(self, tenant, roles=("staff",)):
        if (tenant, roles) not in self.tokens:
            self.tokens[tenant, roles] = signed(tenant, roles)
        return self.tokens[tenant, roles]

    def auditor(self, tenant):
        return self.token(tenant, ("staff", "admin"))

    def fill(self):
        client = self.client()
        self.tenants = [client.ok("POST", "/yards", {"name": f"yard {number}"}, self.token(1))["id"] for number in range(TENANTS)]

    def is_served(self, tenant):
        headers = {"idempotency-key": uuid.uuid4().hex}
        boat, client, token = {"name": uuid.uuid4().hex, "length": 0}, self.client(), self.token(tenant)
        read = client.send("GET", "/boats?limit=1", None, token)[0]
        return read == 200 and client.send("POST", "/boats", boat, token, headers)[0] == 201

    def step(self, load, tenant):
        own, choice, token = load.own(tenant), load.random.random(), self.token(tenant)
        length = load.random.randint(1, 10**6)
        if not own or choice < 0.25:
            headers = {"idempotency-key": uuid.uuid4().hex}
            status, found = load.client.send("POST", "/boats", {"name": uuid.uuid4().hex, "length": length}, token, headers)
            if status == 201:
                load.records.append(Record(tenant, found["id"], length))
            return status
        boat = load.random.choice(own)
        if choice < 0.5:
            return load.change("/boats", boat, "length", length)
        if choice < 0.6:
            status, found = load.client.send("POST", "/repairs", {"boat_id": boat.key, "text": "mast"}, token)
            if status == 201:
                load.further.append((tenant, found["id"]))
            return status
        if choice < 0.85:
            return load.get("/boats", boat, "length")
        return load.client.send("GET", "/boats?sort=-length&limit=20", None, token)[0]

    def check(self, loads):
        changes, undecided = self.check_records(loads, "/boats", "length")
        client, repairs = self.client(), 0
        acknowledged = {key for load in loads for _, key in load.further}
        of_yard = lambda yard: client.listed(self.REPAIRS, self.token(yard))
        wait_until(lambda: all(one["invoiced"] for yard in self.tenants for one in of_yard(yard)), "all jobs have run", 180)
        for yard in self.tenants:
            found = of_yard(yard)
            numbers = [repair["number"] for repair in found]
            assert numbers == list(range(1, len(numbers) + 1)), f"the numbers of yard {yard} have gaps: {numbers[:20]}"
            acknowledged -= {repair["id"] for repair in found}
            repairs += len(found)
        assert not acknowledged, f"{len(acknowledged)} acknowledged repairs are lost"
        print(f"Repair shop: {changes:,} acknowledged changes of boats and {repairs:,} repairs, none lost; {undecided} undecided.")


class Tracker(Service):
    """Issues and their comments, of teams with an owner each, who works with the token of a login; Mia is a guest of all teams."""

    def __init__(self, program, port, cluster, url):
        super().__init__(program, port, cluster, {"DATABASE_URL": url, "SHARD_BY": "tenant", "ADMIN_PASSWORD": PASSWORD})
        self.tokens, self.of_guest = {}, {}

    def token(self, tenant):
        return self.tokens[tenant]

    auditor = token

    def fill(self):
        client, operator = self.client(), self.logged_in("admin")
        user = lambda name: client.ok("POST", "/auth/users", {"username": name, "password": PASSWORD}, operator)["id"]
        mia = user("mia")
        for number in range(TENANTS):
            team = client.ok("POST", "/teams", {"name": f"team {number}"}, operator)["id"]
            owner = {"team_id": team, "user_id": user(f"owner{team}"), "name": "Owner", "role": "owner"}
            client.ok("POST", "/members", owner, operator)
            self.tenants.append(team)
        self.log_in()
        for team in self.tenants:
            client.ok("POST", "/members", {"user_id": mia, "name": "Mia", "role": "guest"}, self.token(team))
            of_mia = client.ok("POST", "/auth/tenant", {"tenant": team}, self.logged_in("mia"))
            self.of_guest[team] = of_mia["access_token"]

    def log_in(self):
        for team in self.tenants:
            self.tokens[team] = self.logged_in(f"owner{team}")

    def logged_in(self, name):
        return self.client().ok("POST", "/auth/login", {"username": name, "password": PASSWORD})["access_token"]

    def is_served(self, tenant):
        client, token = self.client(), self.token(tenant)
        read = client.send("GET", "/issues?limit=1", None, token)[0]
        return read == 200 and client.send("POST", "/issues", {"title": "Are you served?"}, token)[0] == 201

    def step(self, load, tenant):
        own, choice, token = load.own(tenant), load.random.random(), self.token(tenant)
        title = uuid.uuid4().hex
        if not own or choice < 0.2:
            status, found = load.client.send("POST", "/issues", {"title": title, "estimate": 3}, token)
            if status == 201:
                load.records.append(Record(tenant, found["id"], title))
            return status
        issue = load.random.choice(own)
        if choice < 0.45:
            return load.change("/issues", issue, "title", title)
        if choice < 0.6:
            status, found = load.client.send("POST", "/comments", {"issue_id": issue.key, "text": title}, token)
            if status == 201:
                load.further.append((tenant, found["id"], title))
            return status
        if choice < 0.75:
            return load.get("/issues", issue, "title")
        reader = token if choice < 0.85 else self.of_guest[tenant]
        return load.client.send("GET", "/issues?sort=-created_at&limit=20", None, reader)[0]

    def check(self, loads):
        changes, undecided = self.check_records(loads, "/issues", "title")
        client, comments = self.client(), 0
        acknowledged = {comment for load in loads for comment in load.further}
        for team in self.tenants:
            found = client.listed("/comments?sort=created_at", self.token(team))
            acknowledged -= {(team, comment["id"], comment["text"]) for comment in found}
            comments += len(found)
        assert not acknowledged, f"acknowledged comments are lost: {list(acknowledged)[:5]}"
        print(f"Tracker: {changes:,} acknowledged changes of issues and {comments:,} comments, none lost; {undecided} undecided.")
