"""Serves databases that others made by the resources that `crud generate --from-database` writes for them:
databases.py FOLDER DIRECTORY.

FOLDER has the databases, DIRECTORY gets a project for each. CRUD_TEST_POSTGRES is the directory of a running server. Every
list, order and filter is compared with what SQL selects.
"""

import glob
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import quote, urlencode

# Number of records of a page, and of a column's values that are filtered by.
LIMIT = 100
VALUES = 3

# Types of fields that lists neither filter nor sort by.
OPAQUE = ("Vec<", "serde_json::Value")


def run(command, directory, environment):
    """Runs a command; its output."""
    done = subprocess.run(
        command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Sqlite:
    """A file of SQLite."""

    name = "sqlite"

    def __init__(self, file):
        self.url, self.connection = f"sqlite://{file}?journal_mode=keep", sqlite3.connect(f"file:{file}?mode=ro", uri=True)

    def numbers(self, query):
        """The numbers that a query selects, one for each record."""
        return [row[0] for row in self.connection.execute(query)]


class Postgres:
    """A database of the server, in the order of American English."""

    name = "postgres"

    def __init__(self, database, scripts):
        self.server = os.environ["CRUD_TEST_POSTGRES"]
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/psql"), key=lambda path: int(path.split("/")[4]))
        self.psql = programs[-1] if programs else shutil.which("psql")
        self.database, self.url = database, f"postgres://crud@localhost/{database}?host={self.server}"
        self.run("postgres", f"CREATE DATABASE {database} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
        for script in scripts:
            self.run(database, script.read_text())

    def run(self, database, script):
        options = ["-h", self.server, "-U", "crud", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database]
        done = subprocess.run([self.psql, *options], input=script, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{database}: {done.stderr}")
        return done.stdout

    def numbers(self, query):
        """The numbers that a query selects, one for each record."""
        return [int(line) for line in self.run(self.database, query).split()]


class Field:
    """A field of a resource, as its file has it."""

    def __init__(self, attribute, name, kind, lists_all):
        self.attribute, self.kind = attribute, kind
        renamed = re.search(r'\brename = "([^"]*)"', attribute)
        self.name = renamed[1] if renamed else name
        column = re.search(r'\bcolumn(?: = |\(\s*)"((?:[^"\\]|\\.)*)"', attribute)
        self.column = column[1].replace('\\"', '"') if column else name
        self.is_key = re.match(r"#\[crud\(\s*id\b", attribute) is not None
        # Answers have no secrets, and lists are not by them.
        is_secret = re.search(r"\b(hidden|write_only)\b", attribute) is not None
        is_comparable = not is_secret and not kind.removeprefix("Option<").startswith(OPAQUE)
        self.is_filtered = lists_all and is_comparable or re.search(r"\bfilter\b", attribute) is not None
        self.is_sorted = lists_all and is_comparable or re.search(r"\bsort\b", attribute) is not None
        self.is_nullable = kind.startswith("Option<")
        # Filters compare these alone by order: enums, flags and UUIDs are equal or not.
        ordered = ("String", "i", "u", "f", "Decimal", "Naive", "DateTime")
        self.is_ordered = self.is_sorted and kind.removeprefix("Option<").startswith(ordered)

    def relation(self):
        """The name of the record that it refers to."""
        if not re.search(r"\breferences\(.*\bexpand\b", self.attribute, re.S):
            return None
        named = re.search(r"\brelation\(([^)]*)\)", self.attribute)
        return named[1].removeprefix("r#") if named else self.name.removesuffix("_id")


class Resource:
    """A resource that the command wrote."""

    def __init__(self, name, table, text, prefix):
        self.name, self.prefix, self.table = name, prefix, f'"{table}"'
        head, body = re.search(r"#\[derive\(Debug, Clone, Resource\)\]\n(.*?)pub struct \w+ \{\n(.*?)^\}", text, re.S | re.M).groups()
        self.has_key = "no_key" not in head
        options = re.sub(r"\([^()]*\)", "", head)
        lists_all = re.search(r"\bfilter\b", options) is not None
        found = re.findall(r"((?:    #\[crud\(.*?\)\]\n)?)    pub (?:r#)?(\w+):\s+(.*?),\n", body, re.S)
        self.fields = [Field(attribute.strip(), field, kind, lists_all) for attribute, field, kind in found]
        self.keys = [field for field in self.fields if field.is_key]
        if self.has_key and not self.keys:
            self.keys = [field for field in self.fields if field.name == "id"]
        children = re.search(r"\bhas_many\((.*)\)", head.split("#[allow")[0], re.S)
        self.children = re.findall(r"(\w+)\(\w+::", children[1]) if children else []


class Service:
    """The program of a project."""

    def __init__(self, project, environment):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.program = subprocess.Popen(
            ["cargo", "run"], cwd=project, env=environment | {"BIND": f"127.0.0.1:{self.port}"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0,
        )
        output = ""
        for line in self.program.stdout:
            output += line
            if "listening on" in line:
                break
        else:
            sys.exit(f"{project}: it does not start\n{output}")
        # What it prints later would fill the pipe.
        threading.Thread(target=self.program.stdout.read, daemon=True).start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, path, **parameters):
        target = f"{path}?{urlencode(parameters)}" if parameters else path
        self.connection.request("GET", target)
        answer = self.connection.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            sys.exit(f"{target}: {answer.status} {body}")
        return body

    def all(self, path, **parameters):
        """The records of a list, page by page."""
        records = []
        while True:
            page = self.get(path, limit=LIMIT, **parameters)
            records += page["data"]
            if not page.get("next_cursor"):
                return records
            parameters["cursor"] = page["next_cursor"]

    def stop(self):
        os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait()


def text(value):
    """A value as a parameter has it."""
    return value if isinstance(value, str) else json.dumps(value)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Comparison:
    """A resource with a key, against its table."""

    def __init__(self, service, database, resource):
        self.service, self.database, self.resource = service, database, resource
        key = ", ".join(quoted(field.column) for field in resource.keys)
        numbered = f"SELECT t.*, row_number() OVER (ORDER BY {key}) AS crud_position FROM {resource.table} t"
        self.numbered = f"WITH numbered AS ({numbered}) SELECT crud_position FROM numbered "
        self.records = service.all(resource.prefix)
        self.positions = {self.key(record): position for position, record in enumerate(self.records, 1)}

    def key(self, record):
        parts = [text(record[field.name]) for field in self.resource.keys]
        return parts[0] if len(parts) == 1 else ",".join(quote(part, safe="") for part in parts)

    def compare(self, rest, **parameters):
        """Compares a list with these parameters with what SQL selects by the end of a statement."""
        found = [self.positions[self.key(record)] for record in self.service.all(self.resource.prefix, **parameters)]
        selected = self.database.numbers(self.numbered + rest)
        if found != selected:
            sys.exit(f"{self.resource.name} by {parameters}: {found[:20]}… in place of {selected[:20]}…")

    def run(self):
        self.compare("ORDER BY crud_position")
        for record in self.records[:VALUES]:
            path = f"{self.resource.prefix}/{quote(self.key(record), safe='')}"
            if self.service.get(path) != record:
                sys.exit(f"{path} is not the record of the list")
        for field in self.resource.fields:
            column = quoted(field.column)
            if field.is_sorted:
                self.compare(f"ORDER BY {column} IS NOT NULL, {column}, crud_position", sort=field.name)
                self.compare(f"ORDER BY {column} IS NULL, {column} DESC, crud_position DESC", sort=f"-{field.name}")
            if field.is_filtered:
                self.filters(field, column)
            if relation := field.relation():
                self.relation(field, relation)
        for child in self.resource.children:
            self.service.get(self.resource.prefix, limit=2, expand=child)

    def filters(self, field, column):
        seen = []
        for position, record in enumerate(self.records, 1):
            value = record[field.name]
            if value is None or value in seen or len(seen) == VALUES:
                continue
            seen.append(value)
            same = f"(SELECT {column} FROM numbered WHERE crud_position = {position})"
            for operator, sql in [("", "="), ("__gte", ">="), ("__lt", "<")] if field.is_ordered else [("", "=")]:
                end = f"WHERE {column} {sql} {same} ORDER BY crud_position"
                self.compare(end, **{field.name + operator: text(value)})
        if field.is_nullable:
            self.compare(f"WHERE {column} IS NULL ORDER BY crud_position", **{f"{field.name}__isnull": "true"})

    def relation(self, field, relation):
        for record in self.service.get(self.resource.prefix, limit=LIMIT, expand=relation)["data"]:
            is_missing = record[relation] is None and record[field.name] is not None
            if is_missing and "unconstrained" not in field.attribute:
                sys.exit(f"{self.resource.name}: {relation} of {record} is missing")


def compare_without_key(service, database, resource):
    """Lists without a key have every record, and filters those that SQL selects."""
    totals = {"": {}} | {
        f"WHERE {quoted(field.column)} IS NULL": {f"{field.name}__isnull": "true"}
        for field in resource.fields
        if field.is_filtered and field.is_nullable
    }
    for condition, parameters in totals.items():
        found = service.get(resource.prefix, **parameters)["total"]
        if [found] != database.numbers(f"SELECT count(*) FROM {resource.table} {condition}"):
            sys.exit(f"{resource.name} by {parameters} has {found} records")
    for field in resource.fields:
        if field.is_sorted:
            service.get(resource.prefix, sort=field.name)


def check(directory, name, database, tables):
    """Serves a database, which has this number of tables and views."""
    environment = os.environ | {"DATABASE_URL": database.url}
    project = directory / name
    run(["crud", "init", "--name", name, "--database", database.name, "--auth", "no", "--no-git"], directory, environment)
    # Its versions are those of the workspace.
    shutil.copy("Cargo.lock", project)
    run(["crud", "config", "--set", "check_schema", "true"], project, environment)
    said = run(["crud", "generate", "--from-database"], project, environment)
    print(said, flush=True)
    written = re.findall(r"^(\w+): the (?:table|view) `(.*)`, in (\S+), served at (\S+)$", said, re.M)
    if len(written) != tables:
        sys.exit(f"{name}: {len(written)} of {tables} tables and views have a resource")
    run(["crud", "check"], project, environment)
    service = Service(project, environment)
    try:
        for model, table, file, prefix in written:
            resource = Resource(model, table, (project / file).read_text(), prefix)
            print(f"{name}: {model}, {len(resource.fields)} fields", flush=True)
            if resource.has_key:
                Comparison(service, database, resource).run()
            else:
                compare_without_key(service, database, resource)
    finally:
        service.stop()


if __name__ == "__main__":
    folder, directory = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
    file = directory / "chinook.sqlite"
    shutil.copy(folder / "chinook.sqlite", file)
    check(directory, "records", Sqlite(file), 11)
    chinook = Postgres("chinook", [folder / "chinook-postgresql.sql"])
    check(directory, "records_on_postgres", chinook, 11)
    pagila = Postgres("pagila", [])
    # The dump gives what it makes to this role.
    pagila.run("pagila", "CREATE ROLE postgres")
    for script in ["pagila-postgresql15.sql", "pagila-rows.sql"]:
        pagila.run("pagila", (folder / script).read_text())
    pagila.run("pagila", "ANALYZE")
    check(directory, "rentals", pagila, 24)
