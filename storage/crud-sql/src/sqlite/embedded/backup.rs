//! Copies of a database in use.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tokio::task::spawn_blocking;

use super::SqliteAdapter;
use super::error::{Error, general};
use crate::model::adapter_error::AdapterError;

impl SqliteAdapter {
    /// Copies the database into a new file, as it is at one moment, while it is read and written. The copy is complete when
    /// this returns: it has its name only then.
    ///
    /// ```
    /// use crud_runtime::adapter::SqliteAdapter;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// let adapter = SqliteAdapter::connect("sqlite::memory:").await?;
    /// adapter.backup(directory.path().join("monday.db")).await?;
    /// assert!(adapter.backup(directory.path().join("monday.db")).await.is_err(), "no file is replaced");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the file exists, or cannot be written.
    pub async fn backup(&self, file: impl Into<PathBuf>) -> Result<(), AdapterError> {
        let file = file.into();
        let mut lease = self.readers.acquire().await?;
        let copied = spawn_blocking(move || copy(lease.open().map_err(general)?.sqlite(), &file)).await;
        copied.map_err(|error| AdapterError::Other(error.into()))?
    }
}

fn copy(from: &Connection, file: &Path) -> Result<(), AdapterError> {
    let failed = |what: &str, error: io::Error| {
        AdapterError::Other(io::Error::new(error.kind(), format!("{what} {}: {error}", file.display())).into())
    };
    if file.exists() {
        return Err(failed("cannot create", io::ErrorKind::AlreadyExists.into()));
    }
    let mut name = OsString::from(file);
    name.push(".part");
    let part = PathBuf::from(name);
    // What an earlier copy left that did not end.
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("cannot write beside", error)),
        _ => {}
    }
    let copied = pages(from, &part).map_err(general);
    if copied.is_err() {
        drop(fs::remove_file(&part));
        return copied;
    }
    fs::rename(&part, file).map_err(|error| failed("cannot create", error))
}

/// Copies every page in one step, in a read transaction of the source: writers go on in the write-ahead log.
fn pages(from: &Connection, file: &Path) -> Result<(), Error> {
    let mut to = Connection::open(file)?;
    to.pragma_update(None, "synchronous", "FULL")?;
    let step = Backup::new(from, &mut to)?.step(-1)?;
    if step != StepResult::Done {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(code, None).into());
    }
    // A file for itself, without a log beside it; a service that opens it turns the log on.
    to.query_row("PRAGMA journal_mode = DELETE", (), |_| Ok(()))?;
    Ok(())
}
