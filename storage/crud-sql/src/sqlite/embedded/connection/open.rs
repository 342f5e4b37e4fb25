//! [`Open`]: an open connection, used by one thread at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef as Cell};
use tokio::sync::oneshot::{self, Receiver, Sender};

use crate::model::adapter_error::AdapterError;
use crate::sqlite::argument::Argument;
use crate::sqlite::embedded::connection::control::{Control, INSTRUCTIONS_BETWEEN_CHECKS};
use crate::sqlite::embedded::connection::location::Location;
use crate::sqlite::embedded::connection::mapping;
use crate::sqlite::embedded::error::{Error, details, general, translate_commit};
use crate::sqlite::embedded::reads::long_statements::{LongStatements, StatementHash};
use crate::sqlite::embedded::reads::matches;
use crate::sqlite::embedded::reads::seen_plans::SeenPlans;
use crate::sqlite::embedded::row::Row;
use crate::sqlite::embedded::totals::Totals;
use crate::sqlite::embedded::totals::seen_totals::SeenTotals;
use crate::sqlite::embedded::totals::tally::Tally;
use crate::sqlite::error::{Details, Failure};
use crate::storage::trace;

/// The busy timeout: how long SQLite waits for a lock of another process.
pub(in crate::sqlite::embedded) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval between two attempts to turn on write-ahead logging.
const WAL_RETRY: Duration = Duration::from_millis(20);

/// The number of prepared statements that a connection caches: the texts of lists differ by filters and order.
const CACHED_STATEMENTS: usize = 250;

/// Number of bytes that a probe writes after a change has failed because of the disk. A record with its index entries
/// and audit entry needs more than one page.
const PROBE_BYTES: u32 = 1 << 20;

/// `FULL` syncs each commit, so that it survives a loss of power.
const PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL";

/// Purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sqlite::embedded) enum Purpose {
    Read,
    /// Changes, and reads too.
    Write,
}

impl Purpose {
    /// The size of the page cache: negative numbers are in KiB. The operating system caches the file too, for all
    /// connections.
    ///
    /// With 1 MiB, a list of some hundred records of a 2 MiB table took a fifth longer. Writers need more, as a change
    /// touches a page of each index.
    const fn cache(self) -> &'static str {
        match self {
            Self::Read => "PRAGMA cache_size = -2048",
            Self::Write => "PRAGMA cache_size = -4096",
        }
    }
}

/// Sends the result of a commit to a transaction that shares it.
type Committed = Sender<Result<(), AdapterError>>;

/// A future commit that a transaction shares.
pub(in crate::sqlite::embedded) struct CommitToCome {
    /// Whether this transaction is the first that waits for the commit.
    pub(in crate::sqlite::embedded) is_first: bool,
    pub(in crate::sqlite::embedded) done: Receiver<Result<(), AdapterError>>,
}

/// An open connection.
pub(in crate::sqlite::embedded) struct Open {
    sqlite: rusqlite::Connection,
    control: Arc<Control>,
    /// The number of nested transactions and savepoints.
    depth: usize,
    /// Whether the connection waits for locks of other processes.
    patient: bool,
    /// Counts how a writer's transactions change the numbers of records.
    tally: Option<Box<Tally>>,
    /// Transactions that have ended as savepoints of the open one, and wait for its commit.
    shared: Vec<Committed>,
    /// See [`take_repeats`](Self::take_repeats).
    repeats: u64,
    /// The totals that a reader's connection has seen.
    seen: SeenTotals,
    /// The slow statements of the connection's slots.
    long: Option<Arc<LongStatements>>,
    /// The plans of the database's statements that were seen.
    plans: Option<Arc<SeenPlans>>,
}

impl Open {
    /// Opens a connection.
    pub(in crate::sqlite::embedded) fn at(location: &Location, purpose: Purpose) -> Result<Self, Error> {
        let sqlite = location.open()?;
        sqlite.busy_timeout(BUSY_TIMEOUT)?;
        sqlite.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        // An unknown name in double quotes is an error and not a text, also in the program's own SQL.
        for option in [DbConfig::SQLITE_DBCONFIG_DQS_DML, DbConfig::SQLITE_DBCONFIG_DQS_DDL] {
            sqlite.set_db_config(option, false)?;
        }
        sqlite.execute_batch(PRAGMAS)?;
        sqlite.execute_batch(purpose.cache())?;
        if purpose == Purpose::Read {
            // Only readers map: the writer's pages are mostly in the write-ahead log, which is never mapped.
            mapping::map(&sqlite, location)?;
        }
        matches::add_to(&sqlite)?;
        let control = Control::new();
        let check = control.clone();
        sqlite.progress_handler(INSTRUCTIONS_BETWEEN_CHECKS, Some(move || check.check()))?;
        Ok(Self {
            sqlite,
            control,
            depth: 0,
            patient: true,
            tally: None,
            shared: Vec::new(),
            repeats: 0,
            seen: SeenTotals::default(),
            long: None,
            plans: None,
        })
    }

