//! [`PrimaryWatch`]: which of several servers is the primary, and the service's connections to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection as _, Executor as _, Row as _};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::dialect::Postgres;
use super::options::with_timeout;
use crate::model::adapter_error::AdapterError;
use crate::storage::sql::pool::connection_cache::ConnectionCache;
use crate::storage::sql::pool::statement_timeout::StatementTimeout;

/// The interval between two checks of the servers.
const INTERVAL: Duration = Duration::from_millis(500);

/// How long a server may take to answer a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeline of a primary; null of a standby. The name of a log file begins with it, in hexadecimal.
const TIMELINE: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN NULL \
     ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int::bigint END";

/// A server of the URL.
struct Host {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Host {
    /// Its timeline, if it answers and is a primary.
    async fn timeline(&mut self) -> Option<i64> {
        let checked = timeout(CHECK_TIMEOUT, async {
            let connection = match &mut self.connection {
                Some(connection) => connection,
                none => none.insert(PgConnection::connect_with(&self.options).await?),
            };
            connection.fetch_one(TIMELINE).await?.try_get::<Option<i64>, _>(0)
        });
        match checked.await {
            Ok(Ok(timeline)) => timeline,
            _ => {
                self.connection = None;
                None
            }
        }
    }
}

/// The servers of a URL, of which one is the primary.
pub(super) struct Hosts {
    all: Vec<Host>,
    /// The index of the primary.
    current: usize,
}

impl Hosts {
    /// Looks for the primary among these servers.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] when none of them is a primary.
    pub(super) async fn find(options: Vec<PgConnectOptions>) -> Result<Self, AdapterError> {
        let all = options.into_iter().map(|options| Host { options, connection: None }).collect();
        let mut hosts = Self { all, current: usize::MAX };
        match hosts.primary().await {
            Some(primary) => {
                hosts.current = primary;
                Ok(hosts)
            }
            None => Err(AdapterError::Unavailable("none of the servers in the URL is a primary that answers".into())),
        }
    }

    /// How to connect to the primary.
    pub(super) fn options(&self) -> PgConnectOptions {
        self.all[self.current].options.clone()
    }

    /// The primary with the latest timeline: an earlier one was replaced by a promotion. Of two with the same, the
    /// current one.
    async fn primary(&mut self) -> Option<usize> {
        let timelines = join_all(self.all.iter_mut().map(Host::timeline)).await;
        let primaries = timelines.into_iter().enumerate().filter_map(|(index, timeline)| Some((timeline?, index)));
        primaries.max_by_key(|(timeline, index)| (*timeline, *index == self.current)).map(|(_, index)| index)
    }
}

/// Checks the servers until it is dropped, and connects to the one that has become the primary.
pub(super) struct PrimaryWatch(#[expect(dead_code, reason = "the task ends when it is dropped")] JoinSet<()>);

impl PrimaryWatch {
    /// Starts to watch, with the statement timeout of connections, if the service sets one.
    pub(super) fn start(
        mut hosts: Hosts,
        connections: &Arc<ConnectionCache<Postgres>>,
        age: StatementTimeout,
        sets_timeout: bool,
    ) -> Self {
        let connections = Arc::downgrade(connections);
        let mut task = JoinSet::new();
        task.spawn(async move {
            loop {
                sleep(INTERVAL).await;
                let primary = hosts.primary().await;
                let Some(connections) = connections.upgrade() else { return };
                let Some(primary) = primary.filter(|primary| *primary != hosts.current) else { continue };
                hosts.current = primary;
                let options = hosts.options();
                tracing::warn!(
                    host = options.get_host(),
                    port = options.get_port(),
                    "another server is the primary now"
                );
                let options = if sets_timeout { with_timeout(options, &age) } else { options };
                connections.pool().set_connect_options(options);
                age.renew();
                connections.flush();
            }
        });
        Self(task)
    }
}

impl fmt::Debug for PrimaryWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrimaryWatch")
    }
}
