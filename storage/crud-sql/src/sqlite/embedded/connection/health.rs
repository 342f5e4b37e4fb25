//! [`Health`]: whether the database's file exists and can be written, as far as is known.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::adapter_error::AdapterError;
use crate::sqlite::embedded::connection::location::{FileIdentity, Location};

/// The health of a database's file.
#[derive(Debug)]
pub(in crate::sqlite::embedded) struct Health {
    location: Location,
    /// The identity of the file when it was opened; `None` for a database in memory.
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

    /// Notes a change that failed because of the disk. A later success proves nothing, as that change may be smaller.
    pub(in crate::sqlite::embedded) fn notice<T>(&self, change: &Result<T, AdapterError>) {
        if change.as_ref().err().is_some_and(AdapterError::is_of_disk) {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a change has failed because of the disk. Only a [probe](super::open::Open::probe_disk) finds out whether
    /// that is over.
    pub(in crate::sqlite::embedded) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Notes that the disk takes changes again.
    pub(in crate::sqlite::embedded) fn recover(&self) {
        self.failed.store(false, Ordering::Relaxed);
    }

    /// Checks that the opened file still exists: changes to a removed file are lost when the process ends.
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
