//! sqlx's errors as [`AdapterError`]s.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::sqlite::error::{Details, Failure, refusal};

/// Translates an error of a statement on the resource's table.
pub(super) fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
    details(&error).and_then(|details| refusal(resource, details)).unwrap_or_else(|| general(error))
}

/// Translates an error of a delete: every constraint that refuses one does so because of a record that refers to it.
pub(super) fn translate_delete(error: sqlx::Error) -> AdapterError {
    details(&error).and_then(Details::refusal_of_delete).unwrap_or_else(|| general(error))
}

/// Translates an error of a commit, which a deferred foreign key refuses.
pub(super) fn translate_commit(error: sqlx::Error) -> AdapterError {
    details(&error).and_then(Details::refusal_of_commit).unwrap_or_else(|| general(error))
}

/// Translates an error that the statement's values did not cause.
pub(super) fn general(error: sqlx::Error) -> AdapterError {
    use sqlx::Error::{Io, PoolClosed, PoolTimedOut, WorkerCrashed};
    let failure = match &error {
        Io(_) | PoolTimedOut | PoolClosed | WorkerCrashed => Failure::Unavailable,
        error => details(error).map_or(Failure::Other, Details::failure),
    };
    failure.error(error.into())
}

/// SQLite's error, if it is one.
fn details(error: &sqlx::Error) -> Option<Details<'_>> {
    let error = error.as_database_error()?;
    Some(Details { code: error.code()?.parse().ok()?, message: error.message() })
}
