//! Opening a database by its URL.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgPool};

use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::sql::pool::options::{CACHED_STATEMENTS, pool_options, sets_cached_statements};
use crate::storage::sql::pool::statement_timeout::StatementTimeout;

/// Opens the database of a URL when it is first used. With the statement timeout of its connections, unless the URL has
/// `options`, which may set one.
pub(super) fn connect_lazily(url: &str) -> Result<(PgPool, Option<StatementTimeout>), AdapterError> {
    let options = connect_options(url)?;
    if options.get_options().is_some() {
        return Ok((pool_options(None).connect_lazy_with(options), None));
    }
    let timeout = StatementTimeout::new();
    let pool = pool_options(Some(timeout.clone())).connect_lazy_with(with_timeout(options, &timeout));
    Ok((pool, Some(timeout)))
}

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<(PgPool, Option<StatementTimeout>), AdapterError> {
    let (pool, timeout) = connect_lazily(url)?;
    // A database that is away fails the start.
    pool.acquire().await.map_err(general)?;
    Ok((pool, timeout))
}

/// Sets the statement timeout of new connections.
pub(super) fn set_timeout(pool: &PgPool, timeout: &StatementTimeout) {
    pool.set_connect_options(with_timeout(pool.connect_options().as_ref().clone(), timeout));
}

/// The same options with the timeout, which overrides an earlier one.
fn with_timeout(options: PgConnectOptions, timeout: &StatementTimeout) -> PgConnectOptions {
    options.options([
        ("statement_timeout", format!("{}ms", timeout.get().as_millis())),
        ("lock_timeout", format!("{}ms", timeout.for_locks().as_millis())),
    ])
}

/// The options of the URL, and those that a service needs.
fn connect_options(url: &str) -> Result<PgConnectOptions, AdapterError> {
    let (scheme, _) = url.split_once("://").unwrap_or_default();
    if !matches!(scheme, "postgres" | "postgresql") {
        // The rest may hold a password.
        let line =
            format!("a URL that begins with `{scheme}` is not a URL of PostgreSQL such as `postgres://host/database`");
        return Err(AdapterError::Other(line.into()));
    }
    let options = PgConnectOptions::from_str(url).map_err(|error| AdapterError::Other(error.into()))?;
    let cached = sets_cached_statements(url);
    let options = if cached { options } else { options.statement_cache_capacity(CACHED_STATEMENTS) };
    // Values travel in binary: nothing depends on how floats are printed, a setting that some poolers refuse.
    Ok(options.extra_float_digits(None))
}
