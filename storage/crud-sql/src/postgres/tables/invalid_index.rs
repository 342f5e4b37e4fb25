//! Invalid indexes, which an interrupted or failed `CREATE INDEX CONCURRENTLY` leaves behind. Reads do not use such an
//! index, but its name is taken.

use sqlx::postgres::PgConnection;

use crate::postgres::catalogue::{self, text};
#[cfg(feature = "migrations")]
use crate::sql_parts::{is_blank, parts_of_script};

/// Drops an index by its quoted name, if it exists and is invalid.
pub(in crate::postgres) async fn drop_invalid(connection: &mut PgConnection, index: &str) -> sqlx::Result<()> {
    const IS_INVALID: &str =
        "SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)";
    if catalogue::one::<bool>(connection, IS_INVALID, vec![text(index)]).await? {
        catalogue::batch(connection, format!("DROP INDEX CONCURRENTLY {index}")).await?;
    }
    Ok(())
}

/// Drops the index that a statement of a migration's file creates concurrently, if it exists and is invalid.
#[cfg(feature = "migrations")]
pub(in crate::postgres) async fn drop_invalid_of(connection: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
    match concurrent_index(statement) {
        Some(index) => drop_invalid(connection, &index).await,
        None => Ok(()),
    }
}

/// The name of the index that a statement creates concurrently, as written there, in the schema of the table.
#[cfg(feature = "migrations")]
fn concurrent_index(statement: &str) -> Option<String> {
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    let words = parts_of_script(statement, false).filter(|part| !is_blank(part) && !is(part, "UNIQUE"));
    let words: Vec<&str> = words.collect();
    let has = |at: usize, wanted: [&str; 3]| {
        words.get(at..at + wanted.len()).is_some_and(|found| found.iter().zip(wanted).all(|(word, one)| is(word, one)))
    };
    let at = if has(3, ["IF", "NOT", "EXISTS"]) { 6 } else { 3 };
    match words.get(at..).filter(|_| has(0, ["CREATE", "INDEX", "CONCURRENTLY"]))? {
        [on, ..] if is(on, "ON") => None,
        [name, on, schema, ".", ..] if is(on, "ON") => Some(format!("{schema}.{name}")),
        [name, ..] => Some((*name).to_owned()),
        [] => None,
    }
}

#[cfg(all(test, feature = "migrations"))]
mod tests {
    use super::concurrent_index;

    #[test]
    fn the_name_of_a_concurrent_index_is_found() {
        for (statement, expected) in [
            ("-- no-transaction\nCREATE INDEX CONCURRENTLY \"a b\" ON c (d)", Some("\"a b\"")),
            ("create unique index concurrently if not exists a ON c (d)", Some("a")),
            ("CREATE INDEX CONCURRENTLY a ON \"b\".\"c\" (d)", Some("\"b\".a")),
            ("CREATE INDEX CONCURRENTLY ON c (d)", None),
            ("CREATE INDEX a ON c (d)", None),
            ("DROP INDEX CONCURRENTLY a ", None),
        ] {
            assert_eq!(concurrent_index(statement).as_deref(), expected, "{statement}");
        }
    }
}
