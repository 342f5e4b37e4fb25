//! Applying written migrations. Each file and the record that it was applied are one transaction, or steps that can be
//! repeated: a process that is killed at any moment leaves none applied twice, and none lost.
//!
//! The records are those of sqlx's migrator, so that its tools read them.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::ddl::{identifier, text_literal};
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{AppliedMigration, MigrationFile};
use crate::storage::sql::driver::{Connection, Driver};
use crate::storage::sql::statement::{Statement, Text};
use crate::storage::statements::statements;

/// How long to wait between two attempts to take the lock on the history.
const LOCK_INTERVAL: Duration = Duration::from_millis(100);

/// Why a file is not applied that runs in no transaction.
const SEVERAL: &str = "`-- no-transaction` is for a file of one statement, which can be repeated when the process was \
                       killed: write a file for each";

/// Why a file is not applied that ends its transaction.
const ENDS: &str = "the file runs in a transaction with the record that it was applied: it neither begins nor ends one";

/// The number that is recorded of a file of which nothing is reverted yet; below, so many statements more are.
const DOWN: i64 = -1_000_000_000;

/// How a file is applied.
enum Way {
    /// What is between these places, in one transaction with its record.
    Whole(Range<usize>),
    /// The same, between pragmas that have no effect in a transaction.
    Rebuild(Range<usize>),
    /// Statement by statement, each recorded after it: the database commits each by itself, or the only one cannot run in
    /// a transaction.
    Steps(Vec<Range<usize>>),
}

impl Way {
    fn of<D: Driver>(file: &MigrationFile) -> Result<Self, MigrateError> {
        let sql = &file.sql;
        if !D::TRANSACTIONAL_DDL {
            return Ok(Self::Steps(steps(sql)));
        }
        let (way, place) = match inside(sql, D::ALTERATION.frame) {
            Some(place) => (Self::Rebuild as fn(_) -> _, place),
            None if file.in_transaction => (Self::Whole as fn(_) -> _, 0..sql.len()),
            None => match statements(sql, false) {
                one if one.len() == 1 => return Ok(Self::Steps(one)),
                _ => return Err(failed(file, SEVERAL)),
            },
        };
        let text = &sql[place.clone()];
        if statements(text, false).into_iter().any(|one| is_of_transaction(&text[one])) {
            return Err(failed(file, ENDS));
        }
        Ok(way(place))
    }
}

/// The statements of a file between those of its frame, if it has one.
fn inside(sql: &str, (before, after): (&str, &str)) -> Option<Range<usize>> {
    let end = sql.trim_end().strip_suffix(after)?.len();
    (!before.is_empty() && sql.starts_with(before)).then_some(before.len()..end)
}

