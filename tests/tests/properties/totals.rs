//! The total of a page is the number of records in the page's own snapshot, whatever writes meanwhile.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crud_runtime::App;
use crud_tests::kitchen::Ledger;
use crud_tests::{Api, Backend, Client, pause, wait_until};
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

/// Number of lists of each kind that are read while the writers write.
const LISTS: u64 = 400;

/// Lists so that a page has every record: the total is their number. Counts the lists.
async fn read(client: &Client, stop: &AtomicBool, parameters: &str, lists: &AtomicU64) {
    while !stop.load(Ordering::Relaxed) {
        let list = client.get(format!("/ledgers?limit=1000{parameters}")).await.ok();
        let records = list["data"].as_array().expect("records").len();
        assert_eq!(list["total_relation"], "eq");
        if records < 1000 {
            assert_eq!(list["total"], records, "{parameters}");
            lists.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn item(random: &mut fastrand::Rng) -> Value {
    json!({ "name": random.u64(..).to_string() })
}

/// Changes records over HTTP: one, several, and several of which one is refused.
async fn change(client: &Client, stop: &AtomicBool, mut random: fastrand::Rng) {
    while !stop.load(Ordering::Relaxed) {
        let id = random.u32(1..200);
        let request = match random.u8(..9) {
            0 => client.post("/ledgers", &item(&mut random)),
            1 => {
                let items: Vec<Value> = (0..random.usize(1..20)).map(|_| item(&mut random)).collect();
                client.post("/ledgers/batch", &json!({ "items": items }))
            }
            2 => client.post("/ledgers/batch", &json!({ "items": [item(&mut random), { "name": 7 }] })),
            3 | 4 => client.delete(format!("/ledgers/{id}")),
            5 => client.post(format!("/ledgers/{id}/restore"), &Value::Null),
            6 => client.delete(format!("/ledgers/{id}/permanent")),
            7 => client.post("/ledgers/batch/delete", &json!({ "ids": [id, id + 1, id + 2] })),
            _ => client.delete("/ledgers/deleted?id__lt=100"),
        };
        let status = request.await.status();
        assert!(status < 500, "{status}");
    }
}

/// Changes records by the program's own SQL: committed, rolled back, and replaced.
async fn change_by_sql(app: &App, stop: &AtomicBool, mut random: fastrand::Rng) {
    const INSERT: &str = "INSERT INTO ledgers (name, balance, created_at, updated_at) SELECT name, balance, created_at, updated_at FROM ledgers LIMIT 5";
    const REPLACE: &str = "INSERT OR REPLACE INTO ledgers SELECT * FROM ledgers WHERE id % 5 = 0";
    while !stop.load(Ordering::Relaxed) {
        let text = match random.u8(..4) {
            0 => INSERT,
            1 => REPLACE,
            2 => "DELETE FROM ledgers WHERE id % 2 = 0",
            _ => "UPDATE ledgers SET deleted_at = created_at WHERE id % 3 = 0 AND deleted_at IS NULL",
        };
        let commits = random.bool();
        let done = app
            .transaction(async |tx| {
                tx.sql(text).execute().await?;
                if commits { Ok(()) } else { Err(crud_runtime::error::Error::Setup("rolled back".into())) }
            })
            .await;
        assert_eq!(done.is_ok(), commits, "{done:?}");
        pause("another program writes now and then", Duration::from_millis(random.u64(..20))).await;
    }
}

/// Changes records on a connection that the service does not know of.
async fn change_elsewhere(url: &str, stop: &AtomicBool, mut random: fastrand::Rng) {
    let mut connection = SqliteConnection::connect(url).await.expect("another connection");
    sqlx::query("PRAGMA busy_timeout = 5000").execute(&mut connection).await.expect("a time-out");
    while !stop.load(Ordering::Relaxed) {
        let text = match random.u8(..3) {
            0 => {
                "INSERT INTO ledgers (name, balance, created_at, updated_at) SELECT name, balance, created_at, updated_at FROM ledgers LIMIT 3"
            }
            1 => "DELETE FROM ledgers WHERE id % 11 = 0",
            _ => "UPDATE ledgers SET deleted_at = NULL WHERE id % 4 = 0",
        };
        sqlx::query(text).execute(&mut connection).await.expect(text);
        pause("another program writes now and then", Duration::from_millis(random.u64(..50))).await;
    }
}

#[test]
fn total_of_a_page_is_that_of_its_snapshot_while_everything_writes() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let database = Backend::Sqlite.fresh();
        let service = database.service().await.resource_with::<Ledger>(|options| options.max_limit(1000));
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(&database, service).await;
        let (stop, seed) = (AtomicBool::new(false), fastrand::Rng::new().u64(..));
        eprintln!("seed {seed}");
        let random = |of: u64| fastrand::Rng::with_seed(seed.wrapping_add(of));
        let [active, all, deleted] = [const { AtomicU64::new(0) }; 3];
        let enough = async {
            let lists = [&active, &all, &deleted];
            wait_until("lists are read", async || lists.iter().all(|count| count.load(Ordering::Relaxed) >= LISTS))
                .await;
            stop.store(true, Ordering::Relaxed);
        };
        tokio::join!(
            read(&api, &stop, "", &active),
            read(&api, &stop, "&include_deleted=true", &all),
            read(&api, &stop, "&only_deleted=true", &deleted),
            change(&api, &stop, random(0)),
            change(&api, &stop, random(1)),
            change_by_sql(&app, &stop, random(2)),
            change_elsewhere(database.url(), &stop, random(3)),
            enough,
        );
        api.stop().await;
    });
}
