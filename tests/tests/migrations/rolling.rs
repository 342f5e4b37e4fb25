//! Rolling deploys: two versions of a program on one database while it changes, under load. A change is an expansion, with
//! which both versions work, and a contraction, when no server of the old version is left.

use std::fs;

use crud_runtime::migrations::DataMigration;
use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Database, on_each_sql_server, wait_until};
use serde_json::json;

use crate::load::{Bodies, Load, Server};
use crate::support::{Directory, error_text};

/// The program before each change.
mod old {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers", prefix = "/customers", pagination)]
    pub(super) struct Customer {
        pub(super) id: i64,
        #[crud(length(max = 80))]
        pub(super) name: String,
        #[crud(length(max = 50))]
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
        #[crud(length(max = 80))]
        pub(super) name: String,
        #[crud(length(max = 50), column(backfill = ""))]
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
        #[crud(length(max = 40), column(backfill = ""))]
        pub(super) first_name: String,
        #[crud(length(max = 40), column(backfill = ""))]
        pub(super) last_name: String,
        #[crud(length(max = 50))]
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
        #[crud(length(max = 80))]
        pub(super) name: String,
        #[crud(length(max = 50))]
        pub(super) phone: String,
        pub(super) visits: i64,
    }
}

/// The table of the step that fills in values: its keys.
mod keys {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "customers")]
    pub(super) struct Customer {
        pub(super) id: i64,
    }
}

const EXPAND: &str = "99990101000000_expand.sql";
const FILL: &str = "99990101000001_fill.sql";
const CONTRACT: &str = "99990201000000_contract.sql";

/// Number of records before the change.
const RECORDS: usize = 350;

/// The program of a version, with the files that it knows.
async fn service<R: Resource>(database: &Database, directory: &Directory) -> Service {
    database.service().await.resource::<R>().migrations_from(directory.path())
}

async fn start<R: Resource>(database: &Database, directory: &Directory) -> Api {
    let service = service::<R>(database, directory).await.migrate().await.expect("the program fits and starts");
    Api::start(database, service).await
}

/// The statements of a change.
struct Change {
    expand: &'static str,
    /// Fills in the values of the records between two keys.
    fill: Option<&'static str>,
    contract: Option<&'static str>,
}

/// A step that fills in values in batches.
fn filling(statement: &'static str) -> DataMigration {
    DataMigration::batches("fill", move |batch, tx| fill(statement, batch, tx)).batch_size(100)
}

async fn fill(statement: &'static str, batch: Vec<keys::Customer>, mut tx: Tx<'static>) -> crud_runtime::Result<()> {
    let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(()) };
    tx.sql(statement).bind(first.id).bind(last.id).execute().await.map(drop)
}

/// Plays a change: expansion, both versions, contraction.
async fn play<New: Resource>(database: &Database, bodies: Bodies, Change { expand, fill, contract }: Change) {
    let (first, second) = (Directory::new(), Directory::new());
    first.write_migration(&database.service().await.resource::<old::Customer>()).await;
    let applied = first.apply(&database.service().await.resource::<old::Customer>()).await;
    assert_eq!(applied, 1);
    let oldest = start::<old::Customer>(database, &first).await;
    for file in first.files() {
        second.write(&file, &fs::read_to_string(first.path().join(&file)).expect("the file"));
    }
    // More records than a batch, which no request writes.
    let before = (1..=RECORDS).map(|number| old::NewCustomer {
        name: format!("Grace Hopper{number}"),
        phone: format!("+1 {number}"),
        visits: 2,
    });
    let customers = service::<old::Customer>(database, &first).await.store::<old::Customer>();
    customers.create_batch(before.collect::<Vec<_>>()).await.expect("customers");
    second.write(EXPAND, expand);
    if fill.is_some() {
        second.write(FILL, "-- data-migration fill\n");
    }
    let newer = async || {
        let newer = database.service().await.resource::<New>();
        fill.into_iter().fold(newer, |newer, fill| newer.data_migration(filling(fill)))
    };

    // The database changes below the old version.
    let expanding = Load::new(bodies);
    let expansion = async {
        expanding.more(20).await;
        assert_eq!(second.apply(&newer().await).await, 1 + usize::from(fill.is_some()));
        expanding.more(20).await;
        expanding.stop();
    };
    let server = Server::of(&oldest, true);
    let (failures, others, ()) = tokio::join!(expanding.run(server, &[]), expanding.run(server, &[]), expansion);
    assert_eq!([failures, others].concat(), [""; 0], "while the database is expanded");

    // Another server of the old version starts beside one of the new one.
    let older = start::<old::Customer>(database, &first).await;
    let new_service =
        newer().await.migrations_from(second.path()).migrate().await.expect("the program fits and starts");
    let by_new = Api::start(database, new_service).await;
    let load = Load::new(bodies);
    let both = async {
        load.more(60).await;
        load.stop();
    };
    let servers = [Server::of(&oldest, true), Server::of(&older, true), Server::of(&by_new, false)];
    let (by_oldest, by_older, by_newer, ()) = tokio::join!(
        load.run(servers[0], &servers[1..]),
        load.run(servers[1], &servers[2..]),
        load.run(servers[2], &servers[..2]),
        both,
    );
    assert_eq!([by_oldest, by_older, by_newer].concat(), [""; 0], "of two versions");
    for written in [&expanding, &load] {
        assert_eq!(written.read_all(&servers).await, [""; 0], "once both versions ran");
    }
    let same = "SELECT name FROM customers WHERE name LIKE 'Grace Hopper%' AND visits = 2";
    assert_eq!(database.texts(same).await.len(), RECORDS, "a record of before was changed");
    older.stop().await;

    let Some(contract) = contract else {
        oldest.stop().await;
        return by_new.stop().await;
    };
    second.write(CONTRACT, contract);
    let contracting = Load::new(bodies);
    let contraction = async {
        contracting.more(20).await;
        assert_eq!(second.apply(&newer().await).await, 1);
        contracting.more(20).await;
        contracting.stop();
    };
    let server = Server::of(&by_new, false);
    let (failures, ()) = tokio::join!(contracting.run(server, &[]), contraction);
    assert_eq!(failures, [""; 0], "while the database is contracted");
    for written in [&expanding, &load, &contracting] {
        assert_eq!(written.read_all(&[server]).await, [""; 0], "once the database is contracted");
    }

    // A server of the old version that was forgotten is of no use, and says so.
    oldest.get("/customers").await.problem("unavailable");
    wait_until("the old server is not ready", async || oldest.get("/ready").await.status() == 503).await;
    oldest.get("/customers/1").await.problem("unavailable");
    oldest.get("/health").await.ok();
    let error = error_text(service::<old::Customer>(database, &first).await.migrate().await);
    assert!(error.contains("is missing") && error.contains("this program is older than the migrations"), "{error}");
    by_new.get("/ready").await.ok();
    oldest.stop().await;
    by_new.stop().await;
}