/// Whether a statement begins or ends a transaction.
fn is_of_transaction(statement: &str) -> bool {
    let word = statement.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default();
    ["BEGIN", "START", "COMMIT", "ROLLBACK"].iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// The statements of a file for MySQL; the body of a trigger or a procedure has semicolons of its own, so that such a
/// statement goes to the end of its file.
fn steps(sql: &str) -> Vec<Range<usize>> {
    let mut all = statements(sql, true);
    let has_body = |place: &Range<usize>| {
        let mut words = sql[place.clone()].split_whitespace().map(str::to_ascii_uppercase).take(8);
        words.next().is_some_and(|word| word == "CREATE")
            && words.any(|word| ["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"].contains(&&*word))
    };
    if let Some(index) = all.iter().position(has_body) {
        let last = all.last().map_or(sql.len(), |last| last.end);
        all[index].end = last;
        all.truncate(index + 1);
    }
    all
}

/// Which way a file changes the database: what is recorded of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

impl Direction {
    /// The number that is recorded of a file of which so many statements have run: negative, as no time is.
    fn progress(self, done: usize) -> i64 {
        let done = i64::try_from(done).unwrap_or(i64::MAX / 2);
        match self {
            // -1 is what sqlx's migrator records.
            Self::Up => -2 - done,
            Self::Down => DOWN - done,
        }
    }

    /// The statements that have run by a recorded number; `None` for one of the other direction, and for other programs'.
    fn done(self, progress: i64) -> Option<usize> {
        let done = match self {
            Self::Up if progress > DOWN => -2 - progress,
            Self::Up => return None,
            Self::Down => DOWN - progress,
        };
        usize::try_from(done).ok()
    }

    /// Records a file that begins to run.
    fn begun<D: Driver>(self, file: &MigrationFile) -> String {
        match self {
            Self::Up => insert::<D>(file, false, self.progress(0)),
            Self::Down => set(file, false, self.progress(0)),
        }
    }

    /// Records a file that has run since it was recorded.
    fn ended(self, file: &MigrationFile, start: Instant) -> String {
        match self {
            Self::Up => set(file, true, nanoseconds(start)),
            Self::Down => delete(file),
        }
    }

    /// Records a file that has run.
    fn whole<D: Driver>(self, file: &MigrationFile, start: Instant) -> String {
        match self {
            Self::Up => insert::<D>(file, true, nanoseconds(start)),
            Self::Down => delete(file),
        }
    }
}

fn insert<D: Driver>(file: &MigrationFile, success: bool, execution_time: i64) -> String {
    let mut checksum = String::with_capacity(2 * file.checksum.len());
    for byte in &file.checksum {
        // Writing to a String cannot fail.
        let _ = write!(checksum, "{byte:02x}");
    }
    let (description, checksum) = (text_literal(&file.description), (D::BYTES)(&checksum));
    format!(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES ({}, {description}, {success}, {checksum}, {execution_time})",
        file.version
    )
}

fn set(file: &MigrationFile, success: bool, execution_time: i64) -> String {
    let version = file.version;
    format!(
        "UPDATE _sqlx_migrations SET success = {success}, execution_time = {execution_time} WHERE version = {version}"
    )
}

fn delete(file: &MigrationFile) -> String {
    format!("DELETE FROM _sqlx_migrations WHERE version = {}", file.version)
}

fn nanoseconds(start: Instant) -> i64 {
    i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX)
}

/// Reads the records of a database.
type Applied<D> = for<'a> fn(&'a mut Connection<D>) -> BoxFuture<'a, Result<Vec<AppliedMigration>, MigrateError>>;

/// Applies the migrations that the database lacks.
pub(crate) async fn apply<D: Driver>(
    connection: &mut Connection<D>,
    migrations: &[MigrationFile],
    applied: Applied<D>,
) -> Result<(), MigrateError> {
    lock::<D>(connection).await?;
    run::<D>(connection, D::CREATE_HISTORY.to_owned()).await?;
    let applied = applied(connection).await?;
    // What is wrong with a file is told before the first one is applied.
    let mut pending = Vec::new();
    for file in pending_files(migrations, &applied)? {
        pending.push((file, Way::of::<D>(file)?));
    }
    for (file, way) in pending {
        let begun = applied.iter().any(|one| one.version == file.version);
        migrate::<D>(connection, file, way, Direction::Up, begun).await?;
    }
    Ok(())
}

/// Reverts an applied migration by the statements of its `….down.sql`.
pub(crate) async fn revert<D: Driver>(
    connection: &mut Connection<D>,
    down: &MigrationFile,
    applied: Applied<D>,
) -> Result<(), MigrateError> {
    lock::<D>(connection).await?;
    let applied = applied(connection).await?;
    // Another process may have reverted it while this one waited.
    let Some(one) = applied.iter().find(|one| one.version == down.version) else { return Ok(()) };
    migrate::<D>(connection, down, Way::of::<D>(down)?, Direction::Down, !one.complete).await
}

/// The files that are not applied as a whole.
fn pending_files<'a>(
    migrations: &'a [MigrationFile],
    applied: &[AppliedMigration],
) -> Result<Vec<&'a MigrationFile>, MigrateError> {
    let mut pending: Vec<&MigrationFile> = migrations.iter().collect();
    for one in applied {
        let version = one.version.to_string();
        let Some(file) = migrations.iter().find(|file| file.version == one.version) else {
            return Err(MigrateError::Ahead(vec![version]));
        };
        match (one.complete, file.checksum == one.checksum) {
            (true, true) => pending.retain(|file| file.version != one.version),
            (true, false) => return Err(MigrateError::Changed(vec![version])),
            (false, true) => {}
            // What has run of it is not known any more.
            (false, false) => return Err(MigrateError::Interrupted(version)),
        }
    }
    Ok(pending)
}

