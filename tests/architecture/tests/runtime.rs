//! The imports of `crud-runtime`, `crud-core` and the crates in `storage/` run one way.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crud_architecture::{Circle, Floor, Imports, Tree, circles, uphill};

/// The folders of `crud-core`, each on its floor: a file uses its own floor and those below.
const CORE: [Floor<'_>; 4] = [("model", 1), ("query", 2), ("storage", 3), ("response", 4)];

/// The folders of `crud-runtime`, above those of `crud-core`.
const RUNTIME: [Floor<'_>; 6] = [("storage", 3), ("store", 4), ("auth", 5), ("audit", 5), ("http", 6), ("service", 7)];

/// The files and folders of `crud-sql`: texts and measures; what all databases share; their connections; each database, which
/// uses no other; the list of them.
const SQL: [Floor<'_>; 29] = [
    ("advice", 1),
    ("connection_error", 1),
    ("group_sizes", 1),
    ("plan", 1),
    ("quoted", 1),
    ("replacement", 1),
    ("shadow", 1),
    ("slow_statements", 1),
    ("statements", 1),
    ("text_list", 1),
    ("waiting_line", 1),
    ("dialect", 2),
    ("driver", 2),
    ("loading", 2),
    ("over_sqlx", 2),
    ("pool", 2),
    ("schema", 2),
    ("scope", 2),
    ("statement", 2),
    ("write", 2),
    ("connections", 3),
    ("page_with_total", 3),
    ("slow_lists", 3),
    ("transaction", 3),
    ("transfer", 3),
    ("mysql", 4),
    ("postgres", 4),
    ("sqlite", 4),
    ("adapter", 5),
];

/// The databases of `crud-sql`.
const DATABASES: [&str; 3] = ["mysql/", "postgres/", "sqlite/"];

/// The files that only name what users and expansions import.
const EXEMPT: [&str; 3] = ["__private/completion.rs", "lib.rs", "prelude.rs"];

/// A circle of so many files fails, whatever its reason.
const LIMIT: usize = 6;

/// The smaller circles that stay: their files, sorted, and the reason.
const ALLOWED: &[(&[&str], &str)] = &[
    (
        &["http/handler/authorization.rs", "http/handler/request.rs", "http/state.rs"],
        "the state holds the program's handlers in place of generated ones, which take requests that have a state",
    ),
    (&["dialect.rs", "statement/mod.rs"], "a dialect writes into the statement that it is chosen for"),
    (&["driver.rs", "write/change.rs"], "a driver attempts a change, which reads the driver's rows"),
    (
        &["statement/order.rs", "statement/select.rs"],
        "a list has an order, whose subselects have conditions as lists have",
    ),
];

fn imports(package: &str) -> Imports {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(package).join("src");
    Imports::of(&Tree::read(&source).expect("the source can be read"))
}

fn runtime() -> Imports {
    imports("crud-runtime")
}

fn core() -> Imports {
    imports("crud-core")
}

fn sql() -> Imports {
    imports("storage/crud-sql")
}

/// The circles of all crates.
fn all_circles() -> Vec<Circle> {
    [runtime(), core(), sql(), imports("storage/crud-mongodb")].iter().flat_map(circles).collect()
}

fn text(circles: &[&Circle]) -> String {
    let texts: Vec<_> = circles.iter().map(ToString::to_string).collect();
    texts.join("\n")
}

#[test]
fn every_path_leads_to_a_file() {
    // Less means that the reading is broken.
    for (imports, files, list) in [(runtime(), 150, 500), (core(), 50, 100), (sql(), 150, 500)] {
        assert_eq!(imports.faults, [""; 0]);
        assert!(imports.files.len() > files, "{} files", imports.files.len());
        assert!(imports.list.len() > list, "{} imports", imports.list.len());
    }
}

#[test]
fn no_circle_has_six_files() {
    let circles = all_circles();
    let large: Vec<_> = circles.iter().filter(|circle| circle.files.len() >= LIMIT).collect();
    assert!(large.is_empty(), "{}", text(&large));
}

#[test]
fn smaller_circles_are_listed_with_their_reason() {
    let circles = all_circles();
    let small: Vec<_> = circles.iter().filter(|circle| circle.files.len() < LIMIT).collect();
    let unlisted: Vec<_> =
        small.iter().copied().filter(|c| !ALLOWED.iter().any(|(files, _)| *files == c.files)).collect();
    assert!(unlisted.is_empty(), "not in `ALLOWED`: {}", text(&unlisted));
    for (files, reason) in ALLOWED {
        assert!(!reason.is_empty(), "{files:?} has no reason");
        assert!(
            small.iter().any(|circle| *files == circle.files),
            "{files:?} is not a circle; remove it from `ALLOWED`"
        );
    }
    let names: BTreeSet<_> = ALLOWED.iter().map(|(files, _)| files).collect();
    assert_eq!(names.len(), ALLOWED.len(), "`ALLOWED` lists a circle twice");
}

#[test]
fn no_import_leads_up_the_floors() {
    let crates = [(runtime(), &RUNTIME[..]), (core(), &CORE), (sql(), &SQL)];
    let faults: Vec<_> = crates.iter().flat_map(|(imports, floors)| uphill(imports, floors, &EXEMPT)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_database_uses_another() {
    let of = |file: &str| DATABASES.into_iter().find(|database| file.starts_with(database));
    let is_across = |from: &str, to: &str| matches!((of(from), of(to)), (Some(from), Some(to)) if from != to);
    let list = sql().list;
    let across: Vec<_> = list.iter().filter(|import| is_across(&import.from, &import.to)).collect();
    assert!(across.is_empty(), "{across:?}");
}
