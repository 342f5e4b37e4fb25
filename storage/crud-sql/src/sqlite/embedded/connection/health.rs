//! [`Health`]: whether the database's file is there and can be written, as far as it is known.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::adapter_error::AdapterError;
use crate::sqlite::embedded::connection::location::{FileIdentity, Location};
use crate::sqlite::embedded::connection::open::Open;
use crate::sqlite::embedded::error::{general, is_of_disk};

/// The health of a database's file.
#[derive(Debug)]
pub(in crate::sqlite::embedded) struct Health {
    location: Location,
    /// The file when it was opened; none of a database in memory.
    opened: Option<FileIdentity>,
    /// Whether the last change failed because of the disk.
    failed: AtomicBool,
}

impl Health {
    /// Health of a file that is open.
    pub(in crate::sqlite::embedded) fn new(location: Location) -> Self {
        let opened = location.identity().ok().flatten();
        Self { location, opened, failed: AtomicBool::new(false) }
    }

    /// Notices whether the disk took a change.
    pub(in crate::sqlite::embedded) fn notice<T>(&self, change: &Result<T, AdapterError>) {
        let failed = change.as_ref().err().is_some_and(is_of_disk);
        // A change that was refused for another reason says nothing of the disk.
        if failed || change.is_ok() && self.has_failed() {
            self.failed.store(failed, Ordering::Relaxed);
        }
    }

    /// Whether the last change failed because of the disk: only a change tells whether that is over.
    pub(in crate::sqlite::embedded) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Requires that the file is there which was opened: what is written to a removed one is lost with the process.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`].
    pub(in crate::sqlite::embedded) fn check_file(&self) -> Result<(), AdapterError> {
        match self.location.identity() {
            Ok(file) if file == self.opened => Ok(()),
            Ok(_) => Err(AdapterError::Unavailable("another file has replaced that of the database".into())),
            Err(error) => Err(AdapterError::Unavailable(error.into())),
        }
    }

    /// Writes to the file, without a change.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] while the disk takes nothing.
    pub(in crate::sqlite::embedded) fn probe(open: &mut Open) -> Result<(), AdapterError> {
        let version: i64 = open
            .sqlite()
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| general(error.into()))?;
        // The same version again is a page that is written.
        let write = open.sqlite().execute_batch(&format!("PRAGMA user_version = {version}"));
        write.map_err(|error| general(error.into()))
    }
}