/// Runs a file and records it. `begun`: whether it is recorded as begun.
async fn migrate<D: Driver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    way: Way,
    direction: Direction,
    begun: bool,
) -> Result<(), MigrateError> {
    let mut done = None;
    if begun {
        let progress = number::<D>(connection, "SELECT execution_time", file).await?;
        done = progress.and_then(|progress| direction.done(progress));
        if done.is_none() {
            return Err(MigrateError::Interrupted(file.version.to_string()));
        }
    }
    let (set, reset) = D::ALTERATION.pragmas;
    match way {
        // Another program began it, in no transaction.
        Way::Whole(_) | Way::Rebuild(_) if begun => Err(MigrateError::Interrupted(file.version.to_string())),
        Way::Whole(place) => whole::<D>(connection, file, place, direction).await,
        Way::Rebuild(place) => {
            run::<D>(connection, set.to_owned()).await?;
            let migrated = whole::<D>(connection, file, place, direction).await;
            let restored = run::<D>(connection, reset.to_owned()).await;
            migrated.and(restored)
        }
        Way::Steps(steps) => by_steps::<D>(connection, file, &steps, direction, done).await,
    }
}

/// Runs a part of a file in one transaction with its record.
async fn whole<D: Driver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    place: Range<usize>,
    direction: Direction,
) -> Result<(), MigrateError> {
    D::begin(connection, D::BEGIN).await.map_err(D::general)?;
    match within::<D>(connection, file, place, direction).await {
        Ok(()) => D::commit(connection).await.map_err(|error| failed(file, &D::message(&error))),
        Err(error) => {
            // The error says more than that of a rollback.
            drop(D::rollback(connection).await);
            Err(error)
        }
    }
}

async fn within<D: Driver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    place: Range<usize>,
    direction: Direction,
) -> Result<(), MigrateError> {
    let start = Instant::now();
    // Where there is no lock on the history, another process may have done so before this transaction began.
    let is_recorded = number::<D>(connection, "SELECT version", file).await?.is_some();
    if is_recorded == (direction == Direction::Up) {
        return Ok(());
    }
    let ran = D::script(connection, file.sql[place].to_owned()).await;
    ran.map_err(|error| failed(file, &D::message(&error)))?;
    run::<D>(connection, direction.whole::<D>(file, start)).await
}

/// Runs statements one after another, after those that have run, and records each. One that changes records is in a
/// transaction with its record; one that changes tables commits by itself, and where the process was killed before its
/// record, its repetition finds that it is done.
async fn by_steps<D: Driver>(
    connection: &mut Connection<D>,
    file: &MigrationFile,
    steps: &[Range<usize>],
    direction: Direction,
    done: Option<usize>,
) -> Result<(), MigrateError> {
    let start = Instant::now();
    if done.is_none() {
        run::<D>(connection, direction.begun::<D>(file)).await?;
    }
    for (index, place) in steps.iter().enumerate().skip(done.unwrap_or_default()) {
        let statement = &file.sql[place.clone()];
        if !D::TRANSACTIONAL_DDL {
            run::<D>(connection, "START TRANSACTION".to_owned()).await?;
        }
        D::prepare_repetition(connection, statement).await.map_err(D::general)?;
        if let Err(error) = D::script(connection, statement.to_owned()).await
            && !(done == Some(index) && is_one(statement) && D::is_done(&error))
        {
            // The error says more than one of what follows.
            drop(D::prepare_repetition(connection, statement).await);
            if !D::TRANSACTIONAL_DDL {
                drop(D::script(connection, "ROLLBACK".to_owned()).await);
            }
            return Err(failed(file, &D::message(&error)));
        }
        if !D::TRANSACTIONAL_DDL {
            run::<D>(connection, set(file, false, direction.progress(index + 1))).await?;
            run::<D>(connection, "COMMIT".to_owned()).await?;
        }
    }
    run::<D>(connection, direction.ended(file, start)).await
}

/// Whether a step is one statement: of several, one that is done says nothing about the others.
fn is_one(statement: &str) -> bool {
    statements(statement, true).len() == 1
}

