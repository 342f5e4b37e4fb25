//! A struct that was renamed: programs of either name serve its records side by side, and read one log.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use crud_tests::{
    Answer, Api, Client, Database, Server, audit_log, free_address, on_each_backend_with_url, on_each_sql_backend,
    wait_until, within,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::oneshot;

use crate::caller::{SECRET, bearer};

mod order {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(audit, filter, sort, pagination(cursor))]
    pub(super) struct Order {
        pub(super) id: i64,
        pub(super) total: i32,
    }

    /// A payment, with idempotency keys.
    #[derive(Debug, Clone, Resource)]
    #[crud(idempotency)]
    pub(super) struct Payment {
        pub(super) id: i64,
        pub(super) amount: i32,
    }
}

mod purchase {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(renamed_from = "Order", audit, filter, sort, pagination(cursor))]
    pub(super) struct Purchase {
        pub(super) id: i64,
        pub(super) total: i32,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(renamed_from = "Payment", idempotency)]
    pub(super) struct Transfer {
        pub(super) id: i64,
        pub(super) amount: i32,
    }
}

mod sale {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(renamed_from = "Purchase", renamed_from = "Order", audit, filter, sort, pagination(cursor))]
    pub(super) struct Sale {
        pub(super) id: i64,
        pub(super) total: i32,
    }
}

async fn serve<R: Resource>(database: &Database) -> Api {
    let service = database.service().await.resource::<R>().without_auth().server(|server| server.secret([7; 32]));
    Api::start(database, service.migrate().await.expect("the program starts")).await
}

fn totals(page: &Value) -> Vec<i64> {
    page["data"].as_array().expect("a page").iter().map(|record| record["total"].as_i64().expect("a total")).collect()
}

/// The entries without what names the program that is asked.
fn without_type(mut entries: Vec<Value>, name: &str) -> Vec<Value> {
    for entry in &mut entries {
        assert_eq!(entry["entity_type"], name, "{entry}");
        entry.as_object_mut().expect("an entry").remove("entity_type");
    }
    entries
}

async fn as_of(api: &Client, time: &Value) -> Answer {
    api.get(format!("/orders/1?as_of={}", time.as_str().expect("a time").replace('+', "%2B"))).await
}

#[test]
fn programs_of_either_name_read_one_log() {
    on_each_backend_with_url(async |database| {
        let old = serve::<order::Order>(database).await;
        let first = old.post("/orders", &json!({ "total": 1 })).await.created();
        // Each begins where the other is running.
        let new = serve::<purchase::Purchase>(database).await;
        let newest = serve::<sale::Sale>(database).await;
        for (api, total) in [(&old, 2), (&new, 3), (&newest, 4), (&old, 5)] {
            api.patch("/orders/1", &json!({ "total": total })).await.ok();
        }
        new.post("/orders", &json!({ "total": 9 })).await.created();

        let entries = without_type(audit_log::history(&old, "/orders/1").await, "Order");
        assert_eq!(audit_log::actions(&entries), ["create", "update", "update", "update", "update"]);
        for (api, name) in [(&new, "Purchase"), (&newest, "Sale")] {
            assert_eq!(without_type(audit_log::history(api, "/orders/1").await, name), entries, "{name}");
            for asked in ["Order", name] {
                let all = without_type(audit_log::entries(api, asked).await, name);
                assert_eq!(all.len(), entries.len() + 1, "{name}, asked for {asked}");
            }
        }
        for api in [&old, &new, &newest] {
            assert_eq!(as_of(api, &entries[0]["timestamp"]).await.ok(), first);
            assert_eq!(as_of(api, &entries[2]["timestamp"]).await.ok()["total"], 3);
            assert_eq!(api.get("/orders/1").await.ok()["total"], 5);
        }

        let log = database.service().await.resource::<sale::Sale>().audit_log();
        assert_eq!(log.erase("Sale", 1).await.expect("the values are erased"), 5);
        assert_eq!(log.erase("Purchase", 2).await.expect("the values are erased"), 1);
        for entry in audit_log::history(&old, "/orders/1").await {
            assert!(entry.get("changes").is_none() && entry.get("previous").is_none(), "{entry}");
        }
        for api in [old, new, newest] {
            api.stop().await;
        }
    });
}

/// Two structs of one log, of which each hides a field.
mod hiding {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(audit)]
    pub(super) struct Offer {
        pub(super) id: i64,
        #[crud(visible(role("boss")), default = 1)]
        pub(super) margin: i32,
        pub(super) total: i32,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(renamed_from = "Offer", prefix = "/bids", audit)]
    pub(super) struct Bid {
        pub(super) id: i64,
        #[crud(rename = "profit", column = "margin", visible(role("boss")), default = 1)]
        pub(super) margin: i32,
        pub(super) total: i32,
    }
}

