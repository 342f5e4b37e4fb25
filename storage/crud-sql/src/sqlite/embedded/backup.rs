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
    /// Copies a snapshot of the database into a new file, while the database is read and written. The copy gets its
    /// name only when it is complete.
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
    /// When the file exists or cannot be written, or while another copy to the same file is made.
    pub async fn backup(&self, file: impl Into<PathBuf>) -> Result<(), AdapterError> {
        let file = file.into();
        let mut lease = self.connections.readers.acquire().await?;
        let copied = spawn_blocking(move || copy(lease.open().map_err(general)?.sqlite(), &file)).await;
        copied.map_err(|error| AdapterError::Other(error.into()))?
    }
}

fn copy(from: &Connection, file: &Path) -> Result<(), AdapterError> {
    let failed = |file: &Path, error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::AlreadyExists if error.get_ref().is_none() => {
                "it exists, and a copy replaces no file: name another one, or remove it".to_owned()
            }
            _ => error.to_string(),
        };
        AdapterError::Other(io::Error::new(error.kind(), format!("cannot create {}: {reason}", file.display())).into())
    };
    if file.exists() {
        return Err(failed(file, io::ErrorKind::AlreadyExists.into()));
    }
    let mut name = OsString::from(file);
    name.push(".part");
    let part = PathBuf::from(name);
    if let Err(error) = fs::File::create_new(&part) {
        let error = match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::new(
                error.kind(),
                "another copy is being written to it, or one did not end: then remove the file",
            ),
            _ => error,
        };
        return Err(failed(&part, error));
    }
    let copied = pages(from, &part).map_err(general);
    let named = copied.and_then(|()| name_new(&part, file).map_err(|error| failed(file, error)));
    drop(fs::remove_file(&part));
    named
}

/// Renames a file to a name that must not exist yet; the name survives a loss of power.
fn name_new(part: &Path, file: &Path) -> io::Result<()> {
    match fs::hard_link(part, file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        // The file system has no hard links.
        Err(_) => fs::rename(part, file)?,
        Ok(()) => {}
    }
    #[cfg(unix)]
    if let Some(directory) = file.parent() {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        // A process that may write into a directory need not be allowed to read it.
        if let Ok(directory) = fs::File::open(directory) {
            directory.sync_all()?;
        }
    }
    Ok(())
}

/// Copies all pages in one step, in a read transaction of the source. Writers meanwhile go on in the write-ahead log.
fn pages(from: &Connection, file: &Path) -> Result<(), Error> {
    let mut to = Connection::open(file)?;
    to.pragma_update(None, "synchronous", "FULL")?;
    let step = Backup::new(from, &mut to)?.step(-1)?;
    if step != StepResult::Done {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(code, None).into());
    }
    // A single file without a write-ahead log, which a service turns on when it opens the file.
    to.query_row("PRAGMA journal_mode = DELETE", (), |_| Ok(()))?;
    Ok(())
}
