"""Counts the lines of this example and of its sketches by the parts of the product, as a table in Markdown.

    python3 examples/booking/peers/count.py           prints the table
    python3 examples/booking/peers/count.py PAGE      fails unless the page has it

A line counts unless it is blank or a comment, and twice if it is longer than 120 characters; imports and closing brackets count. `setting` is what is clicked together in Directus:
one for each collection, field, policy, permission or option.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
COMMENT = re.compile(r'^\s*(//|#(?![\[!])|--|/\*\*|"""|\*)')
WIDTH = 120
PARTS = [
    "companies, members, roles", "places, equipment, floor plans", "bookings: states, no overlap, rights", "waiting list",
    "recurring bookings", "comments", "sensors with keys", "calendar and display", "utilisation", "accounts, invitations", "live",
    "admin page", "agents", "routes, seed, start",
]
OWN = {
    "company": 0, "member": 0, "location": 1, "room": 1, "equipment": 1, "booking": 2, "participant": 2, "series": 4, "comment": 5,
    "reading": 6, "calendar": 7, "display": 7, "seed": 13, "main": 13, "lib": 13, "web": 13,
}
# Lines that belong to another part than their file.
ELSEWHERE = [
    (r"Role::new|default_access|audit_role|users_role", 0), (r"File\b|file\(", 1), (r"aggregate\(.*minutes", 8), (r"Accounts", 9),
    (r"\.plugin\(accounts", 9), (r"ApiKeys::", 6), (r"Events", 10), (r"Admin|admin\(", 11), (r"Mcp", 12),
]


def code(path):
    inside = False
    for line in path.read_text().splitlines():
        # Python's texts of several lines.
        if line.strip().startswith('"""') and line.count('"""') == 1 or inside and '"""' in line:
            inside = not inside
            continue
        if "part: " in line:
            yield line
        elif line.strip() and not inside and not COMMENT.match(line):
            yield line


def lines(line):
    return -(-len(line) // WIDTH)


def own():
    counts = [0] * len(PARTS)
    for path in sorted((HERE.parent / "src").glob("*.rs")):
        part = OWN[path.stem]
        for line in code(path):
            if path.stem == "booking" and "fn first_state" in line:
                part = PARTS.index("waiting list")
            counts[next((other for word, other in ELSEWHERE if re.search(word, line)), part)] += lines(line)
    return counts


def sketch(*names):
    counts, part = [0] * len(PARTS), 0
    for name in names:
        for line in code(HERE / name):
            if found := re.search("part: (.*)", line):
                part = PARTS.index(found[1])
            else:
                counts[part] += lines(line)
    return counts


def settings(name):
    counts, part = [0] * len(PARTS), 0
    for line in (HERE / name).read_text().splitlines():
        if found := re.match("// part: (.*)", line):
            part = PARTS.index(found[1])
        elif found := re.match("// setting: (.*)", line):
            counts[part] += len(re.split(r"[:,] ", found[1])) - 1 or 1
    return counts


def table():
    columns = [own(), sketch("django.py"), sketch("supabase.sql", "supabase.ts"), sketch("pocketbase.js"), sketch("directus.js")]
    clicked = settings("directus.js")
    rows = list(zip(PARTS, *columns, clicked)) + [("**all**", *map(sum, columns), sum(clicked))]
    head = ["| Part | crud | Django | Supabase | PocketBase | Directus |", "|---|--:|--:|--:|--:|--:|"]
    return "\n".join(head + [row(part, counts, extra) for part, *counts, extra in rows])


def row(part, counts, clicked):
    cells = [str(count) if count else "–" for count in counts]
    more = f", {clicked} settings" if clicked else ""
    return f"| {part} | {' | '.join(cells)}{more} |"


if len(sys.argv) > 1:
    sys.exit(0 if table() in Path(sys.argv[1]).read_text() else f"{sys.argv[1]} has not this table:\n{table()}")
print(table())
