//! PostgreSQL servers with replicas, and the comparison of many writers with the log.

pub(crate) mod clients;
pub(crate) mod followed;
pub(crate) mod load;
pub(crate) mod three;

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crud_runtime::Service;
use crud_tests::replay::Replay;
pub(crate) use crud_tests::wait_until;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Api, Backend, Client, Cluster, Database, kitchen, long};
use tokio::runtime::Runtime;

/// A replica lag that no test reaches.
pub(crate) const LONG_LAG: Duration = Duration::from_mins(2);

/// Runs a test if this machine has PostgreSQL.
pub(crate) fn with_postgres(test: impl Future<Output = ()>) {
    if Backend::available().contains(&Backend::Postgres) {
        runtime().block_on(test);
    }
}

/// A runtime for a test that starts its servers itself.
pub(crate) fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime")
}

/// Runs a long test: one that starts servers, and stops, freezes or promotes them.
pub(crate) fn with_postgres_if_long(test: impl Future<Output = ()>) {
    if long("fleet") {
        with_postgres(test);
    }
}

/// A primary and its replica, which tests use one after the other: a replica that pauses replay pauses it for every
/// database.
static SHARED: LazyLock<(Arc<Cluster>, Arc<Cluster>)> = LazyLock::new(|| {
    let primary = Cluster::durable();
    let replica = primary.replica();
    (primary, replica)
});

/// The test whose turn it is.
static TURN: Mutex<()> = Mutex::new(());

/// A primary, its replica, and the kitchen sink on both.
pub(crate) struct Replicated {
    pub(crate) database: Database,
    pub(crate) replica: Arc<Cluster>,
    pub(crate) primary: Arc<Cluster>,
    pub(crate) api: Api,
    /// Last, so that the next test begins when the database is removed.
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Replicated {
    /// Starts both servers, which the test may stop, with this maximum replica lag.
    pub(crate) async fn start(lag: Duration) -> Self {
        let primary = Cluster::durable();
        let replica = primary.replica();
        Self::on((primary, replica), None, |service| kitchen::kitchen(service).limits(|limits| limits.replica_lag(lag)))
            .await
    }

    /// A database on the servers that tests share, which run on, with this maximum replica lag.
    pub(crate) async fn shared(lag: Duration) -> Self {
        Self::shared_with(|service| kitchen::kitchen(service).limits(|limits| limits.replica_lag(lag))).await
    }

    /// A database on the shared servers, with a service of the caller's.
    pub(crate) async fn shared_with(build: impl FnOnce(Service) -> Service) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self::on(SHARED.clone(), Some(turn), build).await
    }

    async fn on(
        (primary, replica): (Arc<Cluster>, Arc<Cluster>),
        turn: Option<MutexGuard<'static, ()>>,
        build: impl FnOnce(Service) -> Service,
    ) -> Self {
        // The last test may have paused replay.
        execute(&replica.url("postgres"), "SELECT pg_wal_replay_resume()").await;
        let database = Database::in_cluster(&primary);
        catch_up(&database).await;
        let service = database.service().await.replicas(&database.url_in(&replica)).await.expect("a replica's URL");
        let api = Api::start(&database, build(service).migrate().await.expect("the tables")).await;
        Self { database, replica, primary, api, _turn: turn }
    }

    /// Pauses or resumes the replay on the replica.
    pub(crate) async fn pause(&self, pause: bool) {
        let function = if pause { "pg_wal_replay_pause" } else { "pg_wal_replay_resume" };
        let url = self.database.url_in(&self.replica);
        execute(&url, &format!("SELECT {function}()")).await;
        if pause {
            wait_until("replay is paused", async || holds(&url, "pg_get_wal_replay_pause_state() = 'paused'").await)
                .await;
        }
    }

    /// Makes the two databases differ: the primary has the second text, and the replica has the first while paused.
    pub(crate) async fn diverge(&self) {
        self.pause(false).await;
        execute(self.database.url(), "DELETE FROM entries; INSERT INTO entries (text) VALUES ('of the replica')").await;
        self.catch_up().await;
        self.pause(true).await;
        execute(self.database.url(), "UPDATE entries SET text = 'of the primary'").await;
    }

