//! Rolling deploys: two versions of a program on one database while it changes, under load. A change is an expansion, with
//! which both versions work, and a contraction, when no server of the old version is left.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_runtime::prelude::*;
use crud_tests::fixtures::id;
use crud_tests::{Api, Backend, Client, Database, on_each_sql_server, wait_until};
use serde_json::{Value, json};

use crate::support::{Directory, error_text};

/// The program before each change.
mod old {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers", prefix = "/customers", pagination)]
    pub(super) struct Customer {
        pub(super) id: i64,
        #[crud(max_length = 80)]
        pub(super) name: String,
        #[crud(max_length = 50)]
        pub(super) phone: String,
        pub(super) visits: i32,
    }
}

/// The program with `phone` renamed.
mod renamed {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers", prefix = "/customers", pagination)]
    pub(super) struct Customer {
        pub(super) id: i64,
        #[crud(max_length = 80)]
        pub(super) name: String,
        #[crud(max_length = 50, backfill = "")]
        pub(super) telephone: String,
        pub(super) visits: i32,
    }
}

/// The program with `name` split into two fields.
mod split {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers", prefix = "/customers", pagination)]
    pub(super) struct Customer {
        pub(super) id: i64,
        #[crud(max_length = 40, backfill = "")]
        pub(super) first_name: String,
        #[crud(max_length = 40, backfill = "")]
        pub(super) last_name: String,
        #[crud(max_length = 50)]
        pub(super) phone: String,
        pub(super) visits: i32,
    }
}

/// The program whose `visits` are wider.
mod wider {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers", prefix = "/customers", pagination)]
    pub(super) struct Customer {
        pub(super) id: i64,
        #[crud(max_length = 80)]
        pub(super) name: String,
        #[crud(max_length = 50)]
        pub(super) phone: String,
        pub(super) visits: i64,
    }
}

const EXPAND: &str = "99990101000000_expand.sql";
const CONTRACT: &str = "99990201000000_contract.sql";

/// A field of the old version's records, those of the new version with the same value, and values of both.
#[derive(Clone, Copy)]
struct Change {
    old: fn(usize) -> Value,
    new: fn(usize) -> Value,
}

impl Change {
    /// The body of the record with this number.
    fn body(self, is_old: bool, number: usize) -> Value {
        let mut body = json!({ "name": "Ada Lovelace", "phone": "1", "telephone": "1", "first_name": "Ada",
            "last_name": "Lovelace", "visits": 1 });
        let part = if is_old { (self.old)(number) } else { (self.new)(number) };
        for (name, value) in part.as_object().expect("an object") {
            body[name] = value.clone();
        }
        body
    }
}

/// A server of either version.
#[derive(Clone, Copy)]
struct Server<'a> {
    api: &'a Client,
    is_old: bool,
}

impl<'a> Server<'a> {
    const fn of(api: &'a Client, is_old: bool) -> Self {
        Self { api, is_old }
    }
}

/// Requests until they are stopped, and those that failed.
struct Load {
    change: Change,
    stop: AtomicBool,
    rounds: AtomicUsize,
}

impl Load {
    const fn new(change: Change) -> Self {
        Self { change, stop: AtomicBool::new(false), rounds: AtomicUsize::new(0) }
    }

