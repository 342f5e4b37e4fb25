//! The options of a pool that a service opens itself.

use std::time::Duration;

use sqlx::pool::PoolOptions;
use sqlx::{Connection as _, Database};

use super::statement_timeout::StatementTimeout;

/// Maximum number of connections in a pool.
const MAX_CONNECTIONS: u32 = 10;

/// Time that a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Idle time after which a connection is pinged before its use.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// The prepared statements that a connection caches: the texts of lists differ by filters and order.
pub(crate) const CACHED_STATEMENTS: usize = 250;

/// Whether a URL sets the number of prepared statements that a connection caches.
pub(crate) fn sets_cached_statements(url: &str) -> bool {
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    url::form_urlencoded::parse(parameters.as_bytes()).any(|(key, _)| key == "statement-cache-capacity")
}

/// The options of a pool whose connections have this statement timeout.
pub(crate) fn pool_options<D: Database>(timeout: Option<StatementTimeout>) -> PoolOptions<D> {
    PoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // A connection is already checked when it returns to the pool.
        .test_before_acquire(false)
        .before_acquire(move |connection: &mut D::Connection, state| {
            let outdated = timeout.as_ref().is_some_and(|timeout| timeout.is_newer_than(state.age));
            Box::pin(async move {
                if state.idle_for > MAX_IDLE {
                    connection.ping().await?;
                }
                Ok(!outdated)
            })
        })
}
