//! Opening a database by its URL.

use std::str::FromStr;
use std::time::Duration;

use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

use super::error::general;
use crate::adapter::AdapterError;

/// How many connections a program has.
const CONNECTIONS: u32 = 10;

/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection is believed in without a word from it.
const IDLE: Duration = Duration::from_secs(30);

/// How many prepared statements a connection keeps: the texts of lists differ by filters and order.
const STATEMENTS: usize = 250;

/// What the server bounds of every statement: nobody waits longer for an answer, and a request that was given
/// up must not keep its connection.
const TIMEOUTS: [(&str, &str); 2] = [("statement_timeout", "30s"), ("lock_timeout", "5s")];

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<PgPool, AdapterError> {
    let options = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // Each use ends with a look at the connection already.
        .test_before_acquire(false)
        .before_acquire(|connection, state| {
            Box::pin(async move {
                if state.idle_for > IDLE {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
    options.connect_with(locate(url)?).await.map_err(general)
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
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    let cache = url::form_urlencoded::parse(parameters.as_bytes()).any(|(key, _)| key == "statement-cache-capacity");
    let options = if cache { options } else { options.statement_cache_capacity(STATEMENTS) };
    // Values travel in binary: nothing depends on how floats are printed, which not every pooler lets one set.
    let options = options.extra_float_digits(None);
    Ok(if options.get_options().is_none() { options.options(TIMEOUTS) } else { options })
}
