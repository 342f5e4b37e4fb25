//! Opening a database by its URL.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};

use crate::model::adapter_error::AdapterError;
use crate::pool::options::pool_options;
use crate::pool::server::{Server, is_doubtful};
use crate::pool::statement_timeout::StatementTimeout;
use crate::postgres::error::{general, refusal_of_connection};
use crate::postgres::server::hosts::{HostUrls, Wanted};
use crate::postgres::server::known_engines;
use crate::postgres::server::options::{connect_options, with_timeout};
use crate::postgres::server::primary::Hosts;

/// An opened database.
pub(in crate::postgres) struct Opened {
    pub(in crate::postgres) pool: PgPool,
    /// The statement timeout, which also replaces connections that were opened before its latest change.
    pub(in crate::postgres) timeout: StatementTimeout,
    /// Whether connections set the timeout. They do not where the URL has `options`, which may set it.
    pub(in crate::postgres) sets_timeout: bool,
    /// The servers to choose the primary from.
    pub(in crate::postgres) hosts: Option<Hosts>,
    /// Whether commits wait for standbys.
    pub(in crate::postgres) synchronous: Arc<AtomicBool>,
    /// Whether records have versions, which an update compares.
    pub(in crate::postgres) has_versions: bool,
}

/// Opens the replicas of a URL. Each of them connects at its first use.
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
            let hosts = match Hosts::find(all.clone()).await {
                Ok(hosts) => hosts,
                Err(error) => return Err(with_reasons(error, &all, url).await),
            };
            (hosts.options(), Some(hosts))
        }
    };
    let timeout = StatementTimeout::new();
    let synchronous = Arc::default();
    let pool = closing_demoted(pool_options(Some(timeout.clone())), &synchronous);
    let mut opened = Opened { synchronous, ..lazily(options, timeout, pool, hosts) };
    // An unreachable database fails the start.
    match opened.pool.acquire().await {
        Ok(mut connection) => {
            let host = opened.pool.connect_options().get_host().to_owned();
            known_engines::announce(&mut connection, &host).await?;
            opened.has_versions = known_engines::has_versions(&mut connection).await?;
        }
        Err(error) => {
            let options = opened.pool.connect_options();
            return Err(explained(error, &options, url).await);
        }
    }
    Ok(opened)
}

/// The error of a first connection, with its reason.
async fn explained(error: sqlx::Error, options: &PgConnectOptions, url: &str) -> AdapterError {
    let server = Server {
        title: "PostgreSQL",
        host: options.get_host().to_owned(),
        port: options.get_port(),
        user: options.get_username().to_owned(),
        database: options.get_database().unwrap_or_else(|| options.get_username()).to_owned(),
        is_doubtful: is_doubtful(url),
    };
    server.explained::<PgConnection>(error, options, refusal_of_connection, general).await
}

/// The error where none of several servers is a reachable primary, with the reason for each.
async fn with_reasons(error: AdapterError, all: &[PgConnectOptions], url: &str) -> AdapterError {
    let reasons = all.iter().map(|options| async move {
        match PgConnection::connect_with(options).await {
            Ok(_) => format!("`{}:{}` is a standby", options.get_host(), options.get_port()),
            Err(error) => text(&explained(error, options, url).await),
        }
    });
    let reasons = join_all(reasons).await.join("; ");
    AdapterError::Unavailable(format!("{}: {reasons}", text(&error)).into())
}

/// The text of an error's cause.
fn text(error: &AdapterError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

fn lazily(options: PgConnectOptions, timeout: StatementTimeout, pool: PgPoolOptions, hosts: Option<Hosts>) -> Opened {
    let sets_timeout = options.get_options().is_none();
    let options = if sets_timeout { with_timeout(options, &timeout) } else { options };
    Opened {
        pool: pool.connect_lazy_with(options),
        timeout,
        sets_timeout,
        hosts,
        synchronous: Arc::default(),
        has_versions: true,
    }
}

/// The state of a server: whether it is a standby, and whether its commits wait for standbys.
const STATE: &str = "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names') <> ''";

/// Closes connections whose server has become a standby; otherwise each change would find out by an error. Also notes
/// whether commits wait for standbys. Runs when a connection returns to its pool: once a second, and after each error.
fn closing_demoted(pool: PgPoolOptions, synchronous: &Arc<AtomicBool>) -> PgPoolOptions {
    // A service that only reads may use a standby from the start.
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
                // The pool itself detects a broken connection.
                Err(_) => Ok(true),
            }
        })
    })
}

/// Sets the statement timeout of new connections.
pub(in crate::postgres) fn set_timeout(pool: &PgPool, timeout: &StatementTimeout) {
    pool.set_connect_options(with_timeout(pool.connect_options().as_ref().clone(), timeout));
}
