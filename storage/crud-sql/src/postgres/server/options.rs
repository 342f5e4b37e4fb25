//! Connection options of a server.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::model::adapter_error::AdapterError;
use crate::pool::options::{CACHED_STATEMENTS, sets_cached_statements};
use crate::pool::server::unreadable;
use crate::pool::statement_timeout::StatementTimeout;

/// The options of the URL, and those that a service needs.
pub(in crate::postgres) fn connect_options(url: &str) -> Result<PgConnectOptions, AdapterError> {
    let (scheme, _) = url.split_once("://").unwrap_or_default();
    if !matches!(scheme, "postgres" | "postgresql") {
        // The rest may hold a password.
        let line =
            format!("a URL that begins with `{scheme}` is not a URL of PostgreSQL such as `postgres://host/database`");
        return Err(AdapterError::Other(line.into()));
    }
    let options = PgConnectOptions::from_str(url).map_err(|error| unreadable(&error))?;
    let cached = sets_cached_statements(url);
    let options = if cached { options } else { options.statement_cache_capacity(CACHED_STATEMENTS) };
    // Values travel in binary: nothing depends on how floats are printed, a setting that some poolers refuse.
    Ok(options.extra_float_digits(None))
}

/// Adds the timeout to the options; it overrides an earlier one.
pub(in crate::postgres) fn with_timeout(options: PgConnectOptions, timeout: &StatementTimeout) -> PgConnectOptions {
    options.options([
        ("statement_timeout", format!("{}ms", timeout.get().as_millis())),
        ("lock_timeout", format!("{}ms", timeout.for_locks().as_millis())),
    ])
}
