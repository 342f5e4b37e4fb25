//! Cases that the default run leaves to the long parts `mariadb`, `postgres` and `memory`. They depend on the database little
//! or not at all, and run on SQLite: a run on several back ends leaves them out on these, a run on one back end has all of
//! its cases.

use crate::backend::Backend;
use crate::case::{package, suite};

/// Modules of a suite that stay on every back end, by the beginning of their names; of a suite that is not here, all do.
const EVERYWHERE: [(&str, &[&str]); 6] = [
    ("access", &["owners", "past_states", "references", "relations", "upserts"]),
    ("auth", &["former_sessions", "refresh", "rotation"]),
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
    ("relations", &["children", "links", "nested", "sorts", "statements"]),
    ("rules", &["logged_dependants", "meetings", "sql", "tenants", "transactions", "views"]),
    ("service", &["disk", "leaving", "moves"]),
];

/// Modules that stay on MariaDB, whose statements of schemas commit by themselves.
const MIGRATIONS_ON_MARIADB: &[&str] =
    &["data_migrations", "files", "locks", "property", "renames", "rolling", "story"];

/// Modules that stay on PostgreSQL besides [`EVERYWHERE`]: statements that only it has.
const ON_POSTGRES: [(&str, &[&str]); 2] = [
    (
        "conformance",
        &[
            "conditional",
            "faults",
            "filters",
            "purge",
            "restore",
            "soft_delete",
            "sorting",
            "start",
            "unknown_variants",
            "updates",
        ],
    ),
    ("rules", &["hooks", "idempotency", "jobs", "support"]),
];

/// Suites of plugins, with the modules that stay on MariaDB and in memory: plugins reach the database by the public
/// interface alone.
const PLUGINS: [(&str, &[&str]); 6] = [
    ("accounts", &["passwords", "sessions"]),
    ("api_keys", &["rights"]),
    ("events", &["servers", "streams"]),
    ("files", &["changes", "races", "sweep"]),
    ("mcp", &["tools"]),
    ("webhooks", &["queue", "servers"]),
];

/// Suites whose cases on memory are left out: the time of logins is that of their hashes.
const NOT_IN_MEMORY: [&str; 1] = ["auth"];

/// Whether the default run leaves a test's cases on this back end out.
pub(crate) fn is_elsewhere(test: &str, backend: Backend) -> bool {
    let suite = suite();
    let stays = |modules: &[&str]| modules.iter().any(|module| test.starts_with(module));
    let stays_in =
        |suites: &[(&str, &[&str])]| suites.iter().find(|(name, _)| *name == suite).map(|(_, modules)| stays(modules));
    if package() != "crud-tests" {
        return matches!(backend, Backend::MySql | Backend::Memory) && stays_in(&PLUGINS) == Some(false);
    }
    let leaves = stays_in(&EVERYWHERE) == Some(false);
    match backend {
        Backend::MySql => leaves || (suite == "migrations" && !stays(MIGRATIONS_ON_MARIADB)),
        Backend::Postgres => leaves && stays_in(&ON_POSTGRES) != Some(true),
        Backend::Memory => leaves || NOT_IN_MEMORY.contains(&suite.as_str()),
        Backend::Sqlite | Backend::MongoDb => false,
    }
}
