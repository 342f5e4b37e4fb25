//! [`EmptyDatabase`]: a temporary database.

use crate::model::adapter_error::AdapterError;
use crate::storage::future::AdapterFuture;

/// Removes a database with everything in it.
type Remove = Box<dyn FnOnce() -> AdapterFuture<'static, ()> + Send>;

/// An empty database for the time of a verification.
pub struct EmptyDatabase {
    /// The database's URL, which may contain a password.
    pub url: String,
    /// Removes the database.
    pub remove: Remove,
}

impl EmptyDatabase {
    /// A database that `remove` removes.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
    pub(crate) fn new(url: String, remove: impl FnOnce() -> AdapterFuture<'static, ()> + Send + 'static) -> Self {
        Self { url, remove: Box::new(remove) }
    }
}

impl std::fmt::Debug for EmptyDatabase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The URL may contain a password.
        f.debug_struct("EmptyDatabase").finish_non_exhaustive()
    }
}

/// The name of a new database.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) fn name() -> String {
    format!("crud_shadow_{}", uuid::Uuid::now_v7().simple())
}

/// The error of a database that cannot be created or removed.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) fn refused(error: &impl std::fmt::Display) -> AdapterError {
    AdapterError::Other(
        format!("the empty database for verifying migrations cannot be created or removed: {error}; give one by `--shadow URL`")
            .into(),
    )
}

/// Creates an empty database on the server of a URL. `run` runs a statement at a URL; `end` is the end of the `DROP
/// DATABASE`.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) async fn on_server(
    url: &str,
    run: fn(String, String) -> AdapterFuture<'static, ()>,
    end: &str,
) -> Result<EmptyDatabase, AdapterError> {
    let (name, url) = (name(), url.to_owned());
    run(url.clone(), format!("CREATE DATABASE {name}")).await?;
    let remove = format!("DROP DATABASE IF EXISTS {name}{end}");
    Ok(EmptyDatabase::new(with_database(&url, &name), move || run(url, remove)))
}

/// The URL of another database on the same server.
#[cfg(any(feature = "mysql", feature = "postgres"))]
fn with_database(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = base.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    // PostgreSQL takes the name as a parameter too.
    let parameters: Vec<&str> =
        query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("dbname=")).collect();
    let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
    format!("{scheme}://{authority}/{name}{query}")
}

#[cfg(all(test, any(feature = "mysql", feature = "postgres")))]
mod tests {
    use super::with_database;

    #[test]
    fn database_of_a_url_is_replaced() {
        for (url, expected) in [
            ("postgres://me:p%2Fw@a:1,b:2/shop?sslmode=require", "postgres://me:p%2Fw@a:1,b:2/x?sslmode=require"),
            ("postgres:///shop?host=/run/a&dbname=shop", "postgres:///x?host=/run/a"),
            ("mysql://root@localhost", "mysql://root@localhost/x"),
        ] {
            assert_eq!(with_database(url, "x"), expected);
        }
    }
}
