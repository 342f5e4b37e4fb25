//! Opening a database by its URL.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgPool};

use super::error::general;
use crate::adapter::AdapterError;
use crate::adapter::sql::pooled::{STATEMENTS, pool_options, says_how_many_are_cached};

/// What the server bounds of every statement: nobody waits longer for an answer, and a request that was given
/// up must not keep its connection.
const TIMEOUTS: [(&str, &str); 2] = [("statement_timeout", "30s"), ("lock_timeout", "5s")];

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<PgPool, AdapterError> {
    pool_options().connect_with(locate(url)?).await.map_err(general)
}

/// What the URL says, with what a service needs.
fn locate(url: &str) -> Result<PgConnectOptions, AdapterError> {
    let (scheme, _) = url.split_once("://").unwrap_or_default();
    if !matches!(scheme, "postgres" | "postgresql") {
        // The rest may hold a password.
        let line = format!("a URL that begins with `{scheme}` is none of PostgreSQL, `postgres://host/database`");
        return Err(AdapterError::Other(line.into()));
    }
    let options = PgConnectOptions::from_str(url).map_err(|error| AdapterError::Other(error.into()))?;
    let cached = says_how_many_are_cached(url);
    let options = if cached { options } else { options.statement_cache_capacity(STATEMENTS) };
    // Values travel in binary: nothing depends on how floats are printed, which not every pooler lets one set.
    let options = options.extra_float_digits(None);
    Ok(if options.get_options().is_none() { options.options(TIMEOUTS) } else { options })
}