#[test]
fn entries_of_a_former_name_hide_what_any_struct_of_the_log_hides() {
    on_each_backend_with_url(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("authentication");
        let service = database.service().await.resource::<hiding::Offer>().resource::<hiding::Bid>().auth(auth);
        let api = Api::start(database, service.migrate().await.expect("the program starts")).await;
        let (boss, clerk) = (bearer("1", &["boss"]), bearer("2", &["clerk"]));
        api.post("/offers", &json!({ "margin": 5, "total": 9 })).header("Authorization", &boss).await.created();
        api.patch("/bids/1", &json!({ "profit": 6 })).header("Authorization", &boss).await.ok();
        for path in ["/offers/1/history", "/bids/1/history"] {
            let all = api.get(path).header("Authorization", &boss).await.ok();
            let changes = |entry: usize| &all["data"][entry]["changes"];
            assert_eq!((&changes(0)["margin"], &changes(1)["profit"]), (&json!(5), &json!(6)), "{all}");
            let some = api.get(path).header("Authorization", &clerk).await.ok();
            assert_eq!(some["total"], 1, "the update is of a hidden field alone: {some}");
            assert!(!some.to_string().contains("margin") && !some.to_string().contains("profit"), "{some}");
        }
        api.stop().await;
    });
}

#[test]
fn cursor_of_either_program_is_a_place_in_the_lists_of_the_other() {
    on_each_backend_with_url(async |database| {
        let (old, new) = (serve::<order::Order>(database).await, serve::<purchase::Purchase>(database).await);
        for total in 0..6 {
            old.post("/orders", &json!({ "total": total })).await.created();
        }
        let mut seen = Vec::new();
        let mut cursor = String::new();
        for api in [&old, &new, &old] {
            let page = api.get(format!("/orders?sort=-total&limit=2{cursor}")).await.ok();
            seen.extend(totals(&page));
            cursor = format!("&cursor={}", page["next_cursor"].as_str().unwrap_or_default());
        }
        assert_eq!(seen, [5, 4, 3, 2, 1, 0]);
        old.stop().await;
        new.stop().await;
    });
}

#[test]
fn answer_of_either_program_is_repeated_by_the_other() {
    on_each_sql_backend(async |database| {
        let (old, new) = (serve::<order::Payment>(database).await, serve::<purchase::Transfer>(database).await);
        let pay = async |api: &Api, key: &str, amount: i32| {
            api.post("/payments", &json!({ "amount": amount })).header("Idempotency-Key", key).await
        };
        for (key, first, second) in [("a", &old, &new), ("b", &new, &old)] {
            let answer = pay(first, key, 5).await.created();
            let again = pay(second, key, 5).await;
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
            assert_eq!(again.created(), answer);
        }
        assert_eq!(old.get("/payments").await.ok().as_array().map(Vec::len), Some(2));
        old.stop().await;
        new.stop().await;
    });
}

/// A job that notes its order.
mod v1 {
    use super::{App, BoxError, Deserialize, Job, Ran, Serialize};

    #[derive(Serialize, Deserialize)]
    pub(super) struct OrderMail(pub i64);

    impl Job for OrderMail {
        const KIND: &str = "order-mail";

        async fn run(self, app: App) -> Result<(), BoxError> {
            app.extension::<Ran>()?.lock().expect("the orders").push(self.0);
            Ok(())
        }
    }
}

/// A job under its later name.
mod v2 {
    use super::{App, BoxError, Deserialize, Job, Ran, Serialize, v1};

    #[derive(Serialize, Deserialize)]
    pub(super) struct PurchaseMail(pub i64);

    impl Job for PurchaseMail {
        const KIND: &str = "purchase-mail";
        const FORMER_KINDS: &[&str] = &[v1::OrderMail::KIND];

        async fn run(self, app: App) -> Result<(), BoxError> {
            app.extension::<Ran>()?.lock().expect("the orders").push(self.0);
            Ok(())
        }
    }
}

/// The orders whose jobs ran.
type Ran = Arc<Mutex<Vec<i64>>>;

#[test]
fn job_of_a_former_kind_is_run() {
    on_each_sql_backend(async |database| {
        let ran = Ran::default();
        let old = database.service().await.extension(ran.clone()).job::<v1::OrderMail>();
        let old = old.migrate().await.expect("the tables");
        old.app().enqueue(v1::OrderMail(7)).await.expect("it is enqueued");
        drop(old);
        let new = database.service().await.extension(ran.clone()).job::<v2::PurchaseMail>();
        let (stop, stopped) = oneshot::channel::<()>();
        new.app().enqueue(v2::PurchaseMail(8)).await.expect("it is enqueued");
        let (_, background) = new.into_parts().expect("the service");
        let jobs = tokio::spawn(background.run(async move { drop(stopped.await) }));
        wait_until("both jobs ran", async || {
            let mut ran = ran.lock().expect("the orders").clone();
            ran.sort_unstable();
            ran == [7, 8]
        })
        .await;
        drop(stop);
        jobs.await.expect("no panic").expect("the worker stops");
    });
}

