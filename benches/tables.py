"""Writes the tables of a run of `benches/tables` into documents, between `<!-- run: NAME -->` and `<!-- end -->`.

python3 benches/tables.py DIRECTORY DOCUMENT...
"""

import re
import sys
from pathlib import Path
from statistics import median

GET = "get one record"
PAGE = "first page of 20 with total"
LIST = "list of 20: two filters, sort, total"
UPDATE = "update of two fields"
CREATE = "create"
BATCH = "batch of 100 creates"
BASE = [GET, PAGE, LIST, UPDATE, CREATE, BATCH]
READS = [GET, PAGE, LIST]
WRITES = [UPDATE, CREATE, BATCH]
CAPABILITIES = [
    "get one record of a resource with every capability",
    "`where` with an alternative of two, sort, total",
    "search by two words, total",
    "first page of 20 with `expand`, total",
    "filter and sort across a reference, total",
    "page by a cursor, far from the beginning",
    "export, for each 1,000 records",
    "upsert of an existing record",
    "create with an Idempotency-Key",
]
TWIN, OURS, AUDITED, BEST, BEST_POSTGRES = "twin", "ours", "ours, audit", "best, audit", "best"
SINGLE = "best, single"
CRUDCRATE, POCKETBASE = "crudcrate", "pocketbase"
COLUMNS = ["cpu", "database", "rate", "p50", "p99", "memory"]


class Run:
    """Figures of one table of `crud-benches`: by case, connections and server."""

    def __init__(self, path):
        self.rows = {}
        for line in path.read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 9 and cells[1].isdigit():
                figures = dict(zip(COLUMNS, map(float, cells[3:])))
                self.rows[cells[0], int(cells[1]), cells[2]] = figures

    def figure(self, case, server, column="cpu", connections=32):
        row = self.rows.get((case, connections, server))
        return None if row is None else row[column]

    def ratio(self, case, server, to):
        ours, other = self.figure(case, server), self.figure(case, to)
        return ours / other if ours and other else None


def number(value):
    """Three digits of a figure, with commas of thousands."""
    if value is None:
        return "–"
    if value >= 100:
        digits = 10 ** max(len(str(int(value))) - 3, 0)
        return f"{round(value / digits) * digits:,}"
    return f"{value:.1f}".removesuffix(".0") if value < 20 else f"{value:.0f}"


def ratio(value):
    return "–" if value is None else f"{value:.2f}"


def table(heading, rows):
    line = lambda cells: "| " + " | ".join(cells) + " |"
    return "\n".join([line(heading), "|---|" + "--:|" * (len(heading) - 1), *map(line, rows)])


def of_servers(run, cases, servers, heading):
    rows = [[case, *(number(run.figure(case, server)) for server in servers)] for case in cases]
    return table(["Case", *heading], rows)


def machine(directory):
    return dict(line.split("=", 1) for line in (directory / "machine").read_text().splitlines())


def difference(first, second, server):
    """How far the ratios of the derived service to the twin differ in two runs: the median and the largest, in percent."""
    found = []
    for case in BASE + CAPABILITIES:
        one, other = first.ratio(case, server, TWIN), second.ratio(case, server, TWIN)
        if one and other:
            found.append(abs(one / other - 1) * 100)
    return f"{median(found):.0f}% in the median and {max(found):.0f}% at most"


def memory(run, server, cases):
    found = [run.figure(case, server, "memory") for case in cases]
    return max(figure for figure in found if figure is not None)


def growth(path):
    """Medians of growth by case: of each number of connections."""
    cases, case = {}, None
    for line in path.read_text().splitlines():
        row = re.fullmatch(r" +(\d+) +([\d.]+)(?: +([\d.]+) .*)?", line)
        if row:
            cases.setdefault(case, []).append((int(row[1]), float(row[2]), row[3]))
        elif line and not line.startswith(" "):
            case = line
    return cases


