//! Opening a database by its URL.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgPool};

use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::sql::pool::statement_timeout::Limit;
use crate::storage::sql::pooled::{STATEMENTS, pool_options, says_how_many_are_cached};

/// Opens the database of a URL when it is first used, and with the limit where the URL does not say what the server
/// bounds.
pub(super) fn lazily(url: &str) -> Result<(PgPool, Option<Limit>), AdapterError> {
    let options = locate(url)?;
    if options.get_options().is_some() {
        return Ok((pool_options(None).connect_lazy_with(options), None));
    }
    let limit = Limit::new();
    let pool = pool_options(Some(limit.clone())).connect_lazy_with(limited(options, &limit));
    Ok((pool, Some(limit)))
}

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<(PgPool, Option<Limit>), AdapterError> {
    let (pool, limit) = lazily(url)?;
    // Whoever starts wants to know whether the database is there.
    pool.acquire().await.map_err(general)?;
    Ok((pool, limit))
}

/// Has new connections told the limit as it is now.
pub(super) fn tell(pool: &PgPool, limit: &Limit) {
    pool.set_connect_options(limited(pool.connect_options().as_ref().clone(), limit));
}

/// The same with the limit, which counts over what was said before.
fn limited(options: PgConnectOptions, limit: &Limit) -> PgConnectOptions {
    options.options([
        ("statement_timeout", format!("{}ms", limit.statement().as_millis())),
        ("lock_timeout", format!("{}ms", limit.lock().as_millis())),
    ])
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
    Ok(options.extra_float_digits(None))
}
