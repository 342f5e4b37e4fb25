//! The function of SQL that counts the matches of a list while they are sorted.

use std::cell::Cell;

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// The function's name: it gets whether a record matches, and returns that.
pub(in crate::sqlite::embedded) const FUNCTION: &str = "crud_matches";

thread_local! {
    /// The calls of the statement that this thread runs, or has run last, whose record matches.
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

/// Begins to count anew.
pub(in crate::sqlite::embedded) fn reset() {
    MATCHES.set(0);
}

/// The matches of the statement that this thread has run last.
pub(in crate::sqlite::embedded) fn of_last_statement() -> u64 {
    MATCHES.get()
}