/// The guide, whose statements are these tests'.
const GUIDE: &str = include_str!("../../../docs/src/guide/rolling.md");

/// The statements of the guide for a database, by their title.
fn statements(backend: Backend, title: &str) -> &'static str {
    let database = if backend == Backend::Postgres { "PostgreSQL" } else { "MariaDB" };
    let begin = format!("```sql\n-- {database}: {title}\n");
    let (_, rest) = GUIDE.split_once(&begin).unwrap_or_else(|| panic!("the guide has no {begin}"));
    rest.split_once("```").expect("the end of the statements").0.trim_end()
}

#[test]
fn column_is_renamed_below_two_versions() {
    on_each_sql_server(async |database| {
        let bodies = Bodies {
            list: "/customers",
            old: |number| json!({ "name": "Ada Lovelace", "phone": format!("+358 {number}"), "visits": 1 }),
            new: |number| json!({ "name": "Ada Lovelace", "telephone": format!("+358 {number}"), "visits": 1 }),
        };
        let of = |title| statements(database.backend(), title);
        let (fill, contract) = (Some(of("fill the rename")), Some(of("contract the rename")));
        play::<renamed::Customer>(database, bodies, Change { expand: of("expand the rename"), fill, contract }).await;
        let filled = "SELECT telephone FROM customers WHERE name LIKE 'Grace%' AND telephone LIKE '+1 %'";
        assert_eq!(database.texts(filled).await.len(), RECORDS, "a record was not filled in");
    });
}

#[test]
fn column_is_split_below_two_versions() {
    on_each_sql_server(async |database| {
        let bodies = Bodies {
            list: "/customers",
            old: |number| json!({ "name": format!("Ada Lovelace{number}"), "phone": "1", "visits": 1 }),
            new: |number| json!({ "first_name": "Ada", "last_name": format!("Lovelace{number}"), "phone": "1", "visits": 1 }),
        };
        let of = |title| statements(database.backend(), title);
        let (fill, contract) = (Some(of("fill the split")), Some(of("contract the split")));
        play::<split::Customer>(database, bodies, Change { expand: of("expand the split"), fill, contract }).await;
        let filled = "SELECT last_name FROM customers WHERE first_name = 'Grace' AND last_name LIKE 'Hopper%'";
        assert_eq!(database.texts(filled).await.len(), RECORDS, "a record was not filled in");
    });
}

#[test]
fn column_gets_a_wider_type_below_two_versions() {
    on_each_sql_server(async |database| {
        let body = |number: usize| json!({ "name": "Ada Lovelace", "phone": "1", "visits": number });
        let expand = statements(database.backend(), "widen");
        let change = Change { expand, fill: None, contract: None };
        play::<wider::Customer>(database, Bodies { list: "/customers", old: body, new: body }, change).await;
    });
}
