//! One comparison of structs and database: what fits starts, what costs is said, and what does not fit is refused, at start,
//! by `check`, and of a running service by its routes and `/ready`.

use std::process::{Command, Output};

use crud_runtime::prelude::*;
use crud_runtime::schema::{Difference, Verdict};
use crud_tests::{Api, Backend, Client, Database, free_address, on_each_sql_backend, wait_until};
use serde_json::json;

use crate::support::{Directory, error_text};

mod v1 {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    pub(super) enum State {
        Open,
        Paid,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "bills", prefix = "/bills", pagination)]
    pub(super) struct Bill {
        pub(super) id: i64,
        pub(super) state: State,
        #[crud(range(min = 0))]
        pub(super) total: i32,
        pub(super) memo: String,
    }
}

mod v2 {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    pub(super) enum State {
        Open,
        Paid,
        Void,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "bills", prefix = "/bills", pagination)]
    pub(super) struct Bill {
        pub(super) id: i64,
        pub(super) state: State,
        #[crud(range(min = 0))]
        pub(super) total: i32,
        pub(super) memo: String,
        #[crud(length(max = 3), column(backfill = "EUR"))]
        pub(super) currency: String,
        pub(super) note: Option<String>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "reminders", prefix = "/reminders")]
    pub(super) struct Reminder {
        pub(super) id: i64,
        #[crud(references(Bill))]
        pub(super) bill_id: i64,
    }
}

mod v3 {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
    pub(super) enum State {
        Open,
        Paid,
        Void,
        Late,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "bills", prefix = "/bills", pagination)]
    pub(super) struct Bill {
        pub(super) id: i64,
        pub(super) state: State,
        #[crud(range(min = 0))]
        pub(super) total: i32,
        pub(super) memo: String,
        #[crud(length(max = 3), column(backfill = "EUR"))]
        pub(super) currency: String,
        pub(super) note: Option<String>,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "reminders", prefix = "/reminders")]
    pub(super) struct Reminder {
        pub(super) id: i64,
        #[crud(references(Bill))]
        pub(super) bill_id: i64,
    }
}

/// A wider `currency`, which needs no value for records of before any more.
mod v4 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "bills", prefix = "/bills", pagination)]
    pub(super) struct Bill {
        pub(super) id: i64,
        pub(super) state: v3::State,
        #[crud(range(min = 0))]
        pub(super) total: i32,
        pub(super) memo: String,
        #[crud(length(max = 5))]
        pub(super) currency: String,
        pub(super) note: Option<String>,
    }
}

/// A `currency` that is optional.
mod v5 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "bills", prefix = "/bills", pagination)]
    pub(super) struct Bill {
        pub(super) id: i64,
        pub(super) state: v3::State,
        #[crud(range(min = 0))]
        pub(super) total: i32,
        pub(super) memo: String,
        #[crud(length(max = 5))]
        pub(super) currency: Option<String>,
        pub(super) note: Option<String>,
    }
}

/// A resource that nothing changes.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "clerks", prefix = "/clerks", pagination)]
struct Clerk {
    id: i64,
    name: String,
}

async fn old(database: &Database) -> Service {
    database.service().await.resource::<v1::Bill>().resource::<Clerk>()
}

async fn new(database: &Database) -> Service {
    database.service().await.resource::<v2::Bill>().resource::<Clerk>().resource::<v2::Reminder>()
}

/// The directories of both programs, and a database with the migrations of the newer one.
async fn rolled_out(database: &Database) -> (Directory, Directory) {
    let (first, second) = (Directory::new(), Directory::new());
    first.write_migration(&old(database).await).await;
    first.apply(&old(database).await).await;
    for file in first.files() {
        second.write(&file, &std::fs::read_to_string(first.path().join(&file)).expect("the file"));
    }
    let before = old(database).await.migrate().await.expect("the old program starts");
    let bill = v1::NewBill { state: v1::State::Open, total: 5, memo: String::new() };
    before.store::<v1::Bill>().create(bill).await.expect("a bill");
    second.write_migration(&new(database).await).await;
    second.apply(&new(database).await).await;
    (first, second)
}

fn verdicts(differences: &[Difference]) -> Vec<(String, Verdict)> {
    differences.iter().map(|difference| (difference.to_string(), difference.verdict())).collect()
}

