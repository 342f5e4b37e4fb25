//! Moves: every record of a service in another database, as it is.
//!
//! [`Service::move_to`] copies the tables of the resources and of the service itself (audit log, users, revoked sessions, jobs,
//! schedules, counters, idempotency keys, the secret of cursors) into an empty database: the same keys, times and deleted
//! records, and new keys above those that were assigned. Between SQLite, PostgreSQL and MySQL or MariaDB.
//!
//! ```no_run
//! use crud_runtime::prelude::*;
//!
//! #[derive(Debug, Clone, Resource)]
//! struct Book { id: i64, title: String }
//!
//! # async fn run() -> crud_runtime::Result<()> {
//! let service = Service::connect("sqlite://books.db").await?.resource::<Book>();
//! let moved = service.move_to("postgres://localhost/books").await?;
//! println!("{moved}");
//! # Ok(()) }
//! ```
//!
//! The source is read in one snapshot: changes that come later are not moved, so stop the service before. The target is
//! written in one transaction: after an error or a kill it has no record, and the move can be repeated. Onto shards,
//! each page is a transaction: no service starts on the records of an incomplete move, and the next move removes them.

mod checksum;
mod comparison;
mod page;
mod preparation;
mod report;

use std::sync::Arc;
use std::time::Duration;

pub use report::{Moved, MovedTable};

use self::checksum::Checksum;
use self::page::{Pages, Reads};
use self::preparation::SourceTables;
use super::builder::Service;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::administration::Storage;
use crate::storage::backends;
use crate::storage::error::{Error, Result};
use crate::storage::transaction::Transaction;
use crate::storage::transfer::{Load, Refused, Transfer};

/// Limit of the records that an error names.
const MAX_NAMED: usize = 20;

/// Statement timeout of a move: there are no requests whose time it would limit.
const TIME_LIMIT: Duration = Duration::from_hours(24);

/// Receives the table that is being moved, the number of records moved so far, and the total.
pub(super) type Progress = fn(&'static str, u64, u64);

/// # Moving
///
/// The records of a service, on another database.
impl Service {
    /// Moves every record to the database of a URL, which must be empty: creates the tables, inserts the records, reads them
    /// back and compares them. The database of the service is not changed.
    ///
    /// Nothing is written unless every record can be moved. See [`moving`](crate::moving).
    ///
    /// # Errors
    /// [`Error::Setup`] when one of the databases cannot take part, the source does not fit the structs, the target is not
    /// empty or cannot hold a record, which is named, or a record differs in the target; [`Error::Migrate`] when a table of the
    /// target contradicts its struct; [`Error::Database`].
    pub async fn move_to(&self, url: &str) -> Result<Moved> {
        self.move_records(backends::connect(url).await?, |_, _, _| {}).await
    }

    pub(super) async fn move_records(&self, target: Arc<dyn Storage>, progress: Progress) -> Result<Moved> {
        const ELSEWHERE: &str = "moves are between SQLite, PostgreSQL and MySQL or MariaDB";
        let cannot = |which| Error::Setup(format!("the storage of the {which} has no moves: {ELSEWHERE}"));
        self.check()?;
        self.administration.set_time_limit(TIME_LIMIT);
        target.set_time_limit(TIME_LIMIT);
        let source = self.administration.transfer().ok_or_else(|| cannot("source"))?;
        let transfer = target.transfer().ok_or_else(|| cannot("target"))?;
        self.place_tables(&*target)?;
        let SourceTables { tables, left_out } = preparation::source_tables(self, source).await?;
        transfer.discard_unfinished(&tables).await.map_err(Error::Database)?;
        preparation::check_target(self, &*target, transfer, &tables).await?;
        target.migrate(&preparation::with_views(&self.described_tables()?, &tables)).await?;
        let mut from = source.snapshot().await.map_err(Error::Database)?;
        continue_keys(source, &mut *from, transfer, &tables).await?;
        let mut to = transfer.load(&tables).await.map_err(Error::Database)?;
        let moved = copy(&mut *from, &mut *to, &tables, progress).await?;
        comparison::compare(&mut *from, &mut *to, &tables, &moved).await?;
        to.commit().await.map_err(Error::Database)?;
        Ok(Moved::new(&tables, &moved, left_out))
    }
}

/// Lets the target assign keys above those that the source has assigned.
async fn continue_keys(
    source: &dyn Transfer,
    from: &mut dyn Transaction,
    target: &dyn Transfer,
    tables: &[&'static Descriptor],
) -> Result<()> {
    for &table in tables.iter().filter(|table| table.counted_key().is_some()) {
        let last = last_key(source, from, table).await.map_err(Error::Database)?;
        if last > 0 {
            target.set_last_key(table, last).await.map_err(Error::Database)?;
        }
    }
    Ok(())
}

/// The last assigned key, or the highest key of a record if that is higher.
async fn last_key(
    source: &dyn Transfer,
    from: &mut dyn Transaction,
    table: &'static Descriptor,
) -> Result<i64, AdapterError> {
    let query = ListQuery::all(table).sort(vec![SortKey::descending(table.id)]).limit(1);
    let highest = match page::read(&mut Reads::Snapshot(from), table, &query).await?.last.as_ref().and_then(Key::single)
    {
        Some(Value::Int(key)) => *key,
        _ => 0,
    };
    Ok(highest.max(source.last_key(table).await?))
}

/// Copies the records of the tables. Returns the checksum of each table.
async fn copy(
    from: &mut dyn Transaction,
    to: &mut dyn Load,
    tables: &[&'static Descriptor],
    progress: Progress,
) -> Result<Vec<Checksum>> {
    let mut checksums = Vec::with_capacity(tables.len());
    let mut named = Named::default();
    let total = total(from, tables).await?;
    let mut before = 0;
    for &table in tables {
        let mut checksum = Checksum::default();
        let mut pages = Pages::new(table);
        while let Some(page) = pages.next(&mut Reads::Snapshot(from)).await.map_err(Error::Database)? {
            page.records.iter().for_each(|record| checksum.add(table, record));
            named.add(table, &page.unreadable);
            named.add(table, &to.insert(table, &page.records).await.map_err(Error::Database)?);
            progress(table.table, before + checksum.records(), total);
            if named.is_full() {
                return named.into_result().map(|()| checksums);
            }
        }
        before += checksum.records();
        checksums.push(checksum);
    }
    // Checked before references: a refused record would be missing there.
    named.into_result()?;
    let mut named = Named::default();
    for &table in tables {
        named.add(table, &to.dangling(table).await.map_err(Error::Database)?);
    }
    named.into_result().map(|()| checksums)
}

/// The number of the records of all tables.
async fn total(from: &mut dyn Transaction, tables: &[&'static Descriptor]) -> Result<u64> {
    let mut total = 0;
    for &table in tables {
        total += from.count(table, &Predicate::All).await.map_err(Error::Database)?;
    }
    Ok(total)
}

/// The records that cannot be moved, as lines.
#[derive(Default)]
struct Named(Vec<String>);

impl Named {
    fn add(&mut self, table: &Descriptor, refused: &[Refused]) {
        self.0.extend(refused.iter().map(|refused| report::line(table, refused)));
    }

    const fn is_full(&self) -> bool {
        self.0.len() >= MAX_NAMED
    }

    fn into_result(mut self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        if self.0.len() >= MAX_NAMED {
            self.0.truncate(MAX_NAMED);
            self.0.push("and perhaps others".to_owned());
        }
        Err(report::nothing_moved("records that the target cannot hold", &self.0))
    }
}