def growth_table(path):
    cases = growth(path)
    most = max(cases.values(), key=len)
    heading = ["Case", f"CPU µs at {most[0][0]}", *(f"at {connections}" for connections, *_ in most[1:])]
    rows = []
    for case, figures in cases.items():
        grown = [against or "–" for _, _, against in figures[1:]]
        rows.append([case, number(figures[0][1]), *grown, *["–"] * (len(most) - len(figures))])
    return table(heading, rows)


def statements(path):
    """The ratio of the list to its statements alone, and to the best program, of the last measurement of each table."""
    found = {}
    name = None
    for line in path.read_text().splitlines():
        row = re.match(r"  list against (the statements|the best program) +([\d.]+)", line)
        if row:
            found.setdefault(name, {})[row[1]] = float(row[2])
        elif line and not line.startswith(" "):
            name = line
    return [figures for figures in found.values() if figures]


def target(name, figure, limit, unit=""):
    verdict = "met" if figure <= limit else "missed"
    shown = ratio(figure) if unit else number(figure)
    return [name, f"{shown}{unit}", verdict]


def targets(run, directory):
    entries = max(run.figure(CREATE, AUDITED), run.figure(UPDATE, AUDITED))
    of_best = max(run.ratio(case, AUDITED, BEST) for case in BASE)
    lists = statements(directory / "statements")
    rows = [
        target("one record ≤ 14 µs", run.figure(GET, OURS), 14),
        target("first page of 20 with total ≤ 60 µs", run.figure(PAGE, OURS), 60),
        target("create and update with their entries ≤ 40 µs", entries, 40),
        target("batch of 100 with entries ≤ 1,500 µs", run.figure(BATCH, AUDITED), 1_500),
        target("any case ≤ 1.3 times the best program", of_best, 1.3, " at most"),
        target("list with two filters ≤ 1.5 times its statements, without an index", lists[0]["the statements"], 1.5, " times"),
        target("with `index(category_id, price)`, ≤ 1.5 times the best program", lists[-1]["the best program"], 1.5, " times"),
        target("memory, reading ≤ 25 MiB", memory(run, OURS, READS), 25),
    ]
    return table(["Target", "derived", ""], rows)


def connections(run):
    rows = []
    for case in [GET, PAGE, CREATE]:
        for number_of in [1, 256]:
            of = lambda server, column: number(run.figure(case, server, column, number_of))
            both = [f"{of(server, 'cpu')}, {of(server, 'p50')}" for server in [TWIN, AUDITED, BEST]]
            rows.append([f"{case}, {number_of}", *both])
    return table(["Case, connections", "hand-written", "derived, with audit log", "best, with audit log"], rows)


def sqlite(run):
    rows = []
    for case in BASE:
        servers = [number(run.figure(case, server)) for server in [TWIN, OURS, AUDITED, BEST]]
        waits = [run.figure(case, server, "p99") for server in [TWIN, OURS]]
        if waits[0] is None:
            waits = [run.figure(case, AUDITED, "p99")]
        rows.append([case, *servers, ", ".join(f"{wait / 1_000:.1f}" for wait in waits if wait is not None)])
    heading = ["hand-written, axum and sqlx", "derived", "derived, with audit log", "best, with audit log"]
    return table(["Case", *heading, "p99, ms: twin, derived"], rows)


def peers(run):
    servers = [TWIN, OURS, AUDITED, CRUDCRATE, POCKETBASE]
    heading = ["hand-written", "derived", "derived, with audit log", "crudcrate", "PocketBase"]
    shown = of_servers(run, BASE, servers, heading)
    for name, cases in [("memory, reading, MiB", READS), ("memory, writing, MiB", WRITES)]:
        found = []
        for server in servers:
            figures = [run.figure(case, server, "memory") for case in cases]
            figures = [figure for figure in figures if figure is not None]
            found.append(number(max(figures)) if figures else "–")
        shown += "\n| " + " | ".join([name, *found]) + " |"
    return shown


def capabilities(run):
    rows = []
    for case in CAPABILITIES:
        against = run.ratio(case, OURS, TWIN)
        verdict = "met" if against is not None and against <= 1.1 else "missed"
        figures = [number(run.figure(case, server)) for server in [TWIN, OURS]]
        rows.append([case, *figures, ratio(against), number(run.figure(case, POCKETBASE)), verdict])
    heading = ["Case", "hand-written, µs", "derived, µs", "ratio", "PocketBase, µs", "target"]
    return table(heading, rows)