#[test]
fn old_program_starts_beside_an_additive_change_and_its_creates_succeed() {
    on_each_sql_backend(async |database| {
        let (first, second) = rolled_out(database).await;
        assert_eq!(
            new(database).await.migrations().diff().await.expect("a comparison"),
            [],
            "the default is no difference"
        );
        let older = old(database).await.migrations_from(first.path()).migrate().await.expect("the old program fits");
        let older = Api::start(database, older).await;
        let newer = new(database).await.migrations_from(second.path()).migrate().await.expect("the new program starts");
        let newer = Api::start(database, newer).await;
        let created = older.post("/bills", &json!({ "state": "Paid", "total": 7, "memo": "" })).await.created();
        let read = newer.get(format!("/bills/{}", created["id"])).await.ok();
        assert_eq!((&read["currency"], &read["note"]), (&json!("EUR"), &json!(null)));
        assert_eq!(newer.get("/bills/1").await.ok()["currency"], "EUR", "of a record from before");
        // A client sends it all the same: the default is not the field's.
        newer.post("/bills", &json!({ "state": "Void", "total": 7, "memo": "" })).await.problem("validation_failed");
        let body = json!({ "state": "Void", "total": 7, "memo": "", "currency": "SEK" });
        let created = newer.post("/bills", &body).await.created();
        assert_eq!(older.get(format!("/bills/{}", created["id"])).await.ok()["state"], "Void");
        assert_eq!(older.get("/bills").await.ok()["total"], 3);
        for api in [older, newer] {
            api.get("/ready").await.ok();
            api.stop().await;
        }
        // Older programs neither write nor apply migrations.
        let error = error_text(old(database).await.migrations().apply(first.path()).await);
        assert!(error.starts_with("the database is ahead: "), "{error}");
    });
}

#[test]
fn default_of_a_backfill_outlives_a_further_migration() {
    on_each_sql_backend(async |database| {
        let (first, second) = rolled_out(database).await;
        // SQLite writes the table anew.
        let wider = database.service().await.resource::<v3::Bill>().resource::<Clerk>().resource::<v3::Reminder>();
        second.write_migration(&wider).await;
        second.apply(&wider).await;
        let older = old(database).await.migrations_from(first.path()).migrate().await.expect("the old program fits");
        let bill = v1::NewBill { state: v1::State::Open, total: 5, memo: String::new() };
        let bill = older.store::<v1::Bill>().create(bill).await.expect("another bill");
        let newer = wider.migrations_from(second.path()).migrate().await.expect("the new program starts");
        assert_eq!(newer.store::<v3::Bill>().get(bill.id).await.expect("the bill").currency, "EUR");
    });
}

#[test]
fn default_of_a_backfill_stays_when_the_attribute_is_removed() {
    on_each_sql_backend(async |database| {
        let (first, second) = rolled_out(database).await;
        let further = async || database.service().await.resource::<Clerk>();
        let create = async || {
            let older =
                old(database).await.migrations_from(first.path()).migrate().await.expect("the old program fits");
            let bill = v1::NewBill { state: v1::State::Open, total: 5, memo: String::new() };
            older.store::<v1::Bill>().create(bill).await.expect("another bill").id
        };
        let wider = further().await.resource::<v4::Bill>();
        second.write_migration(&wider).await;
        second.apply(&wider).await;
        let id = create().await;
        assert_eq!(wider.store::<v4::Bill>().get(id).await.expect("the bill").currency, "EUR");

        let optional = further().await.resource::<v5::Bill>();
        second.write_migration(&optional).await;
        second.apply(&optional).await;
        let id = create().await;
        let bills = optional.store::<v5::Bill>();
        assert_eq!(bills.get(id).await.expect("the bill").currency.as_deref(), Some("EUR"));

        second.revert(&optional).await;
        second.revert(&wider).await;
        let id = create().await;
        let service = new(database).await;
        assert_eq!(service.store::<v2::Bill>().get(id).await.expect("the bill").currency, "EUR");
    });
}

#[test]
fn check_with_more_variants_fits_and_one_with_less_costs() {
    on_each_sql_backend(async |database| {
        let before = old(database).await.migrate().await.expect("the tables");
        let of_new = new(database).await.migrations().diff().await.expect("a comparison");
        let check = of_new.iter().find(|difference| difference.to_string().contains("CHECK")).expect("the CHECK");
        assert_eq!(check.verdict(), Verdict::Warning, "{check}");
        assert_eq!(Verdict::of(&of_new), Verdict::Refuses, "columns are missing");
        drop(before);
        let (first, _) = {
            database.execute("DROP TABLE bills").await;
            database.execute("DROP TABLE clerks").await;
            rolled_out(database).await
        };
        let of_old = old(database).await.migrations().diff().await.expect("a comparison");
        assert!(of_old.iter().any(|difference| difference.to_string().contains("CHECK")), "{:?}", verdicts(&of_old));
        assert_eq!(Verdict::of(&of_old), Verdict::Fits, "{:?}", verdicts(&of_old));
        drop(first);
    });
}

#[test]
fn old_program_that_does_not_fit_is_refused_with_every_reason() {
    on_each_sql_backend(async |database| {
        let (first, second) = rolled_out(database).await;
        second.write("99990101000000_contract.sql", "ALTER TABLE bills DROP COLUMN memo;\n");
        second.apply(&new(database).await).await;
        let error = error_text(old(database).await.migrations_from(first.path()).migrate().await);
        assert!(error.contains("table `bills`, column `memo`: is missing"), "{error}");
        assert!(error.contains("this program is older than the migrations `"), "{error}");
    });
}