    /// Waits until the replica has replayed everything that the primary wrote.
    pub(crate) async fn catch_up(&self) {
        catch_up(&self.database).await;
    }

    /// The text that a read returns, which names the database.
    pub(crate) async fn source(&self) -> String {
        source(&self.api, None).await
    }

    /// Waits until reads come from the replica of the two that differ.
    pub(crate) async fn wait_for_replica(&self) {
        wait_until("reads come from the replica", async || {
            for _ in 0..200 {
                if self.source().await == "of the replica" {
                    return true;
                }
            }
            // A service that compares the two for the first time when they differ takes the replica for one that lags.
            self.diverge().await;
            false
        })
        .await;
    }

    /// Waits until reads come from the database of this name.
    pub(crate) async fn wait_for_source(&self, name: &str) {
        wait_until(name, async || self.source().await == name).await;
    }
}

/// Waits until the replica of a database's server has replayed everything that is written.
async fn catch_up(database: &Database) {
    let replayed = "(SELECT bool_and(replay_lsn >= pg_current_wal_flush_lsn()) FROM pg_stat_replication)";
    wait_until("the replica has caught up", async || holds(database.url(), replayed).await).await;
}

/// The text that a read with this session token returns.
pub(crate) async fn source(client: &Client, token: Option<&str>) -> String {
    let request = client.get("/entries");
    let request = match token {
        Some(token) => request.header("x-session-token", token),
        None => request,
    };
    request.await.ok()[0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Runs a statement on a new connection.
pub(crate) async fn execute(url: &str, sql: &str) {
    let mut connection = connect(url).await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("the statement runs");
}

/// Whether a condition holds in a database.
pub(crate) async fn holds(url: &str, sql: &str) -> bool {
    let mut connection = connect(url).await;
    let query = sqlx::AssertSqlSafe(format!("SELECT coalesce({sql}, false)"));
    sqlx::query_scalar(query).fetch_one(&mut connection).await.expect("the condition has a value")
}

/// A direct connection.
pub(crate) async fn connect(url: &str) -> sqlx::PgConnection {
    <sqlx::PgConnection as sqlx::Connection>::connect(url).await.expect("a direct connection")
}

/// Makes the commits of a primary wait for these standbys, or for none.
pub(crate) async fn synchronous(primary: &str, standbys: Option<&str>) {
    let statement = standbys.map_or_else(
        || "RESET synchronous_standby_names".to_owned(),
        |names| format!("SET synchronous_standby_names = '{names}'"),
    );
    execute(primary, &format!("ALTER SYSTEM {statement}")).await;
    execute(primary, "SELECT pg_reload_conf()").await;
    let expected = if standbys.is_some() { "sync" } else { "async" };
    let known = format!("NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state <> '{expected}')");
    wait_until("the standbys are known", async || holds(primary, &known).await).await;
}

/// Waits until a service has asked a server which it is, and acted on the answer: it asks one server after the other, so
/// it has acted on the first answer when it asks again.
pub(crate) async fn wait_until_checked(server: &str) {
    for _ in 0..2 {
        let now: String = sqlx::query_scalar("SELECT clock_timestamp()::text")
            .fetch_one(&mut connect(server).await)
            .await
            .expect("the server's time");
        let asked = format!(
            "EXISTS (SELECT FROM pg_stat_activity WHERE query_start > '{now}' \
             AND query LIKE 'SELECT NOT pg_is_in_recovery()%' AND pid <> pg_backend_pid())"
        );
        wait_until("the service asks the server", async || holds(server, &asked).await).await;
    }
}

/// Waits until no statement of an ended process runs in the database.
pub(crate) async fn wait_until_idle(database: &Database) {
    const IDLE: &str = "NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
                        AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle')";
    wait_until("the database is idle", async || holds(database.url(), IDLE).await).await;
}

/// Compares what writers know with the stored records and the audit log.
pub(crate) async fn reconcile(client: &Client, writers: &mut [Writer]) {
    for target in WRITE_TARGETS {
        let mut replay = Replay::default();
        replay.advance(client, target).await;
        replay.reconcile(writers.iter_mut().filter(|writer| writer.target == target));
    }
}
