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
    /// SQLite itself rolled the transaction back, as after an interrupted statement or on a full disk.
    #[error("the transaction was rolled back by an earlier failure")]
    RolledBack,
    /// The transaction must start over: the commit that it shared with others failed, or an interruption for another
    /// call reached it.
    #[error("the transaction was rolled back because of another one")]
    Lost,
}

/// Translates an error of a statement on the resource's table.
pub(super) fn translate(resource: &'static Descriptor, error: Error) -> AdapterError {
    details(&error).and_then(|details| refusal(resource, details)).unwrap_or_else(|| general(error))
}

/// Translates an error of a delete: if a constraint refuses it, a record refers to the deleted one.
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

/// Whether a transaction must start over because of other transactions.
pub(super) fn is_lost(error: &AdapterError) -> bool {
    let AdapterError::Unavailable(source) = error else { return false };
    matches!(source.downcast_ref::<Error>(), Some(Error::Lost))
}

/// SQLite's error, if it is one.
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
