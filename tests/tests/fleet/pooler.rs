//! Behind pgbouncer in transaction mode, where each transaction may run on another connection.

use std::fs;
use std::sync::Arc;

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_runtime::sqlx::{Connection, Executor, PgConnection};
use crud_tests::{Api, Cluster, Database, Pooler, kitchen, long};

use crate::support::followed::{each_server_tells_every_change, followed};
use crate::support::load::Load;
use crate::support::{reconcile, with_postgres};

#[test]
fn two_services_share_three_connections_behind_a_transaction_pooler() {
    if !long("fleet") || !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let pooler = Pooler::start(&cluster, "default_pool_size = 3");
        let start = async || {
            let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
            Api::start(&database, kitchen::kitchen(service).migrate().await.expect("the tables")).await
        };
        let services = [start().await, start().await];
        let load = Load::start(&services.each_ref().map(|api| &**api));
        load.wait_for_changes(200).await;
        let mut writers = load.stop().await;
        assert!(writers.iter().all(|writer| writer.unavailable() == 0), "a change was refused");
        reconcile(&services[0], &mut writers).await;
        for api in services {
            api.stop().await;
        }
    });
}

#[test]
fn two_services_behind_a_transaction_pooler_tell_every_change() {
    if !long("fleet") || !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let pooler = Pooler::start(&cluster, "default_pool_size = 3");
        let start = async || {
            let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
            Api::start(&database, followed(service).migrate().await.expect("the tables")).await
        };
        let services = [start().await, start().await];
        each_server_tells_every_change(&services, || {}).await;
        for api in services {
            api.stop().await;
        }
    });
}

mod marks {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(super) struct Mark {
        pub(super) id: i64,
        #[crud(length(max = 100))]
        pub(super) text: String,
    }
}

/// One more index.
mod filtered {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks", filter(text))]
    pub(super) struct Mark {
        pub(super) id: i64,
        #[crud(length(max = 100))]
        pub(super) text: String,
    }
}

/// A server that logs statements, a database with records and timeouts, and a pooler.
async fn pooled(statement_timeout: &str) -> (Arc<Cluster>, Database, Pooler) {
    let cluster = Cluster::durable();
    let database = Database::in_cluster(&cluster);
    database.service().await.resource::<marks::Mark>().migrate().await.map(drop).expect("the table");
    database.execute("INSERT INTO marks (text) SELECT 'a' || i FROM generate_series(1, 1000) i").await;
    let name = database.texts("SELECT current_database()").await.remove(0);
    let timeout = format!("statement_timeout = '{statement_timeout}'");
    for setting in ["log_statement = 'all'", "lock_timeout = '5s'", &timeout] {
        database.execute(&format!("ALTER DATABASE \"{name}\" SET {setting}")).await;
    }
    let pooler = Pooler::start(&cluster, "default_pool_size = 3");
    (cluster, database, pooler)
}

#[test]
fn start_behind_a_transaction_pooler_creates_an_index_and_sets_nothing_for_other_clients() {
    if !long("fleet") || !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let (cluster, database, pooler) = pooled("20s").await;
        let service = async || {
            let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
            service.resource::<filtered::Mark>()
        };
        let (one, other) =
            tokio::join!(async { service().await.migrate().await }, async { service().await.migrate().await });
        let service = one.expect("the first starts");
        drop(other.expect("the second starts"));
        assert_eq!(service.plan().await.expect("a plan"), [""; 0]);
        let log = fs::read_to_string(cluster.directory().join("log")).expect("the log");
        assert!(log.contains("statement: CREATE INDEX CONCURRENTLY"), "it is created beside others");
        let is_of_session = |line: &&str| line.contains("statement: RESET ") || line.contains("statement: SET ");
        let set = log.lines().find(|line| is_of_session(line) && line.contains("_timeout"));
        assert_eq!(set, None);
    });
}

#[test]
fn start_behind_a_transaction_pooler_names_the_index_that_a_timeout_ended() {
    if !long("fleet") || !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let (_cluster, database, pooler) = pooled("1s").await;
        // The index waits for transactions that see the table without it.
        let mut reader = PgConnection::connect(database.url()).await.expect("a connection");
        let mut transaction = reader.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await.expect("a transaction");
        transaction.execute("UPDATE marks SET text = text WHERE id = 1").await.expect("a record");
        let service = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
        let error = service.resource::<filtered::Mark>().migrate().await.expect_err("a timeout").to_string();
        let statement = "run `CREATE INDEX CONCURRENTLY \"ix_marks__text__id\" ON \"marks\" (\"text\", \"id\")` on the server itself";
        assert!(error.contains("an index of `marks` takes longer than the statement timeout"), "{error}");
        assert!(error.contains(statement), "{error}");
        transaction.rollback().await.expect("it ends");
    });
}

#[test]
fn migrations_behind_a_transaction_pooler_are_refused_and_leave_no_lock() {
    if !long("fleet") || !Pooler::is_possible() {
        return;
    }
    with_postgres(async {
        let (_cluster, database, pooler) = pooled("20s").await;
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("migrations");
        let direct = database.service().await.resource::<filtered::Mark>();
        direct.migrations().write(&directory).await.expect("it can be written").expect("an index is missing");
        let pooled = Service::connect(&pooler.url(&database)).await.expect("a service behind pgbouncer");
        let error = pooled.resource::<filtered::Mark>().migrations().apply(&directory).await.expect_err("a pooler");
        assert!(error.to_string().contains("is behind a pooler of transactions"), "{error}");
        direct.migrations().apply(&directory).await.expect("the server itself takes them");
        assert_eq!(direct.migrations().diff().await.expect("a comparison"), []);
    });
}