#[test]
fn resource_that_no_longer_fits_is_503_and_the_others_are_served() {
    on_each_sql_backend(async |database| {
        let address = free_address().to_string();
        let service =
            old(database).await.server(|server| server.metrics(&address)).migrate().await.expect("the tables");
        let metrics = Client::of_program(format!("http://{address}"), Vec::new());
        let has_metric = async |line: &str| metrics.get("/metrics").await.text().contains(line);
        let api = Api::start(database, service).await;
        api.post("/bills", &json!({ "state": "Paid", "total": 7, "memo": "" })).await.created();
        database.execute("ALTER TABLE bills RENAME COLUMN memo TO remark").await;
        let problem = api.get("/bills").await.problem("unavailable");
        assert!(problem.detail.contains("does not fit") || problem.detail.contains("no longer fits"), "{problem}");
        api.post("/bills", &json!({ "state": "Paid", "total": 7, "memo": "" })).await.problem("unavailable");
        wait_until("the routes are unavailable", async || {
            api.get("/bills").await.problem("unavailable").detail.contains("no longer fits this version of Bill")
        })
        .await;
        assert!(has_metric("crud_resource_unfit{resource=\"Bill\"} 1").await);
        api.post("/clerks", &json!({ "name": "Bo" })).await.created();
        assert_eq!(api.get("/clerks").await.ok()["total"], 1);
        api.get("/ready").await.ok();
        database.execute("ALTER TABLE clerks RENAME COLUMN name TO title").await;
        api.get("/clerks").await.problem("unavailable");
        wait_until("nothing fits", async || api.get("/ready").await.status() == 503).await;
        database.execute("ALTER TABLE clerks RENAME COLUMN title TO name").await;
        database.execute("ALTER TABLE bills RENAME COLUMN remark TO memo").await;
        wait_until("it fits again", async || api.get("/bills").await.status() == 200).await;
        assert_eq!(api.get("/bills").await.ok()["total"], 1);
        assert!(has_metric("crud_resource_unfit{resource=\"Bill\"} 0").await);
        wait_until("it is ready", async || api.get("/ready").await.status() == 200).await;
        api.stop().await;
    });
}

#[test]
fn column_that_no_field_has_and_that_needs_a_value_is_503() {
    on_each_sql_backend(async |database| {
        let api = Api::start(database, old(database).await.migrate().await.expect("the tables")).await;
        match database.backend() {
            // It adds no such column to a table without a default.
            Backend::Sqlite => {
                database.execute("DROP TABLE clerks").await;
                database
                    .execute("CREATE TABLE clerks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, grade TEXT NOT NULL)")
                    .await;
            }
            _ => database.execute("ALTER TABLE clerks ADD COLUMN grade CHAR(1) NOT NULL").await,
        }
        api.post("/clerks", &json!({ "name": "Bo" })).await.problem("unavailable");
        wait_until("the routes are unavailable", async || api.get("/clerks").await.status() == 503).await;
        api.get("/bills").await.ok();
        api.stop().await;
    });
}

/// Runs a command of the program of a version, in a directory.
fn command(database: &Database, directory: &std::path::Path, version: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rollout"));
    command.args(arguments).env("DATABASE_URL", database.url()).env("VERSION", version).current_dir(directory);
    command.output().expect("the program runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn check_compares_the_variants_of_an_enum() {
    on_each_sql_backend(async |database| {
        let directory = tempfile::tempdir().expect("a directory");
        let run = |version: &str, arguments: &[&str]| command(database, directory.path(), version, arguments);
        for arguments in [["migrate", "diff"], ["migrate", "apply"]] {
            assert!(run("old", &arguments).status.success());
        }
        let output = run("old", &["check"]);
        assert_eq!(said(&output), "The service would start: the database lacks nothing.\n");
        // The CHECK lacks a variant, and no file adds it.
        let output = run("variant", &["check"]);
        assert!(!output.status.success(), "{}", said(&output));
        let line = "table `orders`, column `state`: has CHECK (";
        assert!(said(&output).contains(line), "{}", said(&output));
        assert!(run("new", &["migrate", "diff"]).status.success());
        assert!(!run("new", &["check"]).status.success(), "a migration is pending");
        assert!(run("new", &["migrate", "apply"]).status.success());
        let output = run("new", &["check"]);
        assert_eq!(said(&output), "The service would start: the database lacks nothing.\n");

        // The program of before has the directory of before.
        let migrations = directory.path().join("migrations");
        let mut files: Vec<_> =
            std::fs::read_dir(&migrations).expect("files").map(|file| file.expect("a file").path()).collect();
        files.sort();
        files[2..].iter().for_each(|file| std::fs::remove_file(file).expect("the file is removed"));
        let output = run("old", &["check"]);
        assert!(output.status.success(), "{}", said(&output));
        let said_of_old = said(&output);
        assert!(said_of_old.contains("The service would start: the database lacks nothing.\n"), "{said_of_old}");
        assert!(said_of_old.contains("  fits: table `orders`, column `state`: has CHECK ("), "{said_of_old}");
        assert!(said_of_old.contains("  fits: table `orders`, column `carrier`: is in no field\n"), "{said_of_old}");
    });
}
