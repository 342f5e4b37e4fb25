//! Opening a database by its URL.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

use crate::model::adapter_error::AdapterError;
use crate::pool::options::pool_options;
use crate::pool::statement_timeout::StatementTimeout;
use crate::postgres::error::general;
use crate::postgres::server::hosts::{HostUrls, Wanted};
use crate::postgres::server::options::{connect_options, with_timeout};
use crate::postgres::server::primary::Hosts;

/// An opened database.
pub(in crate::postgres) struct Opened {
    pub(in crate::postgres) pool: PgPool,
    /// Replaces connections that are older than a change.
    pub(in crate::postgres) timeout: StatementTimeout,
    /// Whether connections set it: not where the URL has `options`, which may.
    pub(in crate::postgres) sets_timeout: bool,
    /// The servers to choose the primary from.
    pub(in crate::postgres) hosts: Option<Hosts>,
    /// Whether commits wait for standbys.
    pub(in crate::postgres) synchronous: Arc<AtomicBool>,
}

/// Opens each replica of a URL when it is first used.
pub(in crate::postgres) fn replicas(url: &str) -> Result<Vec<Opened>, AdapterError> {
    let urls = HostUrls::of_url(url, Wanted::Replica)?.urls;
    let replica = |url: &String| {
        let (timeout, options) = (StatementTimeout::new(), connect_options(url)?);
        Ok(lazily(options, timeout.clone(), pool_options(Some(timeout)), None))
    };
    urls.iter().map(replica).collect()
}

/// Opens the database of a URL; of several servers, the primary.
pub(in crate::postgres) async fn connect(url: &str) -> Result<Opened, AdapterError> {
    let HostUrls { urls, wants_primary } = HostUrls::of_url(url, Wanted::Primary)?;
    let all: Vec<PgConnectOptions> = urls.iter().map(|url| connect_options(url)).collect::<Result<_, _>>()?;
    let (options, hosts) = match (wants_primary, all.as_slice()) {
        (false, [options]) => (options.clone(), None),
        _ => {
            let hosts = Hosts::find(all).await?;
            (hosts.options(), Some(hosts))
        }
    };
    let timeout = StatementTimeout::new();
    let synchronous = Arc::default();
    let pool = closing_demoted(pool_options(Some(timeout.clone())), &synchronous);
    let opened = Opened { synchronous, ..lazily(options, timeout, pool, hosts) };
    // A database that is away fails the start.
    opened.pool.acquire().await.map_err(general)?;
    Ok(opened)
}

fn lazily(options: PgConnectOptions, timeout: StatementTimeout, pool: PgPoolOptions, hosts: Option<Hosts>) -> Opened {
    let sets_timeout = options.get_options().is_none();
    let options = if sets_timeout { with_timeout(options, &timeout) } else { options };
    Opened { pool: pool.connect_lazy_with(options), timeout, sets_timeout, hosts, synchronous: Arc::default() }
}

/// The state of a server: whether it is a standby, and whether its commits wait for standbys.
const STATE: &str = "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names') <> ''";

/// Closes connections whose server has become a standby, which each change on them would find out, and learns whether
/// commits wait for standbys. A connection returns to its pool once a second, and after each error.
fn closing_demoted(pool: PgPoolOptions, synchronous: &Arc<AtomicBool>) -> PgPoolOptions {
    // A service that only reads may be on a standby from the beginning.
    let was_primary = Arc::new(AtomicBool::new(false));
    let synchronous = synchronous.clone();
    pool.after_release(move |connection, _| {
        let (was_primary, synchronous) = (was_primary.clone(), synchronous.clone());
        Box::pin(async move {
            match sqlx::query_as::<_, (bool, bool)>(STATE).fetch_one(connection).await {
                Ok((true, _)) => Ok(!was_primary.load(Ordering::Relaxed)),
                Ok((false, waits)) => {
                    was_primary.store(true, Ordering::Relaxed);
                    synchronous.store(waits, Ordering::Relaxed);
                    Ok(true)
                }
                // The pool finds out what is wrong with it.
                Err(_) => Ok(true),
            }
        })
    })
}

/// Sets the statement timeout of new connections.
pub(in crate::postgres) fn set_timeout(pool: &PgPool, timeout: &StatementTimeout) {
    pool.set_connect_options(with_timeout(pool.connect_options().as_ref().clone(), timeout));
}