def postgres(run):
    rows = []
    columns = [(TWIN, "cpu"), (TWIN, "database"), (OURS, "cpu"), (OURS, "database")]
    columns += [(BEST_POSTGRES, "cpu"), (SINGLE, "cpu")]
    for case in BASE:
        figures = [number(run.figure(case, server, column)) for server, column in columns]
        pairs = [(OURS, TWIN), (OURS, BEST_POSTGRES), (OURS, SINGLE)]
        ratios = [ratio(run.ratio(case, server, other)) for server, other in pairs]
        rows.append([case, *figures, *ratios])
    heading = ["hand-written, µs", "of it the database's", "derived, µs", "of it the database's"]
    heading += ["best, µs", "best, a statement for each change, µs"]
    ratios = ["derived to hand-written", "derived to best", "derived to best, a statement for each"]
    return table(["Case", *heading, *ratios], rows)


def without_a_database(run):
    static = "axum, static"
    health, record = run.ratio("health", OURS, static), run.ratio(GET, OURS, static)
    figures = [number(run.figure(case, server)) for case, server in [("health", static), ("health", OURS), (GET, OURS)]]
    return (
        f"Without a database, `GET /health` costs {ratio(health)} times one static answer of axum's, and a record from memory\n"
        f"{ratio(record)} times (`--database memory`; {figures[0]}, {figures[1]} and {figures[2]} µs)."
    )


def readme(sqlite_run, postgres_run):
    heading = ["CPU µs", "this", "with audit log", "by hand: axum and sqlx", "crudcrate", "PocketBase"]
    servers = [OURS, AUDITED, TWIN, CRUDCRATE, POCKETBASE]
    rows = [[f"{case}, SQLite", *(number(sqlite_run.figure(case, server)) for server in servers)] for case in BASE]
    figures = [number(postgres_run.figure(GET, server)) for server in [OURS, TWIN]]
    rows.append([f"{GET}, PostgreSQL", figures[0], "–", figures[1], "–", "–"])
    found = [", ".join(number(memory(sqlite_run, server, cases)) for cases in [READS, WRITES]) for server in servers]
    rows.append(["memory, reading, writing, MiB, SQLite", *found])
    return table(heading, rows)


def main(directory, *documents):
    directory = Path(directory)
    first, second = (Run(directory / run / "sqlite.md") for run in ["first", "second"])
    postgres_first, postgres_second = (Run(directory / run / "postgres.md") for run in ["first", "second"])
    facts = machine(directory)
    where = f"{facts['cores']} cores ({facts['processor']}), load {facts['load']} before the run"
    regions = {
        "machine": (
            f"Every table but those that say otherwise is from one run of `benches/tables`, {facts['date']}:\n"
            f"{where}, {facts['rounds']} interleaved rounds, 10,000 products, 32 connections on loopback. The same again differed, in the\n"
            f"ratio of the derived service to the hand-written one, by {difference(first, second, OURS)} on SQLite and by\n"
            f"{difference(postgres_first, postgres_second, OURS)} on PostgreSQL."
        ),
        "sqlite": sqlite(first),
        "connections": connections(Run(directory / "connections" / "sqlite.md")),
        "targets": targets(first, directory),
        "without-a-database": without_a_database(Run(directory / "memory" / "memory.md")),
        "peers": peers(first),
        "capabilities": capabilities(first),
        "postgres": postgres(postgres_first),
        "growth-sqlite": growth_table(directory / "growth-sqlite"),
        "growth-postgres": growth_table(directory / "growth-postgres"),
        "readme": f"One run, {facts['date']}, on {where}; 32 connections, 10,000 products; the database's time included:\n\n{readme(first, postgres_first)}",
    }
    for document in documents:
        path = Path(document)
        region = re.compile(r"(<!-- run: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
        path.write_text(region.sub(lambda it: f"{it[1]}{regions[it[2]]}\n{it[3]}", path.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
