//! SQLite's errors as [`AdapterError`]s (result codes: <https://www.sqlite.org/rescode.html>).

use super::dialect::Sqlite;
use crate::model::adapter_error::{AdapterError, BoxError};
use crate::model::descriptor::Descriptor;
use crate::raised::raised;
use crate::schema::ddl::check_name;

/// An error of SQLite: its extended result code and its message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Details<'e> {
    pub(super) code: i32,
    pub(super) message: &'e str,
}

/// Meaning of an error that the statement's values did not cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The statement was interrupted.
    Interrupted,
    /// The database is unavailable: a retry may help later.
    Unavailable,
    /// The disk is full or fails, or the file is gone: a retry may help later.
    Disk,
    /// The database was opened for reads only, or its file cannot be written.
    ReadOnly,
    /// A table does not exist.
    MissingTable,
    /// A table lacks a column.
    Unfit,
    Other,
}

impl Failure {
    /// The error for storage, with its source.
    pub(super) fn error(self, source: BoxError) -> AdapterError {
        match self {
            Self::Interrupted => AdapterError::Timeout,
            Self::Unavailable => AdapterError::Unavailable(source),
            Self::Disk => AdapterError::of_disk(source),
            Self::ReadOnly => AdapterError::Denied { of_record: false, source },
            Self::MissingTable => AdapterError::MissingTable(source),
            Self::Unfit => AdapterError::Unfit(source),
            Self::Other => AdapterError::Other(source),
        }
    }
}

/// Translates an error of a statement on the resource's table, if a value caused it. A foreign key's columns are unknown.
pub(super) fn refusal(resource: &'static Descriptor, details: Details<'_>) -> Option<AdapterError> {
    let Details { code, message } = details;
    Some(match code {
        CONSTRAINT_UNIQUE | CONSTRAINT_PRIMARYKEY | CONSTRAINT_ROWID => match index_with_expressions(message) {
            Some(index) => AdapterError::UniqueIndex { index },
            None => AdapterError::Unique { columns: columns(resource, message) },
        },
        CONSTRAINT_FOREIGNKEY => AdapterError::ReferenceNotFound { columns: Vec::new() },
        CONSTRAINT_TRIGGER if message == FOREIGN_KEY => AdapterError::ReferenceNotFound { columns: Vec::new() },
        CONSTRAINT_TRIGGER => raised(message),
        // The column belongs to no field.
        CONSTRAINT_NOTNULL if columns(resource, message).is_empty() => AdapterError::Unfit(message.into()),
        CONSTRAINT_NOTNULL | CONSTRAINT_DATATYPE => {
            AdapterError::Constraint { column: columns(resource, message).first().copied() }
        }
        CONSTRAINT_CHECK => AdapterError::Constraint { column: check_column(resource, message) },
        code if matches!(code & PRIMARY, CONSTRAINT | TOO_BIG | MISMATCH) => AdapterError::Constraint { column: None },
        _ => return None,
    })
}

impl Details<'_> {
    /// The refusal of a delete, by a trigger or because a record refers to the deleted one.
    pub(super) fn refusal_of_delete(self) -> Option<AdapterError> {
        match self.code {
            CONSTRAINT_TRIGGER if self.message != FOREIGN_KEY => Some(raised(self.message)),
            code if code & PRIMARY == CONSTRAINT => Some(AdapterError::Referenced),
            _ => None,
        }
    }

    /// The refusal of a commit, by a deferred foreign key.
    pub(super) fn refusal_of_commit(self) -> Option<AdapterError> {
        (self.code == CONSTRAINT_FOREIGNKEY).then(|| AdapterError::ReferenceNotFound { columns: Vec::new() })
    }

    /// Whether the database is locked by another connection.
    pub(super) const fn is_busy(self) -> bool {
        matches!(self.code & PRIMARY, BUSY | LOCKED)
    }

    /// The meaning of an error that is not about values.
    pub(super) fn failure(self) -> Failure {
        match self.code & PRIMARY {
            INTERRUPT => Failure::Interrupted,
            IO | FULL | CANNOT_OPEN => Failure::Disk,
            BUSY | LOCKED | PROTOCOL => Failure::Unavailable,
            _ if self.code == MOVED => Failure::Disk,
            READ_ONLY => Failure::ReadOnly,
            ERROR if self.message.starts_with("no such table") => Failure::MissingTable,
            ERROR if self.message.starts_with("no such column") || self.message.contains(" has no column named ") => {
                Failure::Unfit
            }
            _ => Failure::Other,
        }
    }
}

const PRIMARY: i32 = 0xff;
const ERROR: i32 = 1;
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READ_ONLY: i32 = 8;
const INTERRUPT: i32 = 9;
const IO: i32 = 10;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const PROTOCOL: i32 = 15;
/// The file was moved or removed.
const MOVED: i32 = 1032;
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

/// The message of the trigger that enforces `ON DELETE RESTRICT`, the same as that of a foreign key.
const FOREIGN_KEY: &str = "FOREIGN KEY constraint failed";

/// The columns in a message such as `UNIQUE constraint failed: orders.customer, orders.number` or `cannot store TEXT
/// value in INTEGER column orders.number`.
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

/// The index in a message such as `UNIQUE constraint failed: index 'one_address'`: such an index has expressions.
fn index_with_expressions(message: &str) -> Option<String> {
    let name = message.strip_prefix("UNIQUE constraint failed: index '")?.strip_suffix('\'')?;
    Some(name.replace("''", "'"))
}

/// The column in a message such as `CHECK constraint failed: check_price`.
fn check_column(resource: &Descriptor, message: &str) -> Option<usize> {
    let (_, name) = message.split_once("constraint failed: ")?;
    resource.columns.iter().position(|column| check_name::<Sqlite>(resource, column.column) == name)
}
