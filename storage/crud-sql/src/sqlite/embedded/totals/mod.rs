//! [`Totals`]: the numbers of records of whole tables, known without counting.
//!
//! A reader counts a table once; from then on, the writer adds what its commits change. The sentinel, a connection that
//! only watches, keeps that correct: its `PRAGMA data_version` changes whenever a commit of any process becomes
//! visible. The numbers are stored with the version at which they are valid:
//!
//! ```text
//! reader   lock; BEGIN; take the snapshot; sentinel's version = v?  then the numbers of v are those of the snapshot
//! writer   BEGIN IMMEDIATE; lock; sentinel's version = v, own version = w; unlock
//!          …
//!          COMMIT; lock; sentinel's version = v′, own version = w?  then the numbers of v′ are those of v and its changes
//! ```
//!
//! A commit between the snapshot and the look at the sentinel changes the sentinel's version. A commit of another
//! process between the writer's `COMMIT` and the look changes the writer's version. In both cases the numbers are not
//! used, and the reader counts.

pub(super) mod seen_totals;
pub(super) mod tally;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::location::Location;
use super::error::Error;
use crate::model::descriptor::Descriptor;
use crate::query::Predicate;

/// Maximum number of tables whose numbers are kept.
const MAX_TABLES: usize = 1_000;

/// Maximum number of snapshots that a reader takes while commits come in between.
const ATTEMPTS: usize = 4;

/// A table whose records are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The column of the deletion timestamp.
    pub(super) deleted_at: Option<&'static str>,
}

/// The part of a table's records in a list without filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    Active,
    Deleted,
}

/// The numbers of a table's records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) active: i64,
    pub(super) deleted: i64,
}

impl Table {
    /// The table of a resource.
    pub(super) fn of(resource: &'static Descriptor) -> Self {
        let deletion = resource.soft_delete.map(|soft_delete| &resource.columns[soft_delete.deleted_at]);
        let deleted_at = deletion.filter(|column| column.is_deletion_time()).map(|column| column.column);
        Self { name: resource.table, deleted_at }
    }
}

impl Part {
    /// The part that a condition selects, if the condition is only on the deletion.
    pub(super) fn of(resource: &Descriptor, filter: &Predicate) -> Option<Self> {
        let deleted_at = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
        match filter {
            Predicate::All => Some(Self::All),
            Predicate::IsNull { column, null } if Some(*column) == deleted_at => {
                Some(if *null { Self::Active } else { Self::Deleted })
            }
            _ => None,
        }
    }
}

impl Numbers {
    /// The number of records in a part.
    pub(super) fn of(self, part: Part) -> u64 {
        let number = match part {
            Part::All => self.active + self.deleted,
            Part::Active => self.active,
            Part::Deleted => self.deleted,
        };
        u64::try_from(number).unwrap_or(0)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { active: self.active + other.active, deleted: self.deleted + other.deleted }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self { active: self.active - other.active, deleted: self.deleted - other.deleted }
    }
}

/// State of a table's numbers at the current version.
#[derive(Debug, Clone, Copy)]
enum Entry {
    Known(Numbers),
    /// A reader counts in an older snapshot: the count's number, and the changes by the writer since.
    Counting(u64, Numbers),
}

/// The numbers of records of whole tables; see the module for why they are correct.
pub(super) struct Totals {
    location: Location,
    state: Mutex<State>,
    /// The number of tables that readers have asked for.
    watched: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The connection that only watches.
    sentinel: Option<Connection>,
    /// The sentinel's version at which the entries are valid.
    version: i64,
    entries: HashMap<Table, Entry>,
    watched: Vec<Table>,
    /// The number of counts that were started.
    counts: u64,
}

/// The total in a reader's snapshot.
pub(super) enum Snapshot {
    Known(Numbers),
    /// The total is not known: the reader counts. With a ticket, it reports its count.
    Counting(Option<Ticket>),
}

/// The right to report the count of a table.
pub(super) struct Ticket {
    table: Table,
    count: u64,
}

