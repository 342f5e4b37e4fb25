//! Locks: requests do not wait behind a change of a table that waits for another transaction.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Client, Cluster, Database, Server, amount, on_each_sql_server};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::Directory;

mod v1 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) text: String,
    }
}

/// One more column.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) text: String,
        pub(crate) note: Option<String>,
    }
}

/// One more index.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 100), filter)]
        pub(crate) text: String,
    }
}

/// An index of words more.
mod v4 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks", search(text))]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 100), filter)]
        pub(crate) text: String,
    }
}

/// The column that the fifth version requires, and which the one before may leave out.
mod ranked {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 100))]
        pub(crate) text: String,
        pub(crate) rank: Option<i64>,
    }
}

/// Every kind of change: columns with and without a default, a rule, an index, a unique one, a reference, and a value that
/// becomes required.
mod v5 {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "owners")]
    pub(crate) struct Owner {
        pub(crate) id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "marks")]
    pub(crate) struct Mark {
        pub(crate) id: i64,
        #[crud(length(max = 60), filter)]
        pub(crate) text: String,
        #[crud(unique, length(max = 10))]
        pub(crate) code: Option<String>,
        #[crud(references(Owner))]
        pub(crate) owner_id: Option<i64>,
        #[crud(default = 7, range(min = 1))]
        pub(crate) weight: i64,
        #[crud(column(backfill = "none"), length(max = 20))]
        pub(crate) language: String,
        #[crud(column(backfill = 9))]
        pub(crate) rank: i64,
    }
}

/// A running service of the first version.
async fn serve_first(database: &Database) -> Api {
    let service = database.service().await.resource::<v1::Mark>();
    Api::start(database, service.migrate().await.expect("the first version starts")).await
}

/// Creates more records than requests would be let through by chance.
async fn create_twenty(api: &Api) {
    for number in 0..20 {
        api.post("/marks", &json!({ "text": format!("{number}") })).await.created();
    }
}

#[test]
fn requests_go_on_while_a_migration_waits_for_a_reader() {
    on_each_sql_server(async |database| {
        let api = serve_first(database).await;
        let mut reader = database.begin_transaction().await;
        reader.execute("SELECT * FROM marks").await;
        let directory = Directory::new();
        let second = database.service().await.resource::<v2::Mark>();
        directory.write_migration(&second).await;
        let path = directory.path();
        let applied = tokio::spawn(async move { second.migrations().apply(path).await });
        database.wait_until_blocked().await;
        create_twenty(&api).await;
        assert!(!applied.is_finished(), "the reader is still there");
        reader.commit().await;
        let names = applied.await.expect("no panic").expect("the migration is applied after the reader");
        assert_eq!(names.len(), 2, "{names:?}");
        api.stop().await;
    });
}

#[test]
fn requests_go_on_while_a_start_waits_for_a_writer() {
    on_each_sql_server(async |database| {
        let api = serve_first(database).await;
        let mut writer = database.begin_transaction().await;
        writer.execute("INSERT INTO marks (text) VALUES ('of another program')").await;
        let third = database.service().await.resource::<v3::Mark>();
        let started = tokio::spawn(async move { third.migrate().await.map(drop) });
        database.wait_until_blocked().await;
        create_twenty(&api).await;
        assert!(!started.is_finished(), "the writer is still there");
        writer.commit().await;
        started.await.expect("no panic").expect("the index is created after the writer");
        api.stop().await;
    });
}

/// The number of indexes that are not valid.
const INVALID: &str = "SELECT COUNT(*) FROM pg_index WHERE NOT indisvalid AND indrelid = 'marks'::regclass";

async fn number(database: &Database, sql: &'static str) -> i64 {
    let app = database.service().await.app();
    app.transaction(async |tx| tx.sql(sql).fetch::<(i64,)>().await).await.expect("a number")[0].0
}

