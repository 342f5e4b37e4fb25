//! [`AdapterError`]: why storage refused or failed.

use super::column_error::ColumnError;

/// Error of an adapter: the reason why it refused a change, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdapterError {
    /// Another record holds a value that must be unique.
    #[error("a unique constraint refused columns {columns:?}")]
    Unique {
        /// The columns whose values collide together; empty where the database does not report them.
        columns: Vec<usize>,
    },
    /// Another record holds a value that must be unique, and the database reports the index alone. Where an adapter knows the
    /// columns of the index, it returns [`Unique`](Self::Unique).
    #[doc(hidden)]
    #[error("the unique index `{index}` refused a value")]
    UniqueIndex {
        /// The name of the index.
        index: String,
    },
    /// A reference points to no record.
    #[error("a foreign key refused columns {columns:?}")]
    ReferenceNotFound {
        /// The referring columns; empty where the database does not report them.
        columns: Vec<usize>,
    },
    /// Other records refer to the one to be deleted.
    #[error("other records refer to it")]
    Referenced,
    /// A CHECK or NOT NULL constraint refused a value.
    #[error("a constraint refused column {column:?}")]
    Constraint {
        /// The column, where the database reports it.
        column: Option<usize>,
    },
    /// An exclusion constraint of the database refused a record that overlaps another one.
    #[error("the record overlaps another one")]
    Overlaps,
    /// The record is larger than storage keeps, with the audit entry of the change where that is part of it.
    #[error("the record is too large, most of all by column {column:?}")]
    TooLarge {
        /// The column with the largest value, where that is known.
        column: Option<usize>,
    },
    /// Storage holds a value that does not fit the column's type.
    #[error("column `{column}` holds what its type cannot: {error}")]
    Corrupt {
        /// The column's name.
        column: &'static str,
        /// Reason why the value does not fit the type.
        error: ColumnError,
    },
    /// The database cannot be reached, or is too busy; trying again later may help.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
    /// The database cancelled the work after its time limit.
    #[error("the database gave up: it took too long")]
    Timeout,
    /// The database did not report the end of a change: it may have been applied.
    #[error("the database did not report whether the change was applied")]
    Undecided(#[source] BoxError),
    /// Storage lacks a [capability](crate::adapter::Capabilities) that this needs.
    #[error("storage does not support {what}")]
    Unsupported {
        /// The unsupported feature, such as `atomic changes of several records`.
        what: &'static str,
    },
    /// A change is of another tenant's record than its transaction, in a service that is sharded by tenant. No part of
    /// the change was sent.
    #[error("the transaction is of {first}, and this change of {other}: a transaction belongs to one tenant")]
    OtherTenant {
        /// The tenant of the transaction, or the table without tenants that it has changed.
        first: String,
        /// The tenant, or the table without tenants, of the refused change.
        other: String,
    },
    /// A table of the service does not exist.
    #[error("the database lacks a table of the service: call `Service::migrate`, or apply the migrations")]
    MissingTable(#[source] BoxError),
    /// The tables no longer fit the structs: a column is missing or has another type, or a column without a field needs
    /// a value.
    #[error("the tables have changed, and no longer fit the structs of the service")]
    Unfit(#[source] BoxError),
    /// The database denies a statement to the user that the service connects as: a right is missing, the file is
    /// read-only, or a policy of row-level security refuses the record.
    #[error("the database denies it to the service's user")]
    Denied {
        /// Whether a policy refused one record; otherwise the whole table is denied.
        of_record: bool,
        /// The database's error.
        source: BoxError,
    },
    /// Anything else.
    #[error("the database failed")]
    Other(#[source] BoxError),
}

impl AdapterError {
    /// The error of a change that fails because the database's disk is full or broken.
    #[doc(hidden)]
    pub fn of_disk(source: impl Into<BoxError>) -> Self {
        Self::Unavailable(Box::new(DiskFailure(source.into())))
    }

    /// Whether the disk of the database is full or fails.
    #[doc(hidden)]
    pub fn is_of_disk(&self) -> bool {
        matches!(self, Self::Unavailable(source) if source.is::<DiskFailure>())
    }

    /// Whether a constraint refused the written values; otherwise the database failed.
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unique { .. }
                | Self::UniqueIndex { .. }
                | Self::ReferenceNotFound { .. }
                | Self::Referenced
                | Self::Constraint { .. }
                | Self::Overlaps
                | Self::TooLarge { .. }
                | Self::Denied { of_record: true, .. }
        )
    }
}

/// Detail of a problem where the disk of the database is full or fails.
#[doc(hidden)]
pub const FULL_DISK: &str = "the database takes no change: its disk is full or fails";

/// Source of [`AdapterError::Unavailable`] where the disk of the database is full or fails.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
#[error("its disk is full or fails")]
pub struct DiskFailure(#[source] BoxError);

/// Any error, with its cause.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
