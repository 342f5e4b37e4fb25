"""Load on two services over two shards while each process of the database is killed by -9, and while a shard is away for a minute.

    shards.py YARDS TRACKER CLUSTER URL [SECONDS]

YARDS and TRACKER are the programs, CLUSTER the directory of `.ci/checks/vitess-cluster`, URL that of the keyspace `app`. Prints a
row for each fault, and fails where an acknowledged change is lost, the log and the records disagree, numbers have gaps, a job is
missing, two records have one key, or tenants of living shards keep less than 99% of their requests.
"""

import json
import os
import subprocess
import sys
import time

from services_on_shards import Load, Tracker, Yards, shard_of, wait_until

YARDS, TRACKER, CLUSTER, URL = sys.argv[1:5]
HOLD = int(sys.argv[5]) if len(sys.argv) > 5 else 60
PORT = 28000
# Of each service.
THREADS = 6
# More than three times what a tablet returns at once.
LONG = 31_000
KEPT = 0.99


def cluster(*arguments):
    subprocess.run([".ci/checks/vitess-cluster", arguments[0], CLUSTER, *arguments[1:]], check=True)


def is_failure(status):
    return status == 0 or status >= 500


def share(entries):
    return 1 - sum(is_failure(status) for *_, status in entries) / len(entries) if entries else None


def percent(value):
    return "–" if value is None else f"{100 * value:.2f}%"


def fault(name, dead, hold, services, kill, start):
    """Kills and starts again; prints the row. `dead`: the shard that is away, 0 for none. The share that living tenants keep."""
    time.sleep(3)
    begin = time.time()
    kill()
    time.sleep(hold)
    away = services[0].client().send("GET", "/ready")
    start()
    started = time.time()
    are_served = lambda: all(service.is_served(tenant) for service in services for tenant in service.tenants)
    recovery = wait_until(are_served, f"{name}: all tenants are served again")
    time.sleep(2)
    living, down, cells = [], [], []
    for service in services:
        entries = [entry for entry in service.requests if begin <= entry[0] < started]
        of_living = [entry for entry in entries if entry[2] != dead]
        cells += [f"{len(of_living):,}", percent(share(of_living))]
        living.append(of_living)
        down += [entry for entry in entries if entry[2] == dead]
    slowest = max((entry[1] for entries in living for entry in entries), default=0)
    print(
        f"| {name} | {hold} s | {' | '.join(cells)} | {slowest:.1f} s | {percent(share(down))} | {recovery:.1f} s | "
        f"{', '.join((away[1] or {}).get('shards', {}).get('away', [])) or '–'} |",
        flush=True,
    )
    return min(share(entries) for entries in living)


def check_long_lists(yards):
    """Lists of more records than a tablet returns at once are whole."""
    client, yard = yards.client(), yards.tenants[0]
    shard = URL + (":-80" if shard_of(yard) == 1 else ":80-")
    numbers = "WITH RECURSIVE a AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 999)"
    pairs = f"FROM a JOIN (SELECT n FROM a WHERE n < {LONG // 1000}) b"
    statement = lambda table, columns, values: f"INSERT INTO {table} ({columns}) {numbers} SELECT {values} {pairs}"
    run = lambda *arguments: subprocess.run([YARDS, *arguments], env=yards.environment, check=True, capture_output=True, text=True).stdout
    before = [int(count) for count in run("boats", str(yard)).split()]
    run("sql", shard, statement("boats", "id, yard_id, name, length", f"100000000 + b.n * 1000 + a.n, {yard}, CONCAT('long ', b.n, ' ', a.n), a.n"))
    after = [int(count) for count in run("boats", str(yard)).split()]
    assert after == [count + LONG for count in before], f"{before} and {LONG} are {after}"
    export = client.text("/boats/export", yards.token(yard)).splitlines()
    keys = {json.loads(line)["id"] for line in export}
    assert len(export) == len(keys) == after[0], (len(export), len(keys), after)
    entry = f"'Boat', 100000000, 'update', '{{}}', NOW(6), '{yard}'"
    run("sql", shard, statement("audit_logs", "id, entity_type, entity_id, action, changes, timestamp, tenant", f"100000000 + b.n * 1000 + a.n, {entry}"))
    for skip in (0, LONG // 2, LONG - 50):
        answer = client.ok("GET", f"/boats/100000000/history?limit=100&skip={skip}", token=yards.auditor(yard))
        assert answer["total"] == LONG and len(answer["data"]) == min(100, LONG - skip), answer
    print(f"Lists, an export and a history of {LONG:,} records are whole.")


def check_batch(yards):
    """The records of one statement are those that it answers."""
    yard = yards.tenants[0]
    boats = [{"name": f"of a batch {number}", "length": number} for number in range(50)]
    created = yards.client().ok("POST", "/boats/batch", {"items": boats}, yards.token(yard))
    found = [(boat["name"], boat["length"], boat["id"] % 10) for boat in created["items"]]
    assert found == [(boat["name"], boat["length"], shard_of(yard)) for boat in boats], created


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


def measured(what, yards, tenants, seconds=15):
    """Requests a second, and CPU milliseconds a request of each program."""
    log, names = [], ["yards", "vtgate", "vttablet", "mysqld"]
    before = [ticks(name) for name in names]
    begin = time.time()
    loads = [Load(yards, 100 + number, tenants, log) for number in range(8)]
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
    yards, tracker = Yards(YARDS, PORT, CLUSTER, URL), Tracker(TRACKER, PORT + 1, CLUSTER, URL)
    services = [yards, tracker]
    try:
        # The first service to start makes the first user, the tracker's operator.
        for service in (tracker, yards):
            service.start()
            service.fill()
        print("| Shards | Requests a second | CPU ms a request: service | vtgate | vttablet | mysqld |\n|--:|--:|--:|--:|--:|--:|")
        loads = measured("1 of 2", yards, yards.of_shard(1)) + measured("2", yards, yards.tenants)
        check_batch(yards)
        for service in services:
            service.requests = []
            service.all_loads = service.loads(THREADS, service.requests)
        yards.all_loads += loads
        print(
            "\n| Killed | Time | Repair shop: requests of living shards | answered | Tracker: requests of living shards | answered | "
            "slowest | answered of the dead shard | served again after | `/ready` names |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
        )
        kept = []
        # 0 is the unsharded keyspace: the servers of the shards assign the keys.
        for name, dead in [("mysqld-1", 1), ("vttablet-2", 2), ("etcd", 0), ("mysqld-0", 0), ("vttablet-0", 0)]:
            kill, start = lambda: cluster("kill", name), lambda: cluster("start", name)
            kept.append((name, fault(name, dead, 8, services, kill, start)))
        shard = ("vttablet-1", "mysqld-1")
        kill, start = lambda: [cluster("kill", one) for one in shard], lambda: [cluster("start", one) for one in reversed(shard)]
        kept.append(("a shard", fault("a shard, both", 1, HOLD, services, kill, start)))
        fault("vtgate", None, 3, services, lambda: cluster("kill", "vtgate"), lambda: cluster("start", "vtgate"))
        for load in yards.all_loads + tracker.all_loads:
            load.stop()
        # Logins read users, who are in the unsharded keyspace.
        tracker.log_in()
        for service in services:
            service.check(service.all_loads)
        check_long_lists(yards)
        lacking = [(name, percent(value)) for name, value in kept if value < KEPT]
        assert not lacking, f"tenants of living shards keep less than {KEPT:.0%} of their requests: {lacking}"
    finally:
        for service in services:
            if hasattr(service, "process"):
                service.process.kill()


main()
