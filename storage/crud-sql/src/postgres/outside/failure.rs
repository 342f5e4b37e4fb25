//! [`DriverError`]: an error of a driver from outside.

use std::error::Error;
use std::fmt;

use crate::model::adapter_error::BoxError;
use crate::model::column_error::ColumnError;
use crate::postgres::error::{Details, DriverFailure};

/// An error of a driver from outside, with the server's report where it is the server's.
#[derive(Debug)]
pub struct DriverError {
    report: Option<Box<ServerReport>>,
    is_of_connection: bool,
    source: BoxError,
}

/// Fields of an error that PostgreSQL reports
/// (<https://www.postgresql.org/docs/current/protocol-error-fields.html>).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerReport {
    /// SQLSTATE, such as `23505`.
    pub code: String,
    /// The message.
    pub message: String,
    /// The detail, such as `Key (name)=(Ann) already exists.`
    pub detail: Option<String>,
    /// The column that it names.
    pub column: Option<String>,
    /// The constraint that it names.
    pub constraint: Option<String>,
    /// The routine of the server's source that reported it.
    pub routine: Option<String>,
}

impl DriverError {
    /// An error that neither the server nor the connection is the reason of.
    pub fn new(source: impl Into<BoxError>) -> Self {
        Self { report: None, is_of_connection: false, source: source.into() }
    }

    /// An error of the connection: the server is away, or the connection is closed.
    pub fn of_connection(source: impl Into<BoxError>) -> Self {
        Self { is_of_connection: true, ..Self::new(source) }
    }

    /// An error that the server has reported.
    pub fn of_server(report: ServerReport, source: impl Into<BoxError>) -> Self {
        Self { report: Some(Box::new(report)), ..Self::new(source) }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.report {
            Some(report) => f.write_str(&report.message),
            None => self.source.fmt(f),
        }
    }
}

impl Error for DriverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self.report {
            Some(_) => Some(&*self.source),
            // It is what is displayed.
            None => self.source.source(),
        }
    }
}

impl DriverFailure for DriverError {
    fn details(&self) -> Option<Details<'_>> {
        let report = self.report.as_ref()?;
        Some(Details {
            code: &report.code,
            message: &report.message,
            detail: report.detail.as_deref(),
            column: report.column.as_deref(),
            constraint: report.constraint.as_deref(),
            routine: report.routine.as_deref(),
        })
    }

    fn is_of_connection(&self) -> bool {
        self.is_of_connection
    }

    fn unreadable(error: ColumnError) -> Self {
        Self::new(error)
    }
}
