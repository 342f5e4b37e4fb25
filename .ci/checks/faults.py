"""Plants the faults of a list into a copy of the repository: faults.py LIST COPY."""
import pathlib
import sys

HELPER = """//! Faults that are planted into this copy.

/// Whether the fault of a number is on.
pub fn fault(number: u32) -> bool {
    std::env::var("CRUD_FAULT").is_ok_and(|wanted| wanted == number.to_string())
}
"""

EXPORTS = {
    "crud-core/src/model/mod.rs": "\npub mod fault;\n",
    "crud-runtime/src/lib.rs": "\npub use crud_core::model::fault;\n",
}


def main(listed: str, copy: str) -> None:
    root = pathlib.Path(copy)
    (root / "crud-core/src/model/fault.rs").write_text(HELPER)
    for name, line in EXPORTS.items():
        path = root / name
        path.write_text(path.read_text() + line)
    for block in pathlib.Path(listed).read_text().split("\n\n"):
        if block.startswith("#"):
            continue
        head, name, old, new = [line for line in block.splitlines() if line]
        path = root / name
        text = path.read_text()
        if text.count(old[2:]) != 1:
            sys.exit(f"{head}: {name} does not have the text once: {old[2:]}")
        call = "crud_runtime::fault::fault(" if name.startswith("plugins/") else "crate::model::fault::fault("
        path.write_text(text.replace(old[2:], new[2:].replace("fault(", call)))


main(*sys.argv[1:])
