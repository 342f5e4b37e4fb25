//! Errors of the connections as [`AdapterError`]s.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::sqlite::error::{Details, Failure, refusal};

/// Error of a statement.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// An earlier call was dropped while it ran, which ended the transaction.
    #[error("the connection was given up with a call that was dropped")]
    GivenUp,
    /// SQLite rolled back by itself, as it does where a statement is interrupted or the disk is full.
    #[error("the transaction was rolled back by an earlier failure")]
    RolledBack,
    /// A transaction that starts over: it shared its commit with others, which failed, or an interruption reached it that
    /// was not its own.
    #[error("the transaction was rolled back because of another one")]
    Lost,
}

/// Translates an error of a statement on the resource's table.
pub(super) fn translate(resource: &'static Descriptor, error: Error) -> AdapterError {
    details(&error).and_then(|details| refusal(resource, details)).unwrap_or_else(|| general(error))
}

/// Translates an error of a delete: every constraint that refuses one does so because of a record that refers to it.
pub(super) fn translate_delete(error: Error) -> AdapterError {
    details(&error).and_then(Details::refusal_of_delete).unwrap_or_else(|| general(error))
}

/// Translates an error of a commit, which a deferred foreign key refuses.
pub(super) fn translate_commit(error: Error) -> AdapterError {
    details(&error).and_then(Details::refusal_of_commit).unwrap_or_else(|| general(error))
}

/// Translates an error that the statement's values did not cause.
pub(super) fn general(error: Error) -> AdapterError {
    let failure = match &error {
        Error::Lost => Failure::Unavailable,
        error => details(error).map_or(Failure::Other, Details::failure),
    };
    failure.error(error.into())
}

/// Whether a transaction starts over, because of others.
pub(super) fn is_lost(error: &AdapterError) -> bool {
    let AdapterError::Unavailable(source) = error else { return false };
    matches!(source.downcast_ref::<Error>(), Some(Error::Lost))
}

/// The error of SQLite's, where it is one.
pub(super) fn details(error: &Error) -> Option<Details<'_>> {
    match error {
        Error::Sqlite(rusqlite::Error::SqliteFailure(error, message)) => {
            Some(Details { code: error.extended_code, message: message.as_deref().unwrap_or_default() })
        }
        Error::Sqlite(rusqlite::Error::SqlInputError { error, msg, .. }) => {
            Some(Details { code: error.extended_code, message: msg })
        }
        _ => None,
    }
}
