//! Servers of PostgreSQL's for a test, where there are any; and what becomes of many writers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crud_runtime::Service;
use crud_tests::story::Story;
use crud_tests::writer::{KINDS, Writer};
use crud_tests::{Api, Backend, Client, Cluster, Database, kitchen};
use tokio::time::sleep;

/// How far a replica may be behind where no test waits for it to be.
pub(crate) const LONG: Duration = Duration::from_mins(2);

/// Runs a test, if this machine has PostgreSQL.
pub(crate) fn with_postgres(test: impl Future<Output = ()>) {
    if Backend::available().contains(&Backend::Postgres) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }
}

/// A primary, a replica of it, and the kitchen on both.
pub(crate) struct Replicated {
    pub(crate) database: Database,
    pub(crate) replica: Arc<Cluster>,
    pub(crate) primary: Arc<Cluster>,
    pub(crate) api: Api,
}

impl Replicated {
    /// Starts them, with a replica that may be behind by this much.
    pub(crate) async fn start(lag: Duration) -> Self {
        Self::start_with(|service| kitchen::kitchen(service).replica_lag(lag)).await
    }

    /// The same with another service.
    pub(crate) async fn start_with(build: impl FnOnce(Service) -> Service) -> Self {
        let primary = Cluster::own();
        let database = Database::of(&primary);
        let replica = primary.replica();
        let service = database.service().await.read_from(&database.url_in(&replica)).await.expect("a replica's URL");
        let api = Api::start(&database, build(service).migrate().await.expect("the tables")).await;
        Self { database, replica, primary, api }
    }

    /// Lets the replica replay nothing more, or go on.
    pub(crate) async fn pause(&self, pause: bool) {
        let function = if pause { "pg_wal_replay_pause" } else { "pg_wal_replay_resume" };
        run(&self.database.url_in(&self.replica), &format!("SELECT {function}()")).await;
        while pause && !is(&self.database.url_in(&self.replica), "pg_get_wal_replay_pause_state() = 'paused'").await {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Changes a record past the service, to see who answers: the primary has the second text, and the replica
    /// the first for as long as it is paused.
    pub(crate) async fn diverge(&self) {
        self.pause(false).await;
        run(self.database.url(), "DELETE FROM entries; INSERT INTO entries (text) VALUES ('of the replica')").await;
        self.catch_up().await;
        self.pause(true).await;
        run(self.database.url(), "UPDATE entries SET text = 'of the primary'").await;
    }

    /// Waits until the replica has all that the primary has written.
    pub(crate) async fn catch_up(&self) {
        let sent = "(SELECT bool_and(replay_lsn >= pg_current_wal_flush_lsn()) FROM pg_stat_replication)";
        wait_until("the replica has caught up", async || is(self.database.url(), sent).await).await;
    }

    /// Who answers a read.
    pub(crate) async fn answers(&self) -> String {
        of(&self.api, None).await
    }

    /// Waits until reads come from one of them.
    pub(crate) async fn wait_for(&self, name: &str) {
        wait_until(name, async || self.answers().await == name).await;
    }
}

/// Who answers a read with this session token.
pub(crate) async fn of(client: &Client, token: Option<&str>) -> String {
    let request = client.get("/entries");
    let request = match token {
        Some(token) => request.header("x-session-token", token),
        None => request,
    };
    request.await.ok()[0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Waits until something holds.
pub(crate) async fn wait_until(what: &str, holds: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !holds().await {
        assert!(begin.elapsed() < Duration::from_secs(20), "waited in vain: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Runs a statement on a connection of its own.
pub(crate) async fn run(url: &str, sql: &str) {
    let mut connection = connect(url).await;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("the statement runs");
}

/// Whether an expression holds in a database.
pub(crate) async fn is(url: &str, sql: &str) -> bool {
    let mut connection = connect(url).await;
    let query = sqlx::AssertSqlSafe(format!("SELECT coalesce({sql}, false)"));
    sqlx::query_scalar(query).fetch_one(&mut connection).await.expect("the expression has a value")
}

/// A connection past the service.
pub(crate) async fn connect(url: &str) -> sqlx::PgConnection {
    <sqlx::PgConnection as sqlx::Connection>::connect(url).await.expect("a connection of the test's own")
}

/// Waits until nothing is going on in the database that somebody has begun who is gone.
pub(crate) async fn calm(database: &Database) {
    const IDLE: &str = "NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
                        AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle')";
    wait_until("nothing goes on in the database", async || is(database.url(), IDLE).await).await;
}

/// Holds what writers were told against what is stored and what the audit log tells of it.
pub(crate) async fn settle(client: &Client, writers: &mut [Writer]) {
    for kind in KINDS {
        let mut story = Story::default();
        story.read_on(client, kind).await;
        story.settle(writers.iter_mut().filter(|writer| writer.kind == kind));
    }
}
