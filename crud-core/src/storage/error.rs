//! [`Error`]: why a service could not start, or a call of a store failed.

use std::fmt;

use super::migrate_error::MigrateError;
use crate::model::adapter_error::AdapterError;
use crate::model::problem::{Problem, chain};

/// Error of a service that could not start, or of a call of a `Store`.
///
/// `Debug` shows the sentence and its causes, because that is what a `main` that returns an error prints.
///
/// ```
/// use crud_runtime::Error;
/// use crud_runtime::error::Code;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// /// The book, or none where there is no such book.
/// async fn find(books: &Store<Book>, id: i64) -> crud_runtime::Result<Option<Book>> {
///     match books.get(id).await {
///         Err(Error::Problem(problem)) if problem.code() == Code::NotFound => Ok(None),
///         answer => answer.map(Some),
///     }
/// }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request to the store is refused, as it would be over HTTP.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The service is put together in a way that cannot work.
    #[error("{0}")]
    Setup(String),
    /// The database does not fit the resources.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// The database failed while the service started.
    #[error(transparent)]
    Database(AdapterError),
    /// The address cannot be served.
    #[error("cannot serve on {address}")]
    Bind {
        /// The address.
        address: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&chain(self))
    }
}

impl From<Error> for Problem {
    /// The refusal of a store; anything else is `internal`. A hook returns what its stores do with `?`.
    fn from(error: Error) -> Self {
        match error {
            Error::Problem(problem) => problem,
            Error::Database(error) => Self::from_storage(error),
            error => Self::internal(error),
        }
    }
}

/// The result of starting a service or calling a `Store`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// async fn start(url: &str) -> crud_runtime::Result<Service> {
///     Service::connect(url).await?.migrate().await
/// }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
