//! PostgreSQL servers with replicas, and the comparison of many writers with the log.

pub(crate) mod three;

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::Service;
use crud_tests::replay::Replay;
pub(crate) use crud_tests::wait_until;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Api, Backend, Client, Cluster, Database, kitchen};
use tokio::time::sleep;

/// A replica lag that no test reaches.
pub(crate) const LONG_LAG: Duration = Duration::from_mins(2);

/// Runs a test if this machine has PostgreSQL.
pub(crate) fn with_postgres(test: impl Future<Output = ()>) {
    if Backend::available().contains(&Backend::Postgres) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }
}

/// A primary, its replica, and the kitchen sink on both.
pub(crate) struct Replicated {
    pub(crate) database: Database,
    pub(crate) replica: Arc<Cluster>,
    pub(crate) primary: Arc<Cluster>,
    pub(crate) api: Api,
}

impl Replicated {
    /// Starts both with this maximum replica lag.
    pub(crate) async fn start(lag: Duration) -> Self {
        Self::start_with(|service| kitchen::kitchen(service).replica_lag(lag)).await
    }

    /// Starts both with a service of the caller's.
    pub(crate) async fn start_with(build: impl FnOnce(Service) -> Service) -> Self {
        let primary = Cluster::durable();
        let database = Database::in_cluster(&primary);
        let replica = primary.replica();
        let service = database.service().await.read_from(&database.url_in(&replica)).await.expect("a replica's URL");
        let api = Api::start(&database, build(service).migrate().await.expect("the tables")).await;
        Self { database, replica, primary, api }
    }

    /// Pauses or resumes the replay on the replica.
    pub(crate) async fn pause(&self, pause: bool) {
        let function = if pause { "pg_wal_replay_pause" } else { "pg_wal_replay_resume" };
        execute(&self.database.url_in(&self.replica), &format!("SELECT {function}()")).await;
        while pause && !holds(&self.database.url_in(&self.replica), "pg_get_wal_replay_pause_state() = 'paused'").await
        {
            sleep(Duration::from_millis(5)).await;
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
        let sent = "(SELECT bool_and(replay_lsn >= pg_current_wal_flush_lsn()) FROM pg_stat_replication)";
        wait_until("the replica has caught up", async || holds(self.database.url(), sent).await).await;
    }

    /// The text that a read returns, which names the database.
    pub(crate) async fn source(&self) -> String {
        source(&self.api, None).await
    }

    /// Waits until reads come from the database of this name.
    pub(crate) async fn wait_for_source(&self, name: &str) {
        wait_until(name, async || self.source().await == name).await;
    }
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