    /// Counts the changes of the connection.
    pub(in crate::sqlite::embedded) fn with_tally(self, totals: Arc<Totals>) -> Self {
        Self { tally: Some(Box::new(Tally::new(totals))), ..self }
    }

    /// Times the connection's statements that are expected to be slow.
    pub(in crate::sqlite::embedded) fn with_long_statements(self, long: Arc<LongStatements>) -> Self {
        Self { long: Some(long), ..self }
    }

    /// Notes the plans of the connection's statements.
    pub(in crate::sqlite::embedded) fn with_plans(self, plans: Arc<SeenPlans>) -> Self {
        Self { plans: Some(plans), ..self }
    }

    /// Stops counting changes until the connection is [reset](Self::reset), as scripts change tables.
    #[cfg(feature = "migrations")]
    pub(in crate::sqlite::embedded) fn pause_tally(&mut self) {
        if let Some(tally) = &mut self.tally {
            tally.pause(&self.sqlite);
        }
    }

    /// The underlying connection.
    pub(in crate::sqlite::embedded) const fn sqlite(&self) -> &rusqlite::Connection {
        &self.sqlite
    }

    /// Whether the database has no file.
    pub(in crate::sqlite::embedded) fn has_no_file(&self) -> bool {
        self.sqlite.path().is_none_or(str::is_empty)
    }

    /// Whether the database cannot be written. SQLite opens a file read-only if it may not write it.
    pub(in crate::sqlite::embedded) fn is_read_only(&self) -> Result<bool, Error> {
        Ok(self.sqlite.is_readonly("main")?)
    }

    /// Turns on write-ahead logging, in which readers and the writer do not wait for each other. The file keeps the mode.
    ///
    /// Switching needs an exclusive lock, for which SQLite does not wait: if several processes start at once, some of
    /// them retry.
    pub(in crate::sqlite::embedded) fn write_ahead(&self) -> Result<(), Error> {
        let deadline = Instant::now() + BUSY_TIMEOUT;
        loop {
            let changed = self.sqlite.query_row("PRAGMA journal_mode = WAL", (), |_| Ok(())).map_err(Error::from);
            match changed {
                Err(error) if details(&error).is_some_and(Details::is_busy) && Instant::now() < deadline => {
                    std::thread::sleep(WAL_RETRY);
                }
                changed => return changed,
            }
        }
    }

    /// Writes some pages and rolls them back. With a small cache, SQLite spills them to the write-ahead log or to the
    /// file before that. The space that they took stays allocated for later changes.
    ///
    /// # Errors
    /// The error of a disk that cannot store the pages.
    pub(in crate::sqlite::embedded) fn probe_disk(&self) -> Result<(), Error> {
        let written = self.sqlite.execute_batch(&format!(
            "PRAGMA cache_size = 10; BEGIN IMMEDIATE; CREATE TABLE crud_disk_probe (filler BLOB); \
             INSERT INTO crud_disk_probe VALUES (zeroblob({PROBE_BYTES}))"
        ));
        // On a full disk, SQLite has rolled back already.
        let ended = if self.sqlite.is_autocommit() { Ok(()) } else { self.sqlite.execute_batch("ROLLBACK") };
        self.sqlite.execute_batch(Purpose::Write.cache())?;
        Ok(written.and(ended)?)
    }

    /// Writes the write-ahead log back to the file and empties it, so that the file alone is the database.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] where another process reads or writes meanwhile.
    pub(in crate::sqlite::embedded) fn checkpoint(&mut self) -> Result<(), AdapterError> {
        self.set_patient(true).map_err(general)?;
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.sqlite.query_row(checkpoint, (), |row| row.get::<_, bool>(0));
        if is_busy.map_err(|error| general(error.into()))? {
            return Err(AdapterError::Unavailable("another process reads or writes the database".into()));
        }
        Ok(())
    }

