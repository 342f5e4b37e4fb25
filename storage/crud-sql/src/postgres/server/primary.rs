//! [`PrimaryWatch`]: which of several servers is the primary, and the service's connections to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection as _, Executor as _, Row as _};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::TARGET;
use crate::model::adapter_error::AdapterError;
use crate::pool::connection_cache::ConnectionCache;
use crate::pool::statement_timeout::StatementTimeout;
use crate::postgres::dialect::Postgres;
use crate::postgres::server::options::with_timeout;

/// The interval between two checks of the servers.
const INTERVAL: Duration = Duration::from_millis(500);

/// Time limit of a server's answer to a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// The latest timeline before the first check.
const UNKNOWN: i64 = i64::MIN;

/// Returns whether a server is a primary, and its timeline. A primary's timeline is the start of its log file's name,
/// in hexadecimal. A standby has the timeline of its stream. Without a stream, or for a role that cannot see it, that
/// of its last checkpoint counts.
const STATE: &str = "SELECT NOT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN \
     greatest((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint()), \
     (SELECT min_recovery_end_timeline FROM pg_control_recovery()))::bigint \
     ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int::bigint END";

/// A server's answer to a check.
#[derive(Debug, Clone, Copy)]
struct State {
    is_primary: bool,
    timeline: i64,
}

/// A server of the URL.
struct Host {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Host {
    /// The state of the server, if it answers.
    async fn state(&mut self) -> Option<State> {
        // If the check fails or is dropped, the connection is closed.
        let kept = self.connection.take();
        let checked = timeout(CHECK_TIMEOUT, async {
            let mut connection = match kept {
                Some(connection) => connection,
                None => PgConnection::connect_with(&self.options).await?,
            };
            let row = connection.fetch_one(STATE).await?;
            let state = State { is_primary: row.try_get(0)?, timeline: row.try_get(1)? };
            Ok::<_, sqlx::Error>((state, connection))
        });
        let (state, connection) = checked.await.ok()?.ok()?;
        self.connection = Some(connection);
        Some(state)
    }
}

/// The servers of a URL, of which one is the primary.
pub(in crate::postgres) struct Hosts {
    all: Vec<Host>,
    /// The index of the primary.
    current: usize,
    /// The latest timeline that any server was seen on.
    latest: i64,
    /// Whether a primary of an earlier timeline answered the last check.
    has_replaced: bool,
}

impl Hosts {
    /// Looks for the primary among these servers.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] when none of the servers is a primary, or only one that was replaced.
    pub(in crate::postgres) async fn find(options: Vec<PgConnectOptions>) -> Result<Self, AdapterError> {
        let all = options.into_iter().map(|options| Host { options, connection: None }).collect();
        let mut hosts = Self { all, current: usize::MAX, latest: UNKNOWN, has_replaced: false };
        match hosts.primary().await {
            Some(primary) => {
                hosts.current = primary;
                Ok(hosts)
            }
            None if hosts.has_replaced => Err(AdapterError::Unavailable(
                "the only primary that answers was replaced by a promotion: a standby follows a later one".into(),
            )),
            None => Err(AdapterError::Unavailable("none of the servers in the URL is a primary that answers".into())),
        }
    }

    /// Connection options of the primary.
    pub(in crate::postgres) fn options(&self) -> PgConnectOptions {
        self.all[self.current].options.clone()
    }

    /// The primary on the latest timeline that was seen. A primary on an earlier timeline was replaced by a promotion:
    /// changes on it are lost, even while its successor is down. Of two on the same timeline, the current one stays.
    async fn primary(&mut self) -> Option<usize> {
        let known = self.latest;
        let checks = self.all.iter_mut().enumerate();
        let checks = checks.map(|(index, host)| async move { host.state().await.map(|state| (state, index)) });
        let mut checks: FuturesUnordered<_> = checks.collect();
        let mut states = Vec::new();
        while let Some(checked) = checks.next().await {
            states.extend(checked);
            // A promotion has happened: its predecessor may hang, and is not waited for.
            if checked.is_some_and(|(state, _)| state.is_primary && state.timeline > known && known != UNKNOWN) {
                break;
            }
        }
        drop(checks);
        let timelines = states.iter().map(|(state, _)| state.timeline);
        self.latest = timelines.fold(self.latest, i64::max);
        let primaries = states.into_iter().filter(|(state, _)| state.is_primary);
        let (latest, replaced): (Vec<_>, Vec<_>) = primaries.partition(|(state, _)| state.timeline >= self.latest);
        self.report_replaced(&replaced);
        latest.into_iter().map(|(_, index)| index).max_by_key(|index| *index == self.current)
    }

    /// Logs once, each time it appears, that a replaced primary still accepts changes from clients that do not know of
    /// the promotion.
    fn report_replaced(&mut self, replaced: &[(State, usize)]) {
        let had_replaced = std::mem::replace(&mut self.has_replaced, !replaced.is_empty());
        for (State { timeline, .. }, index) in replaced.iter().filter(|_| !had_replaced) {
            let options = &self.all[*index].options;
            tracing::warn!(
                target: TARGET,
                host = options.get_host(),
                port = options.get_port(),
                timeline,
                latest = self.latest,
                "a primary that was replaced by a promotion answers: it gets no changes"
            );
        }
    }
}

/// Checks the servers at intervals until it is dropped, and reconnects to a server that has become the primary.
pub(in crate::postgres) struct PrimaryWatch(
    #[expect(dead_code, reason = "the task ends when it is dropped")] JoinSet<()>,
);

impl PrimaryWatch {
    /// Starts to watch. New connections get the statement timeout, if the service sets one.
    pub(in crate::postgres) fn start(
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
                    target: TARGET,
                    host = options.get_host(),
                    port = options.get_port(),
                    "another server is the primary now"
                );
                let options = if sets_timeout { with_timeout(options, &age) } else { options };
                connections.pool().set_connect_options(options);
                age.renew();
                connections.replace();
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
