//! Reads on the thread of their request.
//!
//! A query of microseconds costs less than a message to another thread. A query that may take longer must not run on a
//! thread of the runtime, and how long it takes is not known before: it depends on indexes, on statistics, and on how
//! much data there is. So it is tried: after [`CHECKS`] it is interrupted, and runs again on the blocking pool. The
//! texts of statements that took longer are remembered, and not tried again until they take less.

pub(super) mod core_wait;
pub(super) mod long_statements;
pub(super) mod seen_plans;

use std::sync::Arc;

use self::core_wait::core_wait;
use self::long_statements::{Key, LIMIT, MAX_ROWS};
use super::connection::Connection;
use super::connection::open::Open;
use super::connection::slots::Slots;
use super::error::{Error, details, general};
use super::row::{Borrowed, Rows};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::sqlite::dialect::Sqlite;
use crate::sqlite::error::Details;
use crate::statement::Statement;

/// Limit of checks, one after each 500 instructions, for a statement on the thread of its request: some tenths of a
/// millisecond.
const CHECKS: u32 = 20;

/// The most bytes of texts and blobs that are buffered.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// Reads the rows of a statement on this thread; none, if that takes too long.
pub(super) async fn inline(slots: &Arc<Slots>, statement: &Statement<Sqlite>) -> Result<Option<Rows>, AdapterError> {
    inline_within(slots, statement, &mut |_| Ok(true)).await
}

/// Reads inline within a transaction that `begin` begins; none, too, if that returns `false`.
pub(super) async fn inline_within(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    begin: &mut (dyn FnMut(&mut Open) -> Result<bool, Error> + Send),
) -> Result<Option<Rows>, AdapterError> {
    let mut rows = Rows::default();
    let read = run_within(slots, statement, begin, |row, columns| {
        if rows.len() == MAX_ROWS || rows.size() > MAX_BYTES {
            return Err(Stopped::Long);
        }
        if rows.len() == 0 && columns > 1 {
            rows.reserve_page(columns);
        }
        Ok(rows.push(row, columns).map_err(Error::from)?)
    });
    match read.await {
        Ok(()) => Ok(Some(rows)),
        Err(Stopped::Long) => Ok(None),
        Err(Stopped::Refused(error)) => Err(error),
    }
}

/// Passes the record that a statement finds by its key to the sink, in SQLite's own buffers; whether there is one. None,
/// if that takes too long, as it does in a table without an index of its key.
pub(super) async fn by_key(
    slots: &Arc<Slots>,
    resource: &'static Descriptor,
    statement: &Statement<Sqlite>,
    sink: &mut dyn RowSink,
) -> Result<Option<bool>, AdapterError> {
    let mut found = false;
    let read = run(slots, statement, |row, _| {
        found = true;
        sink.row(&Borrowed { resource, row }).map_err(Stopped::Refused)
    });
    match read.await {
        Ok(()) => Ok(Some(found)),
        Err(Stopped::Long) => Ok(found.then_some(true)),
        Err(Stopped::Refused(error)) => Err(error),
    }
}

/// Runs a statement on this thread, for a while.
async fn run(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    run_within(slots, statement, &mut |_| Ok(true), each).await
}

async fn run_within(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    begin: &mut (dyn FnMut(&mut Open) -> Result<bool, Error> + Send),
    each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let text = statement.text.as_str();
    let (long, key) = (slots.long_statements(), Key::of(text));
    if long.contain(key) {
        return Err(Stopped::Long);
    }
    // Of others, a read of the figure would cost more than the statement.
    let waited_before = if long.suspect(key) { core_wait() } else { None };
    let mut connection = Connection::here(slots.acquire_inline().await.map_err(Stopped::Refused)?);
    let open = connection.open()?;
    open.set_patient(false)?;
    if !begin(open)? {
        return Err(Stopped::Long);
    }
    open.control().arm_for(CHECKS, LIMIT);
    match open.run(text, &statement.arguments, each) {
        Ok(_) => {
            long.in_time(key);
            if open.is_in_transaction() { Ok(open.commit()?) } else { Ok(()) }
        }
        Err(_) if open.control().is_late() => {
            let waited = waited_before.zip(core_wait()).map(|(before, now)| now.saturating_sub(before));
            if waited.is_none_or(|waited| waited < LIMIT / 2) {
                long.late(key);
            }
            Err(Stopped::Long)
        }
        Err(stopped) if matches!(stopped, Stopped::Long) || open.control().is_exhausted() => {
            long.insert(key);
            Err(Stopped::Long)
        }
        Err(stopped) => Err(stopped),
    }
}

/// Reason why a read ended early.
enum Stopped {
    /// The read takes too long, has too many rows, or waits for a lock.
    Long,
    /// The database or the sink refused it.
    Refused(AdapterError),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        if details(&error).is_some_and(Details::is_busy) { Self::Long } else { Self::Refused(general(error)) }
    }
}
