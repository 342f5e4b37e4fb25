//! [`UnfilteredPage`]: a page of a list without filters, with its exact total, both of one snapshot.

use std::sync::Arc;

use super::connection::Connection;
use super::connection::open::Open;
use super::connection::slots::Slots;
use super::error::{Error, general};
use super::reads::{self, CHECKS, MAX_BYTES};
use super::row::Rows;
use super::totals::{Numbers, Part, Snapshot, Table, Ticket, Totals, data_version};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::query::{JoinedColumn, ListQuery};
use crate::sqlite::dialect::Sqlite;
use crate::statement::select;
use crate::statement::{Sql, Statement};

/// Maximum number of rows of a page that is read this way: they are buffered.
pub(super) const MAX_ROWS: u64 = 1_000;

/// A page of a list without filters.
pub(super) struct UnfilteredPage {
    resource: &'static Descriptor,
    statement: Statement<Sqlite>,
    table: Table,
    part: Part,
}

impl UnfilteredPage {
    /// The page of a query, if it has a limit and no condition except one on the deletion.
    ///
    /// # Errors
    /// Errors of [`select::select`].
    pub(super) fn of(resource: &'static Descriptor, query: &ListQuery) -> Result<Option<Self>, AdapterError> {
        let is_page =
            query.after.is_none() && query.limit_per.is_none() && query.limit.is_some_and(|limit| limit <= MAX_ROWS);
        let Some(part) = Part::of(resource, &query.filter).filter(|_| is_page) else { return Ok(None) };
        let statement: Sql<Sqlite> = select::select(resource, query, select::Part::Whole, query.limit)?;
        Ok(Some(Self { resource, statement: statement.finish(), table: Table::of(resource), part }))
    }

    /// Reads the page on this thread if that is quick: the numbers are known, and the rows are few and found at once.
    /// Returns the total.
    pub(super) async fn read_inline(
        &self,
        slots: &Arc<Slots>,
        totals: &Totals,
        joined: &[JoinedColumn],
        sink: &mut dyn RowSink,
    ) -> Result<Option<u64>, AdapterError> {
        let mut known = None;
        let mut begin_known = |open: &mut Open| {
            known = match begin(open, totals, self.table)? {
                Snapshot::Known(numbers) => Some(numbers),
                Snapshot::Counting(ticket) => {
                    give_up(totals, ticket.as_ref());
                    None
                }
            };
            Ok(known.map(|_| CHECKS))
        };
        let read = reads::page(slots, &self.statement, (self.resource, joined), &mut begin_known, sink).await?;
        Ok(read.and(known).map(|numbers| numbers.of(self.part)))
    }

    /// Reads the page on another thread, and counts the records if their number is not known. Returns `None` if the
    /// records are too large to be buffered.
    pub(super) async fn read(
        self,
        mut connection: Box<Connection>,
        totals: &Arc<Totals>,
    ) -> Result<Option<(Rows, u64)>, AdapterError> {
        let totals = totals.clone();
        let read = connection.work(move |open| {
            let snapshot = begin(open, &totals, self.table)?;
            let read = self.read_in(open, &totals, &snapshot);
            if let (Snapshot::Counting(ticket), Err(_) | Ok(None)) = (&snapshot, &read) {
                give_up(&totals, ticket.as_ref());
            }
            let read = read?;
            open.commit()?;
            Ok(read)
        });
        read.await.map_err(general)
    }

    fn read_in(&self, open: &mut Open, totals: &Totals, snapshot: &Snapshot) -> Result<Option<(Rows, u64)>, Error> {
        let Some(rows) = rows(open, &self.statement)? else { return Ok(None) };
        let numbers = match snapshot {
            Snapshot::Known(numbers) => *numbers,
            Snapshot::Counting(ticket) => {
                let counted = count(open, self.table)?;
                let version = data_version(open.sqlite())?;
                open.seen().remember(version, self.table, counted);
                if let Some(ticket) = ticket {
                    totals.report(ticket, counted);
                }
                counted
            }
        };
        Ok(Some((rows, numbers.of(self.part))))
    }
}

/// The rows of a page; `None` if they are too large to be buffered.
pub(super) fn rows(open: &mut Open, statement: &Statement<Sqlite>) -> Result<Option<Rows>, Error> {
    let mut rows = Rows::default();
    let read = open.run(statement.text.as_str(), &statement.arguments, |row, columns| {
        if rows.size() > MAX_BYTES {
            return Err(Stopped::TooLarge);
        }
        Ok(rows.push(row, columns).map_err(Error::from)?)
    });
    match read {
        Ok(_) => Ok(Some(rows)),
        Err(Stopped::TooLarge) => Ok(None),
        Err(Stopped::Failed(error)) => Err(error),
    }
}

