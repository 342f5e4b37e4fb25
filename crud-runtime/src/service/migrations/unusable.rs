//! The error of a directory that cannot be used.

use std::fmt::Display;
use std::path::Path;

use crate::storage::migrate_error::MigrateError;

/// [`MigrateError::Directory`] for a reason.
pub(super) fn unusable(path: &Path, reason: &dyn Display) -> MigrateError {
    MigrateError::Directory { directory: path.to_owned(), reason: reason.to_string() }
}
