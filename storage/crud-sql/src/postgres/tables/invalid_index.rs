//! Invalid indexes: leftovers of a `CREATE INDEX CONCURRENTLY` that was interrupted or failed. Reads do not use one, and its
//! name is taken.

use sqlx::postgres::PgConnection;

use crate::postgres::catalogue::{self, text};

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
    let Some(index) = concurrent_index(statement) else { return Ok(()) };
    // It is in the schema of its table.
    let schema = split_at_word(statement, " ON \"").and_then(|(_, table)| table.split_once("\".\""));
    let schema = schema.filter(|(schema, _)| !schema.contains('"'));
    let index = schema.map_or_else(|| index.to_owned(), |(schema, _)| format!("\"{schema}\".{index}"));
    drop_invalid(connection, &index).await
}

/// The name of the index that a statement creates concurrently, as it is written there.
#[cfg(feature = "migrations")]
fn concurrent_index(statement: &str) -> Option<&str> {
    let (before, after) = split_at_word(statement, "CONCURRENTLY")?;
    let mut words = before.split_whitespace().rev().map(str::to_ascii_uppercase);
    let creates = words.next()? == "INDEX" && words.next().is_some_and(|word| word == "CREATE" || word == "UNIQUE");
    let name = match split_at_word(after, "EXISTS") {
        Some((not, name)) if not.trim().eq_ignore_ascii_case("IF NOT") => name,
        _ => after,
    };
    let name = name.trim_start();
    let end = match name.strip_prefix('"') {
        Some(rest) => rest.find('"')? + 2,
        None => name.find(char::is_whitespace)?,
    };
    let name = &name[..end];
    (creates && !name.eq_ignore_ascii_case("ON")).then_some(name)
}

/// Text before and after the first occurrence of a word.
#[cfg(feature = "migrations")]
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at = text.to_ascii_uppercase().find(word)?;
    Some((&text[..at], &text[at + word.len()..]))
}

#[cfg(all(test, feature = "migrations"))]
mod tests {
    use super::concurrent_index;

    #[test]
    fn the_name_of_a_concurrent_index_is_found() {
        for (statement, expected) in [
            ("-- no-transaction\nCREATE INDEX CONCURRENTLY \"a b\" ON c (d)", Some("\"a b\"")),
            ("create unique index concurrently if not exists a ON c (d)", Some("a")),
            ("CREATE INDEX CONCURRENTLY ON c (d)", None),
            ("CREATE INDEX a ON c (d)", None),
            ("DROP INDEX CONCURRENTLY a ", None),
        ] {
            assert_eq!(concurrent_index(statement), expected, "{statement}");
        }
    }
}
