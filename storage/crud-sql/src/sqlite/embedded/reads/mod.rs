//! Reads on the thread of their request.
//!
//! A query of microseconds costs less than a message to another thread. A slow query must not run on a thread of the
//! runtime. Its duration is not known in advance, as it depends on indexes, on statistics and on the amount of data. So
//! each query is tried: after [`CHECKS`] it is interrupted, and runs again on the blocking pool. The texts of slow
//! statements are remembered; these are not tried again until they become faster.

pub(super) mod core_wait;
pub(super) mod long_statements;
pub(super) mod matches;
pub(super) mod seen_orders;
pub(super) mod seen_plans;

use std::cell::Cell;
use std::sync::Arc;

use self::core_wait::core_wait;
use self::long_statements::{LIMIT, MAX_ROWS, StatementHash};
use super::connection::Connection;
use super::connection::open::Open;
use super::connection::slots::Slots;
use super::error::{Error, details, general};
use super::row::{Borrowed, Rows};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::query::JoinedColumn;
use crate::sqlite::dialect::Sqlite;
use crate::sqlite::error::Details;
use crate::statement::Statement;

/// Number of checks, each after 500 instructions, for a statement on the thread of its request: some tenths of a
/// millisecond.
pub(super) const CHECKS: u32 = 20;

/// Bytes of texts and blobs after which no further record is read on this thread.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// Begins the transaction of a read, and returns its limit of checks; `None` ends the read.
type Begin<'a> = &'a mut (dyn FnMut(&mut Open) -> Result<Option<u32>, Error> + Send);

/// Reads the rows of a statement on this thread; `None` if that takes too long.
pub(super) async fn inline(slots: &Arc<Slots>, statement: &Statement<Sqlite>) -> Result<Option<Rows>, AdapterError> {
    buffered(slots, statement, &mut |_| Ok(Some(CHECKS))).await
}

/// Passes the records of a page to the sink, with the joined columns after the resource's. Returns their number; `None`
/// if the read takes too long, or if `begin` returns `None`.
pub(super) async fn page(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    (resource, joined): (&'static Descriptor, &[JoinedColumn]),
    begin: Begin<'_>,
    sink: &mut dyn RowSink,
) -> Result<Option<u64>, AdapterError> {
    // Records are passed on while they are read: a buffer took a tenth of a page's instructions.
    if !sink.mark() {
        let Some(rows) = buffered(slots, statement, begin).await? else { return Ok(None) };
        rows.emit(resource, joined, sink)?;
        return Ok(Some(rows.len() as u64));
    }
    let (mut rows, mut bytes) = (0, 0);
    let read = run_within(slots, statement, begin, |row, _| {
        if rows == MAX_ROWS || bytes > MAX_BYTES {
            return Err(Stopped::Long);
        }
        let read = Cell::new(bytes);
        sink.row(&Borrowed { resource, joined, row, bytes: &read }).map_err(Stopped::Refused)?;
        bytes = read.get();
        rows += 1;
        Ok(())
    });
    match read.await {
        Ok(()) => Ok(Some(rows as u64)),
        Err(Stopped::Long) => {
            sink.return_to_mark();
            Ok(None)
        }
        Err(Stopped::Refused(error)) => Err(error),
    }
}

/// Reads rows on this thread in the transaction that `begin` begins; `None` also if `begin` returns `None`.
async fn buffered(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    begin: Begin<'_>,
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

/// Passes the record that a statement finds by its key to the sink, from SQLite's own buffers. Returns whether the
/// record exists; `None` if the read takes too long, as in a table without an index of the key.
pub(super) async fn by_key(
    slots: &Arc<Slots>,
    resource: &'static Descriptor,
    statement: &Statement<Sqlite>,
    sink: &mut dyn RowSink,
) -> Result<Option<bool>, AdapterError> {
    let mut found = false;
    let read = run(slots, statement, |row, _| {
        found = true;
        sink.row(&Borrowed { resource, joined: &[], row, bytes: &Cell::new(0) }).map_err(Stopped::Refused)
    });
    match read.await {
        Ok(()) => Ok(Some(found)),
        Err(Stopped::Long) => Ok(found.then_some(true)),
        Err(Stopped::Refused(error)) => Err(error),
    }
}

/// Runs a statement on this thread, within the limits.
async fn run(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    run_within(slots, statement, &mut |_| Ok(Some(CHECKS)), each).await
}

async fn run_within(
    slots: &Arc<Slots>,
    statement: &Statement<Sqlite>,
    begin: Begin<'_>,
    each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let text = statement.text.as_str();
    let (long, key) = (slots.long_statements(), StatementHash::of(text));
    if long.contain(key) {
        return Err(Stopped::Long);
    }
    // Only for suspected statements: for others, reading the wait would cost more than the statement.
    let waited_before = if long.suspect(key) { core_wait() } else { None };
    let mut connection = Connection::here(slots.acquire_inline().await.map_err(Stopped::Refused)?);
    let open = connection.open()?;
    open.set_patient(false)?;
    let Some(checks) = begin(open)? else { return Err(Stopped::Long) };
    open.control().arm_for(checks, LIMIT);
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
    /// The database or the sink refused the read.
    Refused(AdapterError),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        if details(&error).is_some_and(Details::is_busy) { Self::Long } else { Self::Refused(general(error)) }
    }
}
