//! A service that owns its tables creates none in the place of one that may be meant.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, log_lines, on_each_sql_backend};
use serde_json::json;

use crate::foreign::support::{books, catalogue, other_program, refusal};

#[derive(Debug, Clone, Resource)]
#[crud(table = "invoices", prefix = "/invoices")]
struct Misspelt {
    id: i64,
    total: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(table("invoices", new), prefix = "/invoices")]
struct Meant {
    id: i64,
    total: i64,
}

#[test]
fn table_beside_one_of_nearly_the_same_name_is_created_where_that_is_meant() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let before = catalogue(database).await;
        let error = refusal(database.service().await.resource::<Misspelt>()).await;
        assert!(error.contains("table `invoices`: is missing, and `invoice` has records and no struct"), "{error}");
        assert!(error.contains("add `new` to `table(…)`"), "{error}");
        assert_eq!(catalogue(database).await, before);
        let service = database.service().await.resource::<Meant>().migrate().await.expect("it is meant");
        let api = Api::start(database, service).await;
        api.post("/invoices", &json!({ "total": 1 })).await.created();
        api.stop().await;
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "receipts", filter(total), sort(paid), search(memo))]
struct Receipt {
    id: i64,
    total: i64,
    #[crud(unique, length(max = 20))]
    number: Option<String>,
    paid: i64,
    memo: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table("receipts", new), filter(total), sort(paid), search(memo))]
#[allow(dead_code)]
struct MeantReceipt {
    id: i64,
    total: i64,
    #[crud(unique, length(max = 20))]
    number: Option<String>,
    paid: i64,
    memo: String,
}

#[test]
fn table_that_was_renamed_by_hand_is_named_before_the_missing_one_is_created() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Receipt>().migrate().await.expect("tables");
        let api = Api::start(database, service).await;
        api.post("/receipts", &json!({ "total": 1, "number": "a", "paid": 2, "memo": "x" })).await.created();
        api.stop().await;
        database.execute("ALTER TABLE receipts RENAME TO old_paper").await;
        let before = catalogue(database).await;
        let service = || async { database.service().await.resource::<Receipt>() };
        let planned = service().await.plan().await.map_err(|error| error.to_string());
        let started = service().await.migrate().await.map(drop).map_err(|error| error.to_string());
        // Indexes have names of their table alone there.
        if database.backend() == Backend::MySql {
            assert!(planned.is_ok() && started.is_ok(), "{planned:?} {started:?}");
            return;
        }
        let (planned, started) = (planned.expect_err("it is refused"), started.expect_err("it is refused"));
        assert_eq!(planned, started, "a check says what a start does");
        for part in [
            "table `receipts`: is missing, and `old_paper` has records and no struct",
            "index `ix_receipts__total",
            "`: is there, must be on `receipts` (`total`",
        ] {
            assert!(started.contains(part), "{part} in {started}");
        }
        assert_eq!(catalogue(database).await, before);
        let error = refusal(database.service().await.resource::<MeantReceipt>()).await;
        assert!(error.contains("is there, must be on `receipts`") && !error.contains("old_paper"), "{error}");
    });
}

/// The lines of a start, which runs on a thread by itself.
fn lines_of_start(url: &str) -> Vec<String> {
    let url = url.to_owned();
    let start = move || {
        log_lines(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let service = Service::connect(&url).await.expect("the database").resource::<Meant>();
                drop(service.migrate().await.expect("it starts"));
            });
        })
    };
    std::thread::spawn(start).join().expect("no panic")
}

#[test]
fn first_start_names_the_tables_that_it_creates() {
    on_each_sql_backend(async |database| {
        let first = lines_of_start(database.url());
        let line = first.iter().find(|line| line.contains("creates tables")).expect("a line");
        assert!(line.contains("invoices"), "{line}");
        let second = lines_of_start(database.url());
        assert!(!second.iter().any(|line| line.contains("creates tables")), "{second:#?}");
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("invoice", unmanaged), prefix = "/invoice-rows")]
struct Invoice {
    id: i32,
    total: i32,
}

#[test]
fn empty_table_and_one_of_a_struct_are_in_no_way() {
    on_each_sql_backend(async |database| {
        other_program(database, "CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER NOT NULL)").await;
        drop(database.service().await.resource::<Misspelt>().migrate().await.expect("nothing is lost"));
        database.execute("DROP TABLE invoices; INSERT INTO invoice VALUES (1, 1)").await;
        let both = database.service().await.resource::<Misspelt>().resource::<Invoice>();
        drop(both.migrate().await.expect("both are named"));
    });
}

#[test]
fn table_in_a_schema_that_the_connection_does_not_search_is_not_passed_by() {
    on_each_sql_backend(async |database| {
        if database.backend() != Backend::Postgres {
            return; // its schemas alone are parts of a database
        }
        database
            .execute("CREATE SCHEMA sales; CREATE TABLE sales.invoices (id bigint PRIMARY KEY, total bigint)")
            .await;
        database.execute("INSERT INTO sales.invoices VALUES (1, 1)").await;
        let error = refusal(database.service().await.resource::<Misspelt>()).await;
        assert!(error.contains("is missing, and `sales.invoices` has records and no struct"), "{error}");
    });
}
