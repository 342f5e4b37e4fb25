//! Cases that the default run leaves to the long part `mariadb`. They depend on the database little or not at all, and run
//! on SQLite and PostgreSQL: a run on several back ends leaves them out on these, a run on one back end has all of them.

use crate::backend::Backend;
use crate::case::{package, suite};

/// Modules of a suite that stay on MariaDB, by the beginning of their names; of a suite that is not here, all do.
const ON_MARIADB: [(&str, &[&str]); 7] = [
    ("access", &["owners", "past_states", "references", "relations", "upserts"]),
    ("auth", &["refresh", "rotation"]),
    (
        "conformance",
        &[
            "active_uniques",
            "as_of",
            "audit",
            "batch",
            "case_insensitive_uniques",
            "changes_store",
            "cursors",
            "deleted_references",
            "history",
            "keys",
            "operators",
            "patterns",
            "races",
            "references",
            "search",
            "types",
            "uniques",
            "upserts",
        ],
    ),
    ("migrations", &["data_migrations", "files", "locks", "property", "renames", "rolling", "story"]),
    ("relations", &["children", "links", "nested", "sorts", "statements"]),
    ("rules", &["meetings", "sql", "tenants", "transactions", "views"]),
    ("service", &["leaving", "moves"]),
];

/// Suites whose cases on memory are left out: the time of logins is that of their hashes.
const NOT_IN_MEMORY: [&str; 1] = ["auth"];

/// Whether the default run leaves a test's cases on this back end out.
pub(crate) fn is_elsewhere(test: &str, backend: Backend) -> bool {
    let suite = suite();
    if package() != "crud-tests" {
        return false;
    }
    match backend {
        Backend::MySql => {
            let stays = ON_MARIADB.iter().find(|(name, _)| *name == suite).map(|(_, modules)| modules);
            stays.is_some_and(|modules| !modules.iter().any(|module| test.starts_with(module)))
        }
        Backend::Memory => NOT_IN_MEMORY.contains(&suite.as_str()),
        Backend::Sqlite | Backend::Postgres | Backend::MongoDb => false,
    }
}