/// The versions of the sentinel and of the writer before a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base {
    sentinel: i64,
    own: i64,
}

impl Totals {
    pub(super) fn new(location: Location) -> Self {
        Self { location, state: Mutex::default(), watched: AtomicUsize::new(0) }
    }

    /// Looks up a table's numbers in the snapshot that `take_snapshot` takes. It is called again, for a new snapshot,
    /// when a commit comes in between; `None` if that happens too often.
    pub(super) fn look(
        &self,
        table: Table,
        take_snapshot: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Option<Snapshot>, Error> {
        let mut state = self.lock();
        for _ in 0..ATTEMPTS {
            take_snapshot()?;
            let version = state.version_now(&self.location)?;
            if version == state.version {
                return Ok(Some(match state.entries.get(&table) {
                    Some(Entry::Known(numbers)) => Snapshot::Known(*numbers),
                    // The reader that already counts reports for all.
                    Some(Entry::Counting(..)) => Snapshot::Counting(None),
                    None => Snapshot::Counting(self.start(&mut state, table)),
                }));
            }
            // The snapshot may be older than the new version.
            state.entries.clear();
            state.version = version;
        }
        Ok(None)
    }

    fn start(&self, state: &mut State, table: Table) -> Option<Ticket> {
        if !state.watched.contains(&table) {
            if state.watched.len() == MAX_TABLES {
                return None;
            }
            state.watched.push(table);
            self.watched.store(state.watched.len(), Ordering::Relaxed);
        }
        state.counts += 1;
        state.entries.insert(table, Entry::Counting(state.counts, Numbers::default()));
        Some(Ticket { table, count: state.counts })
    }

    /// Reports the numbers that were counted in the snapshot.
    pub(super) fn report(&self, ticket: &Ticket, counted: Numbers) {
        let mut state = self.lock();
        if let Some(entry) = state.entries.get_mut(&ticket.table)
            && let Entry::Counting(count, since) = *entry
            && count == ticket.count
        {
            *entry = Entry::Known(counted.plus(since));
        }
    }

    /// Gives a count up.
    pub(super) fn give_up(&self, ticket: &Ticket) {
        let mut state = self.lock();
        if matches!(state.entries.get(&ticket.table), Some(Entry::Counting(count, _)) if *count == ticket.count) {
            state.entries.remove(&ticket.table);
        }
    }

    /// The number of tables that readers have asked for.
    pub(super) fn watched(&self) -> usize {
        self.watched.load(Ordering::Relaxed)
    }

    /// The tables that readers have asked for.
    pub(super) fn watched_tables(&self) -> Vec<Table> {
        self.lock().watched.clone()
    }

    /// The versions in a writer's transaction, before its changes.
    pub(super) fn base(&self, writer: &Connection) -> Result<Base, Error> {
        let sentinel = self.lock().version_now(&self.location)?;
        Ok(Base { sentinel, own: data_version(writer)? })
    }

    /// Adds the changes of a commit. Only the numbers of these tables stay known.
    pub(super) fn committed(
        &self,
        writer: &Connection,
        base: Base,
        changes: &HashMap<Table, Numbers>,
    ) -> Result<(), Error> {
        let mut state = self.lock();
        let version = state.version_now(&self.location)?;
        let is_alone = data_version(writer)? == base.own && state.version == base.sentinel;
        if is_alone {
            state.entries.retain(|table, entry| {
                let Some(change) = changes.get(table) else { return false };
                match entry {
                    Entry::Known(numbers) | Entry::Counting(_, numbers) => *numbers = numbers.plus(*change),
                }
                true
            });
            state.version = version;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The sentinel's current version, which changes with each commit of any process.
    fn version_now(&mut self, location: &Location) -> Result<i64, Error> {
        if self.sentinel.is_none() {
            // Versions of different connections cannot be compared.
            self.entries.clear();
            let sentinel = location.open()?;
            sentinel.busy_timeout(Duration::ZERO)?;
            self.sentinel = Some(sentinel);
        }
        self.sentinel.as_ref().map_or(Ok(0), data_version)
    }
}

/// A number that changes when another connection has committed.
pub(super) fn data_version(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.prepare_cached("PRAGMA main.data_version")?.query_row((), |row| row.get(0))?)
}

impl fmt::Debug for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Totals").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;
    use crate::sqlite::embedded::connection::open::{Open, Purpose};

    const NOTES: Table = Table { name: "notes", deleted_at: Some("deleted_at") };

    struct Database {
        totals: Arc<Totals>,
        writer: Open,
        reader: Connection,
        other_process: Connection,
        _directory: TempDir,
    }

    impl Database {
        /// A database with three active notes and a deleted one, which a reader has counted.
        fn counted() -> Self {
            let directory = TempDir::new().unwrap();
            let url = format!("sqlite://{}/notes.db", directory.path().display());
            let location = Location::of_url(&url).unwrap();
            let open = || location.open().unwrap();
            let totals = Arc::new(Totals::new(location.clone()));
            let writer = Open::at(&location, Purpose::Write).unwrap().with_tally(totals.clone());
            writer.write_ahead().unwrap();
            let batch = "CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT UNIQUE, deleted_at TEXT, \
                         parent INTEGER REFERENCES notes (id) ON DELETE CASCADE);
                         INSERT INTO notes VALUES (1, 'a', NULL, NULL), (2, 'b', NULL, 1), (3, 'c', NULL, 2), (4, 'd', '', NULL)";
            writer.sqlite().execute_batch(batch).unwrap();
            let mut database = Self { totals, writer, reader: open(), other_process: open(), _directory: directory };
            assert_eq!(database.known(), None);
            assert_eq!(database.known(), Some((3, 1)));
            database
        }

        /// The numbers if they are known; otherwise counts and reports them.
        fn known(&mut self) -> Option<(i64, i64)> {
            let snapshot = self.begin();
            let counted = counted(&self.reader);
            let known = match snapshot {
                Snapshot::Known(numbers) => {
                    assert_eq!(numbers, counted, "the numbers are those of the snapshot");
                    Some((numbers.active, numbers.deleted))
                }
                Snapshot::Counting(ticket) => {
                    self.totals.report(&ticket.expect("no other count"), counted);
                    None
                }
            };
            self.reader.execute_batch("ROLLBACK").unwrap();
            known
        }

        fn begin(&mut self) -> Snapshot {
            let Self { totals, reader, .. } = self;
            let mut snapshot = || {
                reader.execute_batch(if reader.is_autocommit() { "BEGIN" } else { "ROLLBACK; BEGIN" })?;
                data_version(reader).map(drop)
            };
            totals.look(NOTES, &mut snapshot).unwrap().expect("no commit comes between")
        }

        fn write(&mut self, statements: &[&str]) {
            self.writer.begin("BEGIN IMMEDIATE").unwrap();
            for statement in statements {
                self.writer.all(statement, &[]).unwrap();
            }
            self.writer.commit().unwrap();
        }
    }

    fn counted(connection: &Connection) -> Numbers {
        let counts = "SELECT count(*) FILTER (WHERE deleted_at IS NULL), count(deleted_at) FROM notes";
        connection.query_row(counts, (), |row| Ok(Numbers { active: row.get(0)?, deleted: row.get(1)? })).unwrap()
    }

    #[test]
    fn numbers_follow_what_the_writer_commits() {
        let mut database = Database::counted();
        for (statements, numbers) in [
            (&["INSERT INTO notes (name) VALUES ('e'), ('f')"][..], (5, 1)),
            (&["UPDATE notes SET deleted_at = '' WHERE name >= 'e'"], (3, 3)),
            (&["UPDATE notes SET name = name || '!'"], (3, 3)),
            (&["UPDATE notes SET deleted_at = NULL WHERE id = 4", "DELETE FROM notes WHERE id = 4"], (3, 2)),
            // The references remove two more.
            (&["DELETE FROM notes WHERE id = 1"], (0, 2)),
            (&["DELETE FROM notes"], (0, 0)),
        ] {
            database.write(statements);
            assert_eq!(database.known(), Some(numbers), "{statements:?}");
        }
    }

    #[test]
    fn what_is_rolled_back_does_not_count() {
        let mut database = Database::counted();
        let Database { writer, .. } = &mut database;
        writer.begin("BEGIN IMMEDIATE").unwrap();
        writer.all("INSERT INTO notes (name) VALUES ('e')", &[]).unwrap();
        writer.begin("").unwrap();
        writer.all("DELETE FROM notes", &[]).unwrap();
        writer.rollback().unwrap();
        assert!(writer.all("INSERT INTO notes (name) VALUES ('f'), ('e')", &[]).is_err());
        writer.commit().unwrap();
        assert_eq!(database.known(), Some((4, 1)));
        let Database { writer, .. } = &mut database;
        writer.begin("BEGIN IMMEDIATE").unwrap();
        writer.all("DELETE FROM notes", &[]).unwrap();
        writer.rollback().unwrap();
        assert_eq!(database.known(), Some((4, 1)));
    }

    #[test]
    fn numbers_are_those_of_the_snapshot() {
        let mut database = Database::counted();
        let Snapshot::Known(before) = database.begin() else { panic!("known") };
        database.write(&["INSERT INTO notes (name) VALUES ('e')"]);
        assert_eq!(counted(&database.reader), before);
        database.reader.execute_batch("ROLLBACK").unwrap();
        assert_eq!(database.known(), Some((4, 1)));
    }

    #[test]
    fn commit_of_another_process_makes_them_unknown() {
        let mut database = Database::counted();
        let insert = "INSERT INTO notes (name) VALUES ('x')";
        database.other_process.execute_batch(insert).unwrap();
        assert_eq!(database.known(), None);
        assert_eq!(database.known(), Some((4, 1)));
        // Before the writer's transaction.
        database.other_process.execute_batch("DELETE FROM notes WHERE name = 'x'").unwrap();
        database.write(&["INSERT INTO notes (name) VALUES ('e')"]);
        assert_eq!(database.known(), None);
        assert_eq!(database.known(), Some((4, 1)));
    }

    #[test]
    fn what_replaces_rows_makes_them_unknown() {
        let mut database = Database::counted();
        database.write(&["insert OR Replace INTO notes (id, name) VALUES (9, 'a')"]);
        assert_eq!(database.known(), None);
        database.write(&["UPDATE OR REPLACE notes SET name = 'c' WHERE id = 9"]);
        assert_eq!(database.known(), None);
        // A trigger of the database.
        let trigger =
            "CREATE TRIGGER copies AFTER INSERT ON notes BEGIN REPLACE INTO notes (id, name) VALUES (9, 'c'); END";
        database.other_process.execute_batch(trigger).unwrap();
        assert_eq!(database.known(), None);
        database.write(&["INSERT INTO notes (name) VALUES ('g')"]);
        assert_eq!(database.known(), None);
    }

    #[test]
    fn changes_of_the_table_itself_make_them_unknown() {
        let mut database = Database::counted();
        database
            .write(&["DROP TABLE notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT, deleted_at TEXT)"]);
        assert_eq!(database.known(), None);
        database.write(&["INSERT INTO notes (name) VALUES ('a')"]);
        assert_eq!(database.known(), Some((1, 0)));
    }

    #[test]
    fn a_count_takes_up_what_is_committed_meanwhile() {
        let mut database = Database::counted();
        database.other_process.execute_batch("INSERT INTO notes (name) VALUES ('x')").unwrap();
        let Snapshot::Counting(Some(ticket)) = database.begin() else { panic!("unknown") };
        database.write(&["INSERT INTO notes (name) VALUES ('e')"]);
        let counted = counted(&database.reader);
        assert_eq!((counted.active, counted.deleted), (4, 1));
        database.totals.report(&ticket, counted);
        database.reader.execute_batch("ROLLBACK").unwrap();
        assert_eq!(database.known(), Some((5, 1)));
    }
}