    /// Creates, changes and reads records of one version until it is stopped, and reads each acknowledged write by the other
    /// versions; the failures.
    async fn run(&self, api: &Client, is_old: bool, fields: &[&str], others: &[Server<'_>]) -> Vec<String> {
        let mut failures = Vec::new();
        let only = |body: Value| -> Value {
            let members = body.as_object().expect("an object").clone();
            members.into_iter().filter(|(name, _)| fields.contains(&name.as_str())).collect()
        };
        let mut number = 0;
        while !self.stop.load(Ordering::Relaxed) {
            number += 1;
            let created = api.post("/customers", &only(self.change.body(is_old, number))).await;
            if created.status() != 201 {
                failures.push(format!("create: {created}"));
                continue;
            }
            let path = format!("/customers/{}", id(created.json()));
            let body = only(self.change.body(is_old, number + 1));
            for answer in [
                api.patch(&path, &body).await,
                api.get(&path).await,
                api.get("/customers?limit=5").await,
                api.put(&path, &body).await,
            ] {
                if !(200..300).contains(&answer.status()) {
                    failures.push(format!("{path}: {answer}"));
                }
            }
            for other in others {
                let read = other.api.get(&path).await;
                let expected = if other.is_old { (self.change.old)(number + 1) } else { (self.change.new)(number + 1) };
                let expected = expected.as_object().expect("an object").clone();
                if read.status() != 200 || expected.iter().any(|(name, value)| read.json()[name] != *value) {
                    failures.push(format!("{path}, of another version: {read}"));
                }
            }
            self.rounds.fetch_add(1, Ordering::Relaxed);
        }
        failures
    }

    /// Waits for this many further rounds.
    async fn more(&self, rounds: usize) {
        let goal = self.rounds.load(Ordering::Relaxed) + rounds;
        wait_until("requests go on", async || self.rounds.load(Ordering::Relaxed) >= goal).await;
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

const OLD_FIELDS: [&str; 3] = ["name", "phone", "visits"];

/// The program of a version, with the files that it knows.
async fn service<R: Resource>(database: &Database, directory: &Directory) -> Service {
    database.service().await.resource::<R>().migrations(directory.path())
}

async fn start<R: Resource>(database: &Database, directory: &Directory) -> Api {
    let service = service::<R>(database, directory).await.migrate().await.expect("the program fits and starts");
    Api::start(database, service).await
}

/// Plays a change: expansion, both versions, contraction. `fields`: those of the new version.
async fn play<New: Resource>(
    database: &Database,
    change: Change,
    fields: &[&str],
    expand: &str,
    contract: Option<&str>,
) {
    let (first, second) = (Directory::new(), Directory::new());
    first.write_migration(&database.service().await.resource::<old::Customer>()).await;
    let applied = first.apply(&database.service().await.resource::<old::Customer>()).await;
    assert_eq!(applied, 1);
    let oldest = start::<old::Customer>(database, &first).await;
    for file in first.files() {
        second.write(&file, &fs::read_to_string(first.path().join(&file)).expect("the file"));
    }
    second.write(EXPAND, expand);

    // The database changes below the old version.
    let load = Load::new(change);
    let expansion = async {
        load.more(20).await;
        let newer = database.service().await.resource::<New>();
        assert_eq!(second.apply(&newer).await, 1);
        load.more(20).await;
        load.stop();
    };
    let (failures, others, ()) =
        tokio::join!(load.run(&oldest, true, &OLD_FIELDS, &[]), load.run(&oldest, true, &OLD_FIELDS, &[]), expansion,);
    assert_eq!([failures, others].concat(), [""; 0], "while the database is expanded");

    // Another server of the old version starts beside one of the new one.
    let older = start::<old::Customer>(database, &first).await;
    let newer = start::<New>(database, &second).await;
    let load = Load::new(change);
    let both = async {
        load.more(60).await;
        load.stop();
    };
    let servers = [Server::of(&oldest, true), Server::of(&older, true), Server::of(&newer, false)];
    let (by_oldest, by_older, by_newer, ()) = tokio::join!(
        load.run(&oldest, true, &OLD_FIELDS, &servers[1..]),
        load.run(&older, true, &OLD_FIELDS, &servers[2..]),
        load.run(&newer, false, fields, &servers[..2]),
        both,
    );
    assert_eq!([by_oldest, by_older, by_newer].concat(), [""; 0], "of two versions");
    older.stop().await;

    let Some(contract) = contract else {
        oldest.stop().await;
        return newer.stop().await;
    };
    second.write(CONTRACT, contract);
    let load = Load::new(change);
    let contraction = async {
        load.more(20).await;
        assert_eq!(second.apply(&database.service().await.resource::<New>()).await, 1);
        load.more(20).await;
        load.stop();
    };
    let (failures, ()) = tokio::join!(load.run(&newer, false, fields, &[]), contraction);
    assert_eq!(failures, [""; 0], "while the database is contracted");

    // A server of the old version that was forgotten is of no use, and says so.
    oldest.get("/customers").await.problem("unavailable");
    wait_until("the old server is not ready", async || oldest.get("/ready").await.status() == 503).await;
    oldest.get("/customers/1").await.problem("unavailable");
    oldest.get("/health").await.ok();
    let error = error_text(service::<old::Customer>(database, &first).await.migrate().await);
    assert!(error.contains("is missing") && error.contains("this program is older than the migrations"), "{error}");
    newer.get("/ready").await.ok();
    oldest.stop().await;
    newer.stop().await;
}

/// The guide, whose statements are these tests'.
const GUIDE: &str = include_str!("../../../docs/src/guide/rolling.md");

/// The statements of the guide for a database, by their title.
fn statements(backend: Backend, title: &str) -> &'static str {
    let database = if backend == Backend::Postgres { "PostgreSQL" } else { "MariaDB" };
    let begin = format!("```sql\n-- {database}: {title}\n");
    let (_, rest) = GUIDE.split_once(&begin).unwrap_or_else(|| panic!("the guide has no {begin}"));
    rest.split_once("```").expect("the end of the statements").0
}

#[test]
fn column_is_renamed_below_two_versions() {
    on_each_sql_server(async |database| {
        let change = Change {
            old: |number| json!({ "phone": format!("+358 {number}") }),
            new: |number| json!({ "telephone": format!("+358 {number}") }),
        };
        let of = |title| statements(database.backend(), title);
        let (expand, contract) = (of("expand the rename"), of("contract the rename"));
        play::<renamed::Customer>(database, change, &["name", "telephone", "visits"], expand, Some(contract)).await;
    });
}

#[test]
fn column_is_split_below_two_versions() {
    on_each_sql_server(async |database| {
        let change = Change {
            old: |number| json!({ "name": format!("Ada Lovelace{number}") }),
            new: |number| json!({ "first_name": "Ada", "last_name": format!("Lovelace{number}") }),
        };
        let of = |title| statements(database.backend(), title);
        let (expand, contract) = (of("expand the split"), of("contract the split"));
        let fields = ["first_name", "last_name", "phone", "visits"];
        play::<split::Customer>(database, change, &fields, expand, Some(contract)).await;
    });
}

#[test]
fn column_gets_a_wider_type_below_two_versions() {
    on_each_sql_server(async |database| {
        let change = Change { old: |number| json!({ "visits": number }), new: |number| json!({ "visits": number }) };
        let expand = statements(database.backend(), "widen");
        play::<wider::Customer>(database, change, &OLD_FIELDS, expand, None).await;
    });
}