#[test]
fn table_of_a_former_name_is_not_left_behind() {
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "purchases", renamed_from = "Order")]
    struct Purchase {
        id: i64,
        total: i32,
    }
    on_each_backend_with_url(async |database| {
        serve::<order::Order>(database).await.stop().await;
        let error = database.service().await.resource::<Purchase>().migrate().await.expect_err("a refusal").to_string();
        let line = if database.backend().speaks_sql() {
            "table `purchases`: is still called `orders`: `migrate diff` writes the rename"
        } else {
            "collection `purchases`: is still called `orders`: keep that with `table = \"orders\"`"
        };
        assert!(error.contains(line), "{error}");
    });
}

#[test]
fn former_name_that_is_a_struct_of_another_table_is_refused() {
    on_each_sql_backend(async |database| {
        #[derive(Debug, Clone, Resource)]
        #[crud(table = "other_orders", prefix = "/other_orders")]
        struct Order {
            id: i64,
        }
        #[derive(Debug, Clone, Resource)]
        #[crud(table = "other_sales", prefix = "/other_sales", renamed_from = "Order")]
        struct Sale {
            id: i64,
        }
        let refused = async |service: Service| service.migrate().await.expect_err("a refusal").to_string();
        let service = database.service().await.resource::<purchase::Purchase>();
        let error = refused(service.resource::<Order>()).await;
        assert!(error.starts_with("Purchase was renamed from Order, which is a struct of the service: "), "{error}");
        assert!(error.ends_with("or remove `renamed_from = \"Order\"`"), "{error}");
        let service = database.service().await.resource::<purchase::Purchase>();
        let error = refused(service.resource::<Sale>()).await;
        assert!(error.starts_with("Purchase and Sale were both renamed from Order: "), "{error}");
    });
}

/// Runs a release of the program with a command.
async fn run(database: &Database, release: &str, command: &str) -> String {
    let release = format!("RELEASE={release}");
    let (status, printed) = Server::run("env", &[&release, env!("CARGO_BIN_EXE_renamed"), command], database).await;
    assert!(status.success(), "{printed}");
    printed
}

#[test]
fn table_with_records_that_no_struct_names_is_reported() {
    const LINE: &str = "no struct names these tables, which have records: `orders` (3 records). If a struct was renamed, write \
                        `renamed_from` on it; if a resource or a plugin was removed, its records stay until you drop the table";
    on_each_backend_with_url(async |database| {
        let service = database.service().await.resource::<renamed::Order>();
        let service = service.migrate().await.expect("the table");
        for number in ["a", "b", "c"] {
            let new = renamed::NewOrder { number: number.to_owned() };
            service.store::<renamed::Order>().create(new).await.expect("an order");
        }
        drop(service);
        for release in ["order", "purchase"] {
            assert_eq!(run(database, release, "check").await, "The service would start: the database lacks nothing.\n");
        }
        let said = run(database, "forgotten", "check").await;
        assert!(said.contains("would first create what the database lacks:\n") && said.contains("purchases"), "{said}");
        assert!(said.ends_with(&format!("{LINE}\n")), "{said}");

        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_renamed"));
        command.env("RELEASE", "forgotten").env("DATABASE_URL", database.url());
        command.env("BIND", free_address().to_string()).kill_on_drop(true).stdout(Stdio::piped());
        let mut program = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(program.stdout.take().expect("its output")).lines();
        let warning = within(Duration::from_secs(30), "the start is logged", async {
            loop {
                let line = lines.next_line().await.expect("a line").expect("the program runs");
                if line.contains("no struct names") {
                    break line;
                }
            }
        });
        let warning = warning.await;
        assert!(warning.contains("WARN") && warning.contains(LINE), "{warning}");
        program.kill().await.expect("it is killed");
    });
}

/// The struct of the program `renamed`.
mod renamed {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Order {
        pub(super) id: i64,
        pub(super) number: String,
    }
}

#[test]
fn tables_of_other_programs_are_told_apart() {
    on_each_sql_backend(async |database| {
        let service = database
            .service()
            .await
            .resource::<order::Order>()
            .resource::<order::Payment>()
            .extend(crud_runtime::ExtensionOptions::counters);
        let service = service.without_auth().migrate().await.expect("the tables");
        for statement in [
            "CREATE TABLE foreign_things (number INTEGER)",
            "CREATE TABLE empty_things (number INTEGER)",
            "INSERT INTO foreign_things (number) VALUES (1), (2)",
        ] {
            assert!(database.try_execute(statement).await, "{statement}");
        }
        service.store::<order::Order>().create(order::NewOrder { total: 1 }).await.expect("an order");
        service.store::<order::Payment>().create(order::NewPayment { amount: 1 }).await.expect("a payment");
        let names = async |service: Service| {
            let tables = service.unused_tables().await.expect("the names of tables");
            tables.into_iter().map(|table| (table.name, table.is_known)).collect::<Vec<_>>()
        };
        let foreign = ("foreign_things".to_owned(), false);
        assert_eq!(
            names(service).await,
            std::slice::from_ref(&foreign),
            "the log and the service's own tables are in use"
        );
        let removed = names(database.service().await.resource::<order::Payment>()).await;
        assert_eq!(removed, [("orders".to_owned(), true), foreign]);
    });
}
