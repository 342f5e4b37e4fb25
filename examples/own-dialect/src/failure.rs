//! Errors of tokio-postgres, as `crud-runtime` translates them.

use std::{error, io};

use crud_runtime::postgres_driver::{DriverError, ServerReport};
use tokio_postgres::Error;

/// An error with the server's report, or one of the connection.
pub(crate) fn failed(error: Error) -> DriverError {
    if let Some(report) = error.as_db_error() {
        let report = ServerReport {
            code: report.code().code().to_owned(),
            message: report.message().to_owned(),
            detail: report.detail().map(str::to_owned),
            column: report.column().map(str::to_owned),
            constraint: report.constraint().map(str::to_owned),
            routine: report.routine().map(str::to_owned),
        };
        return DriverError::of_server(report, error);
    }
    let is_of_connection =
        error.is_closed() || error::Error::source(&error).is_some_and(<dyn error::Error + 'static>::is::<io::Error>);
    if is_of_connection { DriverError::of_connection(error) } else { DriverError::new(error) }
}
