//! The SQL function that counts the matches of a list while they are sorted.

use std::cell::Cell;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// The name of the function. Its argument is whether a record matches, and so is its result.
pub(in crate::sqlite::embedded) const FUNCTION: &str = "crud_matches";

thread_local! {
    /// Number of matches in the statement that this thread runs or ran last.
    static MATCHES: Cell<u64> = const { Cell::new(0) };
}

/// Adds the function to a connection.
pub(in crate::sqlite::embedded) fn add_to(sqlite: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    sqlite.create_scalar_function(FUNCTION, 1, flags, |context: &Context<'_>| {
        let matches = matches!(context.get_raw(0), ValueRef::Integer(truth) if truth != 0);
        MATCHES.set(MATCHES.get() + u64::from(matches));
        Ok(matches)
    })
}

/// Resets the count.
pub(in crate::sqlite::embedded) fn reset() {
    MATCHES.set(0);
}

/// The number of matches in the statement that this thread ran last.
pub(in crate::sqlite::embedded) fn of_last_statement() -> u64 {
    MATCHES.get()
}