    /// Lets statements wait for locks of other processes, or fail at once.
    pub(in crate::sqlite::embedded) fn set_patient(&mut self, patient: bool) -> Result<(), Error> {
        if patient != self.patient {
            self.sqlite.busy_timeout(if patient { BUSY_TIMEOUT } else { Duration::ZERO })?;
            self.patient = patient;
        }
        Ok(())
    }

    /// Whether statements wait for locks of other processes.
    pub(in crate::sqlite::embedded) const fn is_patient(&self) -> bool {
        self.patient
    }

    /// The numbers of records that the connection saw last.
    pub(in crate::sqlite::embedded) const fn seen(&mut self) -> &mut SeenTotals {
        &mut self.seen
    }

    /// The control that interrupts the connection's statements.
    pub(in crate::sqlite::embedded) const fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Whether the connection is in a transaction.
    pub(in crate::sqlite::embedded) const fn is_in_transaction(&self) -> bool {
        self.depth > 0
    }

    /// Whether SQLite itself rolled the transaction back.
    pub(in crate::sqlite::embedded) fn is_rolled_back(&self) -> bool {
        self.depth > 0 && self.sqlite.is_autocommit()
    }

    /// Runs a statement to its end, passes each row on, and returns the number of rows that it changed.
    ///
    /// A statement that an interruption for another one has hit runs again where that is safe: if it reads, and has
    /// passed nothing on. Otherwise its transaction is [lost](Error::Lost), if SQLite has rolled it back.
    pub(in crate::sqlite::embedded) fn run<E: From<Error>>(
        &mut self,
        text: &str,
        arguments: &[Argument],
        mut each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), E>,
    ) -> Result<u64, E> {
        // The statement would be committed by itself.
        if self.is_rolled_back() {
            return Err(Error::RolledBack.into());
        }
        trace::statement(text);
        if let Some(tally) = &mut self.tally {
            tally.notice(text);
        }
        let before = self.sqlite.total_changes();
        let expected = self.expected_long(text);
        let mut statement = self.sqlite.prepare_cached(text).map_err(Error::from)?;
        if let Some(plans) = &self.plans {
            plans.notice(&self.sqlite, &statement, text);
        }
        for (index, argument) in arguments.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, argument).map_err(Error::from)?;
        }
        let columns = statement.column_count();
        let mut count = 0;
        loop {
            self.control.begin_statement();
            matches::reset();
            let mut rows = statement.raw_query();
            let failed = loop {
                match rows.next() {
                    Ok(Some(row)) => {
                        count += 1;
                        each(row, columns)?;
                    }
                    Ok(None) => break None,
                    Err(error) => break Some(Error::from(error)),
                }
            };
            drop(rows);
            let Some(error) = failed else { break };
            if self.is_its_own(&error) {
                return Err(error.into());
            }
            if statement.readonly() && count == 0 {
                // The statement has changed nothing, and no row of it was used.
                self.repeats += 1;
            } else if self.is_rolled_back() {
                self.repeats += 1;
                return Err(Error::Lost.into());
            } else {
                return Err(error.into());
            }
        }
        let changed = if statement.readonly() { 0 } else { self.sqlite.changes() };
        if let (Some(long), Some((key, start))) = (&self.long, expected) {
            long.ran(key, count, start.elapsed());
        }
        Ok(if self.sqlite.total_changes() == before { 0 } else { changed })
    }

    /// The start time of a statement that was slow before and now runs without a limit of checks.
    fn expected_long(&self, text: &str) -> Option<(StatementHash, Instant)> {
        let long = self.long.as_ref().filter(|_| !self.control.limits_checks())?;
        let key = StatementHash::of(text);
        long.contain(key).then(|| (key, Instant::now()))
    }

    /// Whether an error belongs to the statement: it is not an interruption, or the statement's own limits or call
    /// caused the interruption.
    fn is_its_own(&self, error: &Error) -> bool {
        let is_interruption = details(error).is_some_and(|details| details.failure() == Failure::Interrupted);
        !is_interruption || self.control.has_interrupted() || self.control.is_held()
    }

    /// Takes the number of statements, since the last call, that an interruption for another statement has hit.
    pub(in crate::sqlite::embedded) fn take_repeats(&mut self) -> u64 {
        std::mem::take(&mut self.repeats)
    }

    /// Runs a statement to its end and returns its rows.
    pub(in crate::sqlite::embedded) fn all(&mut self, text: &str, arguments: &[Argument]) -> Result<Vec<Row>, Error> {
        let mut rows = Vec::new();
        self.run(text, arguments, |row, columns| {
            rows.push(Row::read(row, columns)?);
            Ok::<(), Error>(())
        })?;
        Ok(rows)
    }

    /// Runs statements that bind nothing and return nothing.
    #[cfg(feature = "migrations")]
    pub(in crate::sqlite::embedded) fn script(&self, text: &str) -> Result<(), Error> {
        Ok(self.sqlite.execute_batch(text)?)
    }

    /// Begins a transaction with this statement, or a savepoint within a transaction.
    pub(in crate::sqlite::embedded) fn begin(&mut self, statement: &str) -> Result<(), Error> {
        if self.depth > 0 {
            self.uninterrupted(&format!("SAVEPOINT level_{}", self.depth))?;
            self.depth += 1;
            return Ok(());
        }
        if let Some(tally) = &mut self.tally {
            tally.prepare(&self.sqlite);
        }
        self.uninterrupted(statement)?;
        if let Some(tally) = &mut self.tally {
            tally.start(&self.sqlite);
        }
        self.depth = 1;
        Ok(())
    }

    /// Commits the transaction, or releases its latest savepoint. If the commit fails, the transaction stays open.
    pub(in crate::sqlite::embedded) fn commit(&mut self) -> Result<(), Error> {
        match self.depth {
            0 => return Err(Error::RolledBack),
            1 => self.commit_all()?,
            depth => self.uninterrupted(&format!("RELEASE level_{}", depth - 1))?,
        };
        self.depth -= 1;
        Ok(())
    }

    fn commit_all(&mut self) -> Result<Vec<Row>, Error> {
        let finished = self.tally.as_mut().and_then(|tally| tally.finish(&self.sqlite));
        let committed = self.uninterrupted("COMMIT")?;
        if let (Some(tally), Some(finished)) = (&self.tally, &finished) {
            tally.committed(&self.sqlite, finished);
        }
        Ok(committed)
    }

    /// Rolls the transaction back; or rolls back to its latest savepoint and removes that.
    pub(in crate::sqlite::embedded) fn rollback(&mut self) -> Result<(), Error> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        if depth == 0 || self.sqlite.is_autocommit() {
            return Ok(());
        }
        // An interruption meant for the last statement must not hit the next one.
        self.control.limit(None);
        if depth == 1 {
            self.uninterrupted("ROLLBACK")?;
        } else {
            self.uninterrupted(&format!("ROLLBACK TO level_{}", depth - 1))?;
            self.uninterrupted(&format!("RELEASE level_{}", depth - 1))?;
        }
        Ok(())
    }

    /// Ends the savepoint of a transaction that shares its commit, and keeps or undoes its changes. Returns `None` if
    /// there is no commit to wait for.
    pub(in crate::sqlite::embedded) fn join_commit(&mut self, keep: bool) -> Result<Option<CommitToCome>, Error> {
        if self.is_rolled_back() {
            return match self.has_shared() {
                true => Err(Error::Lost),
                false if keep => Err(Error::RolledBack),
                false => Ok(None),
            };
        }
        if keep {
            self.commit()?;
        } else {
            self.rollback()?;
        }
        if !keep && self.shared.is_empty() {
            return Ok(None);
        }
        let (sender, receiver) = oneshot::channel();
        self.shared.push(sender);
        Ok(Some(CommitToCome { is_first: self.shared.len() == 1, done: receiver }))
    }

    /// Whether transactions wait for the commit of the open one.
    pub(in crate::sqlite::embedded) const fn has_shared(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Number of transactions that wait for the shared commit.
    pub(in crate::sqlite::embedded) const fn shared(&self) -> usize {
        self.shared.len()
    }

    /// Commits the transactions that wait for the shared commit. `notice` gets the result.
    pub(in crate::sqlite::embedded) fn commit_shared(&mut self, notice: impl FnOnce(&Result<(), AdapterError>)) {
        let committed =
            if self.is_rolled_back() { Err(Error::Lost) } else { self.set_patient(true).and_then(|()| self.commit()) };
        let committed = committed.map_err(translate_commit);
        notice(&committed);
        let mut waiting = std::mem::take(&mut self.shared);
        match committed {
            Ok(()) => waiting.into_iter().for_each(|one| drop(one.send(Ok(())))),
            Err(error) => {
                // If several transactions waited, each starts over: the one at fault is not known.
                if let (Some(one), true) = (waiting.pop(), waiting.is_empty()) {
                    drop(one.send(Err(error)));
                }
                // If the rollback fails, the connection is closed when it is reset.
                let _ = self.rollback();
            }
        }
    }

    /// Undoes the changes of a transaction that shares its commit and was dropped. Returns whether the other
    /// transactions can go on.
    pub(in crate::sqlite::embedded) fn leave_shared(&mut self) -> bool {
        while self.depth > 1 && !self.is_rolled_back() {
            if self.rollback().is_err() {
                return false;
            }
        }
        self.has_shared() && self.depth == 1 && !self.is_rolled_back()
    }

    /// Runs a statement that begins or ends a transaction, without interruptions. SQLite counts a cached statement's
    /// instructions over all its runs: one in some hundred `BEGIN`s would be interrupted after it has taken effect.
    fn uninterrupted(&mut self, text: &str) -> Result<Vec<Row>, Error> {
        let control = self.control.clone();
        let _held = control.hold();
        self.all(text, &[])
    }

    /// Makes the connection ready for its next use, without a transaction or a deadline. Returns whether that
    /// succeeded.
    pub(in crate::sqlite::embedded) fn reset(&mut self) -> bool {
        self.control.arm(None);
        self.depth = 0;
        // Dropping their senders tells these transactions that they are lost.
        self.shared.clear();
        if let Some(tally) = &mut self.tally {
            tally.resume();
        }
        self.sqlite.is_autocommit() || self.sqlite.execute_batch("ROLLBACK").is_ok()
    }
}

