//! [`Health`]: whether the database's file is there and can be written, as far as it is known.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::adapter_error::AdapterError;
use crate::sqlite::embedded::connection::location::{FileIdentity, Location};

/// The health of a database's file.
#[derive(Debug)]
pub(in crate::sqlite::embedded) struct Health {
    location: Location,
    /// The file when it was opened; none of a database in memory.
    opened: Option<FileIdentity>,
    /// Whether a change has failed because of the disk, and no probe has succeeded since.
    failed: AtomicBool,
}

impl Health {
    /// Health of a file that is open.
    pub(in crate::sqlite::embedded) fn new(location: Location) -> Self {
        let opened = location.identity().ok().flatten();
        Self { location, opened, failed: AtomicBool::new(false) }
    }

    /// Notices a change that failed because of the disk. One that succeeds later may be smaller: it says nothing of the disk.
    pub(in crate::sqlite::embedded) fn notice<T>(&self, change: &Result<T, AdapterError>) {
        if change.as_ref().err().is_some_and(AdapterError::is_of_disk) {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a change has failed because of the disk: only a [probe](super::open::Open::probe_disk) tells whether that is over.
    pub(in crate::sqlite::embedded) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Notes that the disk takes changes again.
    pub(in crate::sqlite::embedded) fn recover(&self) {
        self.failed.store(false, Ordering::Relaxed);
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
}
