//! Programs that speak PostgreSQL's protocol, and the statements that tell them apart.

use sqlx::error::DatabaseError;
use sqlx::postgres::PgConnection;
use sqlx::{Executor, Row};

use crate::TARGET;
use crate::known_engine::{KnownEngine, Standing};
use crate::model::adapter_error::AdapterError;
use crate::postgres::error::general;

/// Returns the version. The function is not qualified, so that a test database can put its own function before the
/// server's.
const VERSION: &str = "SELECT version()";

/// Returns marks of servers that call themselves PostgreSQL: Citus, Aurora, `AlloyDB` and Neon.
const MARKS: &str = "SELECT concat_ws(' ', \
     (SELECT 'citus ' || extversion FROM pg_extension WHERE extname = 'citus'), \
     CASE WHEN to_regproc('aurora_version') IS NOT NULL THEN 'aurora' END, \
     (SELECT min(split_part(name, '.', 1)) FROM pg_settings WHERE name LIKE 'alloydb.%' OR name LIKE 'neon.%'))";

/// A part of the host name of Neon's pooler.
const NEON_POOLER: &str = "-pooler.";

/// Returns the version of a record, if records have versions.
const A_VERSION: &str = "SELECT xmin::text FROM pg_class LIMIT 1";

/// Error codes where an engine lacks the system column: undefined, and not supported.
const LACKING: [&str; 2] = ["42703", "0A000"];

/// Refusal of an engine whose advisory locks do nothing.
const NO_LOCKS: Standing =
    Standing::Refused { reason: "its advisory locks do not lock, so that two servers could migrate it at once" };

/// The known engines. The first one whose mark is in the version applies.
const ENGINES: &[KnownEngine] = &[
    KnownEngine::new("CockroachDB", "cockroachdb", NO_LOCKS),
    KnownEngine::new("YugabyteDB", "-yb-", Standing::NotRun),
    KnownEngine::new("Citus", "citus", Standing::NotRun),
    KnownEngine::new("Aurora PostgreSQL", "aurora", Standing::NotRun),
    KnownEngine::new("AlloyDB", "alloydb", Standing::NotRun),
    KnownEngine::new("Neon's pooler", "neon-pooler", Standing::NotRun),
    KnownEngine::new("Neon", "neon", Standing::NotRun),
];

/// Names the engine of a connection in the log, if it is not PostgreSQL itself.
///
/// # Errors
/// When a service cannot run on the engine; errors of the statement that asks for the version.
pub(super) async fn announce(connection: &mut PgConnection, host: &str) -> Result<(), AdapterError> {
    let version: String = connection.fetch_one(VERSION).await.and_then(|row| row.try_get(0)).map_err(general)?;
    if let Some(engine) = KnownEngine::of_version(ENGINES, &version) {
        return engine.announce(&version);
    }
    // An engine without these system tables has none of the marks.
    let marks: String = connection.fetch_one(MARKS).await.and_then(|row| row.try_get(0)).unwrap_or_default();
    let version = with_marks(&version, &marks, host);
    KnownEngine::of_version(ENGINES, &version).map_or(Ok(()), |engine| engine.announce(&version))
}

/// Whether records have versions, by which a change notices an earlier concurrent change. Without versions, a change
/// locks its record.
///
/// # Errors
/// Errors of the statement, except that of an engine without versions.
pub(super) async fn has_versions(connection: &mut PgConnection) -> Result<bool, AdapterError> {
    let Err(error) = connection.fetch_optional(A_VERSION).await else { return Ok(true) };
    let code = error.as_database_error().and_then(DatabaseError::code);
    if code.is_some_and(|code| LACKING.contains(&&*code)) {
        tracing::info!(target: TARGET, "the database has no versions of records: each change locks its record");
        return Ok(false);
    }
    Err(general(error))
}

/// The version, with the marks and the host as further signs of the engine.
fn with_marks(version: &str, marks: &str, host: &str) -> String {
    let marks = if marks == "neon" && host.contains(NEON_POOLER) { "neon-pooler" } else { marks };
    if marks.is_empty() { version.to_owned() } else { format!("{version} {marks}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSTGRES: &str = "PostgreSQL 15.4 on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0) 12.2.0, 64-bit";

    fn name(version: &str, marks: &str, host: &str) -> Option<&'static str> {
        KnownEngine::of_version(ENGINES, &with_marks(version, marks, host)).map(|engine| engine.name)
    }

    #[test]
    fn engines_are_told_apart_by_their_version() {
        for (version, expected) in [
            ("CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27, go1.19.10)", Some("CockroachDB")),
            ("PostgreSQL 11.2-YB-2.18.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang", Some("YugabyteDB")),
            (POSTGRES, None),
        ] {
            assert_eq!(name(version, "", "localhost"), expected, "{version}");
        }
    }

    #[test]
    fn engines_that_call_themselves_postgresql_are_told_apart_by_what_they_have() {
        for (marks, host, expected) in [
            ("citus 12.1-1", "localhost", "Citus"),
            ("aurora", "shop.cluster-x.rds.amazonaws.com", "Aurora PostgreSQL"),
            ("alloydb", "10.0.0.2", "AlloyDB"),
            ("neon", "ep-cool-1.eu-central-1.aws.neon.tech", "Neon"),
            ("neon", "ep-cool-1-pooler.eu-central-1.aws.neon.tech", "Neon's pooler"),
        ] {
            assert_eq!(name(POSTGRES, marks, host), Some(expected), "{marks}");
        }
    }

    #[test]
    fn an_engine_whose_locks_do_nothing_is_refused_by_name() {
        let version = "CockroachDB CCL v23.1.11";
        let engine = KnownEngine::of_version(ENGINES, version).expect("an engine");
        let refusal =
            std::error::Error::source(&engine.announce(version).expect_err("a refusal")).map(ToString::to_string);
        let refusal = refusal.expect("a reason");
        assert!(
            refusal.contains("CockroachDB (`CockroachDB CCL v23.1.11`)") && refusal.contains("advisory locks"),
            "{refusal}"
        );
    }
}