impl ToSql for Argument {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => Cell::Null,
            Self::Integer(value) => Cell::Integer(*value),
            Self::Real(value) => Cell::Real(*value),
            Self::Text(value) => Cell::Text(value.as_bytes()),
            Self::Blob(value) => Cell::Blob(value),
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::sqlite::embedded::connection::control::CancelOnDrop;

    #[test]
    fn nothing_interrupts_the_begin_and_the_end_of_a_transaction() {
        let mut open = Open::at(&Location::of_url("sqlite::memory:").unwrap(), Purpose::Read).unwrap();
        open.control().arm_for(1, Duration::ZERO);
        for _ in 0..INSTRUCTIONS_BETWEEN_CHECKS {
            open.begin("BEGIN").unwrap();
            open.begin("BEGIN").unwrap();
            open.commit().unwrap();
            open.commit().unwrap();
        }
        drop(CancelOnDrop::new(open.control()));
        let endless = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t";
        open.begin("BEGIN").unwrap();
        assert!(open.all(endless, &[]).is_err(), "another statement is");
        open.rollback().unwrap();
        assert!(open.sqlite().is_autocommit());
    }
    /// A statement of some tenths of a second, which the connection's own handle interrupts meanwhile.
    fn interrupted<T>(open: &mut Open, run: impl FnOnce(&mut Open) -> T) -> T {
        let handle = open.sqlite().get_interrupt_handle();
        let interrupt = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            handle.interrupt();
        });
        let result = run(open);
        interrupt.join().unwrap();
        result
    }

    const LONG: &str = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 2000000)";

    #[test]
    fn a_read_is_run_again_after_an_interruption_that_is_not_its_own() {
        let mut open = Open::at(&Location::of_url("sqlite::memory:").unwrap(), Purpose::Read).unwrap();
        let rows = interrupted(&mut open, |open| open.all(&format!("{LONG} SELECT count(*) FROM t"), &[]));
        assert_eq!(rows.unwrap().len(), 1);
        assert_eq!((open.take_repeats(), open.take_repeats()), (1, 0));
    }

    #[test]
    fn a_write_starts_over_after_an_interruption_that_is_not_its_own() {
        let mut open = Open::at(&Location::of_url("sqlite::memory:").unwrap(), Purpose::Read).unwrap();
        open.all("CREATE TABLE numbers (number INTEGER)", &[]).unwrap();
        let insert = format!("INSERT INTO numbers {LONG} SELECT i FROM t");
        open.begin("BEGIN IMMEDIATE").unwrap();
        let written = interrupted(&mut open, |open| open.all(&insert, &[]));
        assert!(matches!(written, Err(Error::Lost)));
        assert!(open.is_rolled_back());
        open.rollback().unwrap();
        // Outside of a transaction, it is unknown whether the change was stored.
        let written = interrupted(&mut open, |open| open.all(&insert, &[]));
        assert!(matches!(written, Err(Error::Sqlite(_))));
        assert_eq!(open.take_repeats(), 1);
    }
}
