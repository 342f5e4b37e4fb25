//! Rolling deploys: two versions of a program on one database while it changes, under load. A change is an expansion, with
//! which both versions work, and a contraction, when no server of the old version is left.

use std::fs;

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

/// The program of a version, with the files that it knows.
async fn service<R: Resource>(database: &Database, directory: &Directory) -> Service {
    database.service().await.resource::<R>().migrations(directory.path())
}

async fn start<R: Resource>(database: &Database, directory: &Directory) -> Api {
    let service = service::<R>(database, directory).await.migrate().await.expect("the program fits and starts");
    Api::start(database, service).await
}

/// Plays a change: expansion, both versions, contraction.
async fn play<New: Resource>(database: &Database, bodies: Bodies, expand: &str, contract: Option<&str>) {
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
    let load = Load::new(bodies);
    let expansion = async {
        load.more(20).await;
        let newer = database.service().await.resource::<New>();
        assert_eq!(second.apply(&newer).await, 1);
        load.more(20).await;
        load.stop();
    };
    let server = Server::of(&oldest, true);
    let (failures, others, ()) = tokio::join!(load.run(server, &[]), load.run(server, &[]), expansion);
    assert_eq!([failures, others].concat(), [""; 0], "while the database is expanded");

    // Another server of the old version starts beside one of the new one.
    let older = start::<old::Customer>(database, &first).await;
    let newer = start::<New>(database, &second).await;
    let load = Load::new(bodies);
    let both = async {
        load.more(60).await;
        load.stop();
    };
    let servers = [Server::of(&oldest, true), Server::of(&older, true), Server::of(&newer, false)];
    let (by_oldest, by_older, by_newer, ()) = tokio::join!(
        load.run(servers[0], &servers[1..]),
        load.run(servers[1], &servers[2..]),
        load.run(servers[2], &servers[..2]),
        both,
    );
    assert_eq!([by_oldest, by_older, by_newer].concat(), [""; 0], "of two versions");
    older.stop().await;

    let Some(contract) = contract else {
        oldest.stop().await;
        return newer.stop().await;
    };
    second.write(CONTRACT, contract);
    let load = Load::new(bodies);
    let contraction = async {
        load.more(20).await;
        assert_eq!(second.apply(&database.service().await.resource::<New>()).await, 1);
        load.more(20).await;
        load.stop();
    };
    let (failures, ()) = tokio::join!(load.run(Server::of(&newer, false), &[]), contraction);
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
        let bodies = Bodies {
            old: |number| json!({ "name": "Ada Lovelace", "phone": format!("+358 {number}"), "visits": 1 }),
            new: |number| json!({ "name": "Ada Lovelace", "telephone": format!("+358 {number}"), "visits": 1 }),
        };
        let of = |title| statements(database.backend(), title);
        let (expand, contract) = (of("expand the rename"), of("contract the rename"));
        play::<renamed::Customer>(database, bodies, expand, Some(contract)).await;
    });
}

#[test]
fn column_is_split_below_two_versions() {
    on_each_sql_server(async |database| {
        let bodies = Bodies {
            old: |number| json!({ "name": format!("Ada Lovelace{number}"), "phone": "1", "visits": 1 }),
            new: |number| json!({ "first_name": "Ada", "last_name": format!("Lovelace{number}"), "phone": "1", "visits": 1 }),
        };
        let of = |title| statements(database.backend(), title);
        let (expand, contract) = (of("expand the split"), of("contract the split"));
        play::<split::Customer>(database, bodies, expand, Some(contract)).await;
    });
}

#[test]
fn column_gets_a_wider_type_below_two_versions() {
    on_each_sql_server(async |database| {
        let body = |number: usize| json!({ "name": "Ada Lovelace", "phone": "1", "visits": number });
        let expand = statements(database.backend(), "widen");
        play::<wider::Customer>(database, Bodies { old: body, new: body }, expand, None).await;
    });
}