#[test]
fn start_creates_an_index_of_records_while_others_write() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        let api = serve_first(database).await;
        create_twenty(&api).await;
        let mut writer = database.begin_transaction().await;
        writer.execute("INSERT INTO marks (text) VALUES ('of another program')").await;
        // Several servers of the new version start at once.
        let service = async || database.service().await.resource::<v4::Mark>();
        let start = |service: Service| tokio::spawn(async move { service.migrate().await.map(drop) });
        let (one, other) = (start(service().await), start(service().await));
        database.wait_until_blocked().await;
        create_twenty(&api).await;
        assert_eq!(number(database, INVALID).await, 1, "an index that others do not wait for");
        assert!(!one.is_finished() && !other.is_finished(), "the writer is still there");
        writer.commit().await;
        one.await.expect("no panic").expect("the indexes are created after the writer");
        other.await.expect("no panic").expect("the indexes are created once");
        assert_eq!(number(database, INVALID).await, 0);
        assert_eq!(service().await.plan().await.expect("the statements"), [""; 0]);
        api.stop().await;
    });
}

#[test]
fn two_processes_apply_an_index_behind_a_writer_and_leave_none_that_is_not_valid() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        let api = serve_first(database).await;
        create_twenty(&api).await;
        let directory = Directory::new();
        let third = database.service().await.resource::<v3::Mark>();
        let up = directory.write_migration(&third).await.up();
        assert!(up.contains("CREATE INDEX CONCURRENTLY"), "{up}");
        let path = directory.path();
        let arguments = ["apply", path.to_str().expect("a path in UTF-8")];
        let apply = async || Server::run(env!("CARGO_BIN_EXE_migrator"), &arguments, database).await;
        let mut writer = database.begin_transaction().await;
        writer.execute("INSERT INTO marks (text) VALUES ('of another program')").await;
        let others = async {
            database.wait_until_blocked().await;
            create_twenty(&api).await;
            assert_eq!(number(database, INVALID).await, 1, "an index that others do not wait for");
            writer.commit().await;
        };
        let (one, other, ()) = tokio::join!(apply(), apply(), others);
        for (status, printed) in [one, other] {
            assert!(status.success(), "{printed}");
        }
        assert_eq!(number(database, INVALID).await, 0);
        assert_eq!(third.migrations().diff().await.expect("a comparison"), []);
        api.stop().await;
    });
}

#[test]
fn start_repeats_an_index_that_a_killed_one_has_left() {
    on_each_sql_server(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        let api = serve_first(database).await;
        create_twenty(&api).await;
        api.stop().await;
        let third = async || database.service().await.resource::<v3::Mark>();
        third().await.migrate().await.map(drop).expect("the index is created");
        database
            .execute(
                "UPDATE pg_index SET indisvalid = FALSE FROM pg_class c \
                 WHERE c.oid = indexrelid AND indrelid = 'marks'::regclass AND NOT indisprimary",
            )
            .await;
        assert_eq!(number(database, INVALID).await, 1);
        third().await.migrate().await.map(drop).expect("the index is created anew");
        assert_eq!(number(database, INVALID).await, 0);
        assert_eq!(third().await.plan().await.expect("the statements"), [""; 0]);
    });
}

/// Changes records until the test ends; returns the number of failed answers.
async fn load(client: Client, number: usize, stopped: Arc<AtomicBool>) -> usize {
    let mut failures = 0;
    let mut round = number;
    while !stopped.load(Ordering::Relaxed) {
        round += 8;
        let text = json!({ "text": format!("{round}"), "rank": 3 });
        let path = format!("/marks/{}", round % 1_000 + 1);
        let statuses = [
            client.post("/marks", &text).await.status(),
            client.patch(&path, &text).await.status(),
            client.get(&path).await.status(),
        ];
        failures += statuses.into_iter().filter(|status| !(200..300).contains(status)).count();
    }
    failures
}

/// Whether a wait, a line of the server's log, was for a record and ended within a second.
fn is_short_wait_for_record(line: &str, log: &str) -> bool {
    let Some((start, rest)) = line.split_once("still waiting for ") else { return false };
    let (Some((lock, _)), Some((_, process))) = (rest.split_once(" after "), start.split_once("LOG:")) else {
        return false;
    };
    let acquired = format!("{process}acquired {lock} after ");
    let mut ends =
        log.lines().filter_map(|line| line.split_once(&acquired)?.1.strip_suffix(" ms")?.parse::<f64>().ok());
    lock.contains(" on transaction ") && ends.next_back().is_some_and(|milliseconds| milliseconds < 1_000.0)
}

