//! SQLite's errors as [`AdapterError`]s (result codes: <https://www.sqlite.org/rescode.html>).

use super::dialect::Sqlite;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::sql::schema::ddl::check_name;

/// Translates an error of a statement on the resource's table. A foreign key's columns are unknown.
pub(super) fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
    let Some((code, message)) = details(&error) else { return general(error) };
    match code {
        CONSTRAINT_UNIQUE | CONSTRAINT_PRIMARYKEY | CONSTRAINT_ROWID => {
            AdapterError::Unique { columns: columns(resource, message) }
        }
        CONSTRAINT_FOREIGNKEY => AdapterError::ReferenceNotFound { columns: Vec::new() },
        CONSTRAINT_TRIGGER if message == FOREIGN_KEY => AdapterError::ReferenceNotFound { columns: Vec::new() },
        CONSTRAINT_NOTNULL | CONSTRAINT_DATATYPE => {
            AdapterError::Constraint { column: columns(resource, message).first().copied() }
        }
        CONSTRAINT_CHECK => AdapterError::Constraint { column: check_column(resource, message) },
        code if matches!(code & PRIMARY, CONSTRAINT | TOO_BIG | MISMATCH) => AdapterError::Constraint { column: None },
        _ => general(error),
    }
}

/// Translates an error of a delete: every constraint that refuses one does so because of a record that refers to it.
pub(super) fn translate_delete(error: sqlx::Error) -> AdapterError {
    match details(&error) {
        Some((code, _)) if code & PRIMARY == CONSTRAINT => AdapterError::Referenced,
        _ => general(error),
    }
}

/// Translates an error that the statement's values did not cause.
pub(super) fn general(error: sqlx::Error) -> AdapterError {
    let code = details(&error).map(|(code, _)| code & PRIMARY);
    match (code, &error) {
        (Some(INTERRUPT), _) => AdapterError::Timeout,
        (Some(BUSY | LOCKED | IO | FULL | CANNOT_OPEN | PROTOCOL), _)
        | (_, sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed) => {
            AdapterError::Unavailable(error.into())
        }
        _ => AdapterError::Other(error.into()),
    }
}

/// Whether the database is locked by another connection.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    details(error).is_some_and(|(code, _)| matches!(code & PRIMARY, BUSY | LOCKED))
}

const PRIMARY: i32 = 0xff;
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const INTERRUPT: i32 = 9;
const IO: i32 = 10;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const PROTOCOL: i32 = 15;
const TOO_BIG: i32 = 18;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const CONSTRAINT_CHECK: i32 = 275;
const CONSTRAINT_FOREIGNKEY: i32 = 787;
const CONSTRAINT_NOTNULL: i32 = 1299;
const CONSTRAINT_PRIMARYKEY: i32 = 1555;
const CONSTRAINT_TRIGGER: i32 = 1811;
const CONSTRAINT_UNIQUE: i32 = 2067;
const CONSTRAINT_ROWID: i32 = 2579;
const CONSTRAINT_DATATYPE: i32 = 3091;

/// The message of the trigger that enforces `ON DELETE RESTRICT`, which is that of a foreign key.
const FOREIGN_KEY: &str = "FOREIGN KEY constraint failed";

/// The extended result code and the message of an error of SQLite's.
fn details(error: &sqlx::Error) -> Option<(i32, &str)> {
    let error = error.as_database_error()?;
    Some((error.code()?.parse().ok()?, error.message()))
}

/// The columns of a message such as `UNIQUE constraint failed: orders.customer, orders.number` or
/// `cannot store TEXT value in INTEGER column orders.number`.
fn columns(resource: &Descriptor, message: &str) -> Vec<usize> {
    let named = |name: &str| {
        let column = name.split_at_checked(resource.table.len()).and_then(|(table, column)| {
            table.eq_ignore_ascii_case(resource.table).then(|| column.strip_prefix('.')).flatten()
        })?;
        resource.columns.iter().position(|other| other.column.eq_ignore_ascii_case(column))
    };
    let list = message
        .split_once("constraint failed: ")
        .or_else(|| message.split_once(" column "))
        .map_or("", |(_, list)| list);
    list.split(", ").filter_map(named).collect()
}

/// The column of a message such as `CHECK constraint failed: check_price`.
fn check_column(resource: &Descriptor, message: &str) -> Option<usize> {
    let (_, name) = message.split_once("constraint failed: ")?;
    resource.columns.iter().position(|column| check_name::<Sqlite>(resource, column) == name)
}
