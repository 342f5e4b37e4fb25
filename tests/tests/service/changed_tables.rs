//! Tables that another program changes while a service runs.

use crud_runtime::prelude::*;
use crud_tests::{Api, Backend, Database, log_lines, on_each_sql_backend, on_each_sql_backend_and_pool, wait_until};
use serde_json::{Value, json};
use tokio::runtime::Builder;

#[derive(Debug, Clone, Resource)]
#[crud(table = "parts", prefix = "/parts", audit, filter(name), sort(name), soft_delete)]
struct Part {
    id: i64,
    name: String,
    price: Option<i32>,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "makers", prefix = "/makers", filter)]
struct Maker {
    id: i64,
    name: String,
}

/// A service on tables that are there: it has compared none of them.
async fn start(database: &Database) -> Api {
    let service = async || database.service().await.resource::<Part>().resource::<Maker>();
    drop(service().await.migrate().await.expect("the tables"));
    let api = Api::start(database, service().await).await;
    api.post("/parts", &json!({ "name": "a", "price": 1 })).await.created();
    api.post("/makers", &json!({ "name": "b" })).await.created();
    api
}

#[test]
fn column_that_is_dropped_is_503_for_its_resource_until_it_is_back() {
    on_each_sql_backend_and_pool(async |database| {
        let api = start(database).await;
        api.get("/parts?name=a").await.ok();
        database.execute("ALTER TABLE parts DROP COLUMN price").await;
        for _ in 0..3 {
            api.get("/parts").await.problem("unavailable");
            api.get("/parts/1").await.problem("unavailable");
            api.post("/parts", &json!({ "name": "c", "price": 1 })).await.problem("unavailable");
            api.get("/makers").await.ok();
        }
        let named = "the database no longer fits this version of Part";
        wait_until(named, async || api.get("/parts").await.problem("unavailable").detail == named).await;
        database.execute("ALTER TABLE parts ADD COLUMN price INTEGER").await;
        wait_until("the column is back", async || api.get("/parts").await.status() == 200).await;
        assert_eq!(api.get("/parts/1").await.ok()["price"], Value::Null);
        api.stop().await;
    });
}

#[test]
fn column_that_is_renamed_or_a_table_that_is_gone_is_503_and_never_500() {
    on_each_sql_backend(async |database| {
        let api = start(database).await;
        for (change, undo) in [
            ("ALTER TABLE parts RENAME COLUMN name TO title", "ALTER TABLE parts RENAME COLUMN title TO name"),
            ("ALTER TABLE parts RENAME TO items", "ALTER TABLE items RENAME TO parts"),
        ] {
            database.execute(change).await;
            api.get("/parts").await.problem("unavailable");
            api.patch("/parts/1", &json!({ "name": "d" })).await.problem("unavailable");
            database.execute(undo).await;
            wait_until(undo, async || api.get("/parts").await.status() == 200).await;
        }
        api.stop().await;
    });
}

#[test]
fn line_names_the_column_once_while_it_is_missing() {
    for backend in Backend::available().into_iter().filter(|backend| backend.speaks_sql()) {
        let lines = log_lines(|| {
            Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(async {
                let database = backend.fresh();
                let api = start(&database).await;
                database.execute("ALTER TABLE parts DROP COLUMN price").await;
                let named = "the database no longer fits this version of Part";
                wait_until(named, async || api.get("/parts").await.problem("unavailable").detail == named).await;
                for _ in 0..20 {
                    api.get("/parts").await.problem("unavailable");
                }
                api.stop().await;
            });
        });
        let named = |line: &&String| line.starts_with("ERROR") && line.contains("price") && line.contains("Part");
        assert_eq!(lines.iter().filter(named).count(), 1, "{lines:#?}");
    }
}

/// A column that gets another type: statements that were prepared for the old one are prepared again.
#[test]
fn column_of_another_type_that_holds_the_values_is_read_on() {
    on_each_sql_backend(async |database| {
        let change = match database.backend() {
            Backend::Postgres => "ALTER TABLE parts ALTER COLUMN price TYPE bigint",
            Backend::MySql => "ALTER TABLE parts MODIFY price BIGINT",
            _ => return,
        };
        let api = start(database).await;
        for _ in 0..3 {
            api.get("/parts/1").await.ok();
            api.get("/parts").await.ok();
        }
        database.execute(change).await;
        for _ in 0..3 {
            assert_eq!(api.get("/parts/1").await.ok()["price"], 1);
            api.get("/parts").await.ok();
        }
        api.stop().await;
    });
}

#[test]
fn history_says_that_another_program_has_changed_the_record() {
    on_each_sql_backend(async |database| {
        let api = start(database).await;
        let history = async || api.get("/parts/1/history").await.ok();
        api.patch("/parts/1", &json!({ "name": "b" })).await.ok();
        let unlogged = history().await.get("unlogged").cloned();
        assert_eq!(unlogged, None, "the record is that of its last entry");
        // The last entry has the name alone, and the first one the price.
        for (change, undo) in [
            ("UPDATE parts SET name = 'x' WHERE id = 1", "UPDATE parts SET name = 'b' WHERE id = 1"),
            ("UPDATE parts SET price = 7 WHERE id = 1", "UPDATE parts SET price = 1 WHERE id = 1"),
            ("UPDATE parts SET deleted_at = '2020-01-01 00:00:00' WHERE id = 1", "UPDATE parts SET deleted_at = NULL"),
        ] {
            database.execute(change).await;
            assert_eq!(history().await["unlogged"], true, "{change}");
            assert_eq!(history().await["total"], 2, "{change}");
            database.execute(undo).await;
            assert_eq!(history().await.get("unlogged"), None, "{undo}");
        }
        database.execute("UPDATE parts SET name = 'x' WHERE id = 1").await;
        let now = history().await["data"][1]["timestamp"].as_str().expect("a time").to_owned();
        let problem = api.get(format!("/parts/1?as_of={now}")).await.problem("history_incomplete");
        assert!(problem.detail.contains("is not that of its last audit entry"), "{problem}");
        database.execute("DELETE FROM parts WHERE id = 1").await;
        assert_eq!(history().await["unlogged"], true, "it was removed without an entry");
        api.stop().await;
    });
}