/// Reason why a page was not read to its end.
enum Stopped {
    TooLarge,
    Failed(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Begins a read transaction, with a snapshot for which the numbers are known, if possible.
fn begin(open: &mut Open, totals: &Totals, table: Table) -> Result<Snapshot, Error> {
    // A lock of another process, as there can be without WAL mode, is not waited for: other readers wait here.
    let patient = open.is_patient();
    open.set_patient(false)?;
    let known = begin_known(open, totals, table);
    open.set_patient(patient)?;
    if let Ok(Some(snapshot)) = known {
        return Ok(snapshot);
    }
    begin_anew(open)?;
    Ok(Snapshot::Counting(None))
}

/// Uses the numbers that the connection saw last, if nothing was committed since, or else the shared numbers.
fn begin_known(open: &mut Open, totals: &Totals, table: Table) -> Result<Option<Snapshot>, Error> {
    let mut version = begin_anew(open)?;
    if let Some(numbers) = open.seen().numbers(version, table) {
        return Ok(Some(Snapshot::Known(numbers)));
    }
    let snapshot = totals.look(table, &mut || {
        version = begin_anew(open)?;
        Ok(())
    })?;
    if let Some(Snapshot::Known(numbers)) = &snapshot {
        open.seen().remember(version, table, *numbers);
    }
    Ok(snapshot)
}

/// Begins a transaction with a new snapshot. Returns the connection's data version in that snapshot.
fn begin_anew(open: &mut Open) -> Result<i64, Error> {
    open.rollback()?;
    open.begin("BEGIN")?;
    data_version(open.sqlite())
}

fn give_up(totals: &Totals, ticket: Option<&Ticket>) {
    if let Some(ticket) = ticket {
        totals.give_up(ticket);
    }
}

/// Counts all records of a table, and the deleted ones, each by an index. Counting the active ones directly would look
/// up each record.
fn count(open: &mut Open, table: Table) -> Result<Numbers, Error> {
    let mut sql = Sql::<Sqlite>::new("SELECT COUNT(*) FROM ");
    sql.identifier(table.name);
    let all = number(open, sql)?;
    let Some(deleted_at) = table.deleted_at else { return Ok(Numbers { active: all, deleted: 0 }) };
    let mut sql = Sql::<Sqlite>::new("SELECT COUNT(*) FROM ");
    sql.identifier(table.name);
    sql.push(" WHERE ");
    sql.identifier(deleted_at);
    sql.push(" IS NOT NULL");
    let deleted = number(open, sql)?;
    Ok(Numbers { active: all - deleted, deleted })
}

fn number(open: &mut Open, sql: Sql<Sqlite>) -> Result<i64, Error> {
    let statement = sql.finish();
    let mut number = 0;
    open.run(statement.text.as_str(), &statement.arguments, |row, _| {
        number = row.get(0)?;
        Ok::<(), Error>(())
    })?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::sqlite::embedded::connection::location::Location;
    use crate::sqlite::embedded::connection::open::Purpose;

    const NOTES: Table = Table { name: "notes", deleted_at: None };

    #[test]
    fn connection_knows_the_numbers_that_it_saw_until_another_one_commits() {
        let directory = TempDir::new().unwrap();
        let location = Location::of_url(&format!("sqlite://{}/notes.db", directory.path().display())).unwrap();
        let writer = Open::at(&location, Purpose::Write).unwrap();
        writer.write_ahead().unwrap();
        writer
            .sqlite()
            .execute_batch("CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes VALUES (1)")
            .unwrap();
        let mut reader = Open::at(&location, Purpose::Read).unwrap();
        let totals = Totals::new(location.clone());
        let Snapshot::Counting(Some(ticket)) = begin(&mut reader, &totals, NOTES).unwrap() else { panic!("unknown") };
        totals.report(&ticket, Numbers { active: 1, deleted: 0 });
        let known = |reader: &mut Open, totals: &Totals| match begin(reader, totals, NOTES).unwrap() {
            Snapshot::Known(numbers) => Some(numbers.active),
            Snapshot::Counting(_) => None,
        };
        assert_eq!(known(&mut reader, &totals), Some(1));
        // These totals are empty.
        assert_eq!(known(&mut reader, &Totals::new(location.clone())), Some(1));
        writer.sqlite().execute_batch("INSERT INTO notes VALUES (2)").unwrap();
        assert_eq!(known(&mut reader, &Totals::new(location)), None);
    }
}