#[test]
fn wait_for_a_record_is_short_if_it_ended_within_a_second() {
    let wait = |lock: &str| format!("UTC [7] LOG:  process 7 still waiting for {lock} after 316.780 ms");
    let end = |lock: &str, after: &str| format!("UTC [7] LOG:  process 7 acquired {lock} after {after} ms");
    let (record, table) = ("ShareLock on transaction 1017", "AccessShareLock on relation 16385");
    assert!(is_short_wait_for_record(&wait(record), &end(record, "416.780")));
    assert!(!is_short_wait_for_record(&wait(record), &end(record, "1416.780")));
    assert!(!is_short_wait_for_record(&wait(record), ""), "it has not ended");
    assert!(!is_short_wait_for_record(&wait(table), &end(table, "416.780")));
}

/// The server writes into its log what waits for a lock for longer than a statement of a migration does. Nothing waits behind
/// what waits for other transactions to end: an index that is created concurrently.
#[test]
fn no_request_waits_longer_than_a_statement_of_a_migration() {
    on_each_sql_server(async |shared| {
        if shared.backend() != Backend::Postgres {
            return;
        }
        let records = amount("migrations", 20_000, 2_000_000);
        let cluster = Cluster::without_durability();
        let database = Database::in_cluster(&cluster);
        for setting in ["log_lock_waits = on", "deadlock_timeout = 300"] {
            database.execute(&format!("ALTER SYSTEM SET {setting}")).await;
        }
        database.execute("SELECT pg_reload_conf()").await;
        let service = database.service().await.resource::<ranked::Mark>();
        let api = Api::start(&database, service.migrate().await.expect("the version before starts")).await;
        let fill = format!("INSERT INTO marks (text) SELECT i::text FROM generate_series(1, {records}) AS i");
        database.execute(&fill).await;
        let stopped = Arc::new(AtomicBool::new(false));
        let mut running = JoinSet::new();
        for number in 0..8 {
            running.spawn(load((*api).clone(), number, stopped.clone()));
        }

        let directory = Directory::new();
        let fifth = async || database.service().await.resource::<v5::Owner>().resource::<v5::Mark>();
        let up = directory.write_migration(&fifth().await).await.up();
        assert!(up.contains("-- Fills in values, 5000 records at a time, of "), "{up}");
        directory.apply(&fifth().await).await;
        let ranks = "SELECT COUNT(*) FROM marks WHERE rank IS NULL OR rank NOT IN (3, 9)";
        assert_eq!(number(&database, ranks).await, 0, "a record was left out");
        assert_eq!(fifth().await.migrations().diff().await.expect("a comparison"), []);
        // A start adds an index by itself.
        database.service().await.resource::<v4::Mark>().migrate().await.map(drop).expect("a start");
        stopped.store(true, Ordering::Relaxed);
        let failures: usize = running.join_all().await.into_iter().sum();
        assert_eq!(failures, 0, "requests failed");
        api.stop().await;

        let log = || fs::read_to_string(cluster.directory().join("log")).expect("the log");
        let before = log();
        let mut holder = database.begin_transaction().await;
        holder.execute("LOCK TABLE marks").await;
        let waited = database.try_execute("SET lock_timeout = 600; SELECT * FROM marks").await;
        assert!(!waited && log().contains("still waiting for AccessShareLock on relation"), "the log has no waits");
        holder.commit().await;
        let log = before;
        let waits: Vec<&str> = log.lines().filter(|line| line.contains("still waiting for")).collect();
        let of_requests = waits.iter().filter(|line| !line.contains(" on virtual transaction "));
        // A statement that fills in values waits for a core beside other suites, and requests wait for its records.
        let is_short = |line: &str| amount("migrations", true, false) && is_short_wait_for_record(line, &log);
        let long: Vec<&&str> = of_requests.filter(|line| !is_short(line)).collect();
        assert!(long.is_empty(), "waited for longer than 300 ms: {long:#?}");
        eprintln!("{records} records: {} waits for transactions to end, no other", waits.len());
    });
}