/// Waits for the lock on the history, where the database has one. An attempt that waited in the database would be a
/// transaction for which an index that is created concurrently waits in turn.
async fn lock<D: Driver>(connection: &mut Connection<D>) -> Result<(), MigrateError> {
    let Some(text) = D::LOCK_HISTORY else { return Ok(()) };
    loop {
        let rows = D::all(connection, Statement::fixed(text, Vec::new())).await.map_err(D::general)?;
        let taken = rows.first().map(|row| D::number_in(row, 0)).transpose().map_err(D::general)?;
        if taken == Some(1) {
            return Ok(());
        }
        sleep(LOCK_INTERVAL).await;
    }
}

/// A number of the record of a file, if there is one.
async fn number<D: Driver>(
    connection: &mut Connection<D>,
    select: &str,
    file: &MigrationFile,
) -> Result<Option<i64>, MigrateError> {
    let text = Text::Assembled(format!("{select} FROM _sqlx_migrations WHERE version = {}", file.version));
    let statement = Statement { text, arguments: Vec::new(), then: None };
    let rows = D::all(connection, statement).await.map_err(D::general)?;
    let number = rows.first().map(|row| D::number_in(row, 0)).transpose().map_err(D::general)?;
    Ok(number)
}

/// The number of the records of a table, or of those with a value of a column; `None` where there is no such thing.
pub(crate) async fn records<D: Driver>(
    connection: &mut Connection<D>,
    table: &str,
    column: Option<&str>,
) -> Result<Option<u64>, MigrateError> {
    let Some(present) = D::table(connection, table).await.map_err(D::general)? else { return Ok(None) };
    if column.is_some_and(|name| !present.columns.iter().any(|one| (D::TABLES.is_same_name)(&one.name, name))) {
        return Ok(None);
    }
    let counted = column.map_or_else(|| "*".to_owned(), identifier::<D>);
    let text = Text::Assembled(format!("SELECT COUNT({counted}) FROM {}", identifier::<D>(table)));
    let rows = D::all(connection, Statement { text, arguments: Vec::new(), then: None }).await.map_err(D::general)?;
    let number = rows.first().map(|row| D::number_in(row, 0)).transpose().map_err(D::general)?;
    Ok(number.and_then(|number| u64::try_from(number).ok()))
}

/// Runs statements of ours.
async fn run<D: Driver>(connection: &mut Connection<D>, text: String) -> Result<(), MigrateError> {
    D::script(connection, text).await.map_err(|error| D::general(error).into())
}

fn failed(file: &MigrationFile, reason: &str) -> MigrateError {
    MigrateError::Failed { name: file.version.to_string(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_as_it_is_written() {
        for (direction, other) in [(Direction::Up, Direction::Down), (Direction::Down, Direction::Up)] {
            for done in [0, 1, 70_000] {
                let progress = direction.progress(done);
                assert_eq!((direction.done(progress), other.done(progress)), (Some(done), None), "{direction:?}");
            }
            assert_eq!(direction.done(-1), None, "another program's");
            assert_eq!(direction.done(7), None, "a time");
        }
    }

    #[test]
    fn what_is_in_a_frame_is_told_by_both_ends() {
        let frame = ("-- begin\n", "-- end");
        assert_eq!(inside("-- begin\nSELECT 1;\n-- end\n", frame), Some(9..19));
        assert_eq!(inside("-- begin\nSELECT 1;\n", frame), None);
        assert_eq!(inside("SELECT 1;", ("", "")), None);
    }

    #[test]
    fn statements_of_transactions_are_told_by_their_first_word() {
        assert!(is_of_transaction("commit") && is_of_transaction("BEGIN IMMEDIATE") && is_of_transaction("Start x"));
        assert!(!is_of_transaction("CREATE TABLE commit (a)") && !is_of_transaction("committed"));
    }

    #[test]
    fn a_body_of_several_statements_is_one_step() {
        let sql = "SELECT 1; CREATE DEFINER = a TRIGGER b BEGIN x; y; END; SELECT 2;";
        let texts: Vec<&str> = steps(sql).into_iter().map(|place| &sql[place]).collect();
        assert_eq!(texts, ["SELECT 1", "CREATE DEFINER = a TRIGGER b BEGIN x; y; END; SELECT 2"]);
    }
}
