//! Imports of all or none: what is wrong with a file does not hold up other writers.

use std::fmt::Write as _;
use std::time::Duration;

use crud_runtime::error::Problem;
use crud_runtime::hooks::{Changeset, HookContext};
use crud_runtime::prelude::*;
use crud_tests::{Answer, Api, Backend, Database, on_each_sql_backend};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use reqwest::Method;
use serde_json::json;
use tokio::sync::Semaphore;

/// A shelf.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Shelf {
    id: i64,
    name: String,
}

/// A crate on a shelf.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(import, audit, idempotency)]
struct Crate {
    id: i64,
    #[crud(unique)]
    label: Option<String>,
    #[crud(references(Shelf))]
    shelf_id: Option<i64>,
}

/// A place within another, with a key that the client chooses.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/places", import)]
struct Place {
    #[crud(id, length(max = 40))]
    code: String,
    #[crud(references(Place), length(max = 40))]
    within_code: Option<String>,
}

/// A coin: nothing but its key, so that the largest file that an import takes by default is written soon.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(import)]
struct Coin {
    id: i64,
}

/// Number of records in the larger files.
const RECORDS: usize = 3_000;

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_with_database(async |_, api| test(api).await);
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each_with_database(test: impl AsyncFn(&Database, &Api)) {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Shelf>().resource::<Crate>().resource::<Place>();
        let service = service.resource::<Coin>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        test(database, &api).await;
        api.stop().await;
    });
}

async fn import(api: &Api, target: &str, file: impl Into<Vec<u8>>) -> Answer {
    api.request(Method::POST, target).body("application/x-ndjson", file.into()).await
}

async fn import_with_key(api: &Api, key: &str, file: impl Into<Vec<u8>>) -> Answer {
    let request = api.request(Method::POST, "/crates/import").body("application/x-ndjson", file.into());
    request.header("idempotency-key", key).await
}

/// The lines of a file.
fn lines(records: usize, line: impl Fn(usize) -> String) -> String {
    (0..records).fold(String::new(), |mut file, number| {
        writeln!(file, "{}", line(number)).expect("a line");
        file
    })
}

#[test]
fn wrong_references_are_found_without_the_writer_of_storage() {
    on_each_with_database(async |database, api| {
        // Nothing can be written meanwhile, and nothing is locked that others need.
        let other = database.block_writers().await;
        let file = lines(RECORDS, |number| format!("{{\"shelf_id\":{}}}", 1_000_000 + number));
        for answer in [import(api, "/crates/import", file.clone()).await, import_with_key(api, "k", file.clone()).await]
        {
            let problem = answer.problem("reference_not_found");
            assert_eq!(problem.lines().len(), 100);
            assert_eq!((problem.lines()[0], problem.lines()[99]), ((1, "/shelf_id"), (100, "/shelf_id")));
        }
        // Malformed lines are found without it too.
        import_with_key(api, "k", "{\"shelf_id\":\"x\"}\n").await.problem("validation_failed");
        drop(other);
        assert_eq!(api.get("/crates").await.ok(), json!([]));
    });
}

#[test]
fn answer_of_a_file_with_a_key_is_replayed_although_its_references_are_gone() {
    on_each(async |api| {
        let shelf = api.post("/shelves", &json!({ "name": "x" })).await.created()["id"].clone();
        let file = lines(1_200, |number| match number {
            0 => format!("{{\"shelf_id\":{shelf}}}"),
            _ => format!("{{\"label\":\"{number}\"}}"),
        });
        let first = import_with_key(api, "k", file.clone()).await.expect(200);
        assert_eq!(first.json()["created"], 1_200);
        let first_crate = api.get("/crates").await.ok()[0]["id"].clone();
        api.delete(format!("/crates/{first_crate}")).await.expect(200);
        api.delete(format!("/shelves/{shelf}")).await.expect(200);
        let replayed = import_with_key(api, "k", file.clone()).await.expect(200);
        assert_eq!((replayed.text(), replayed.header("idempotency-replayed")), (first.text(), Some("true")));
        // Malformed lines, and lines that storage refuses, are listed too.
        let wrong = format!("{file}{{\"label\":7}}\n{{\"label\":\"1\"}}\n");
        let problem = import_with_key(api, "k-2", wrong).await.problem("reference_not_found");
        let lines = problem.lines();
        assert_eq!((lines[0], lines[1], lines.len()), ((1, "/shelf_id"), (2, "/label"), 100), "{lines:?}");
        assert_eq!(api.get("/crates").await.ok().as_array().map(Vec::len), Some(1_199));
    });
}

#[test]
fn file_of_all_or_none_has_at_most_20_000_records_unless_the_struct_says_otherwise() {
    on_each(async |api| {
        let file = |records: usize| lines(records, |_| "{}".to_owned());
        let problem = import(api, "/coins/import", file(20_001)).await.problem("batch_too_large");
        assert!(problem.detail.contains("at most 20000 records"), "{}", problem.detail);
        assert_eq!(import(api, "/coins/import", file(20_000)).await.ok()["created"], 20_000);
    });
}

/// Imports whose first record is being written, and those that may go on.
static BEGUN: Semaphore = Semaphore::const_new(0);
static MAY_GO_ON: Semaphore = Semaphore::const_new(0);

/// A record that is written when the test lets it be.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(import, hooks(before(wait)))]
struct Held {
    id: i64,
}

async fn wait(_: &mut Changeset<'_, Held>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    BEGUN.add_permits(1);
    MAY_GO_ON.acquire().await.expect("an open semaphore").forget();
    Ok(())
}

#[test]
fn two_files_of_all_or_none_are_written_at_a_time() {
    on_each_sql_backend(async |database| {
        let service =
            database.service().await.resource::<Held>().limits(|limits| limits.request_timeout(Duration::from_secs(2)));
        let api = Api::start(database, service.migrate().await.expect("the table")).await;
        let file = || import(&api, "/helds/import", "{}\n");
        let others = async {
            BEGUN.acquire().await.expect("an open semaphore").forget();
            // One of these is written or waits for storage; the other ones wait for their turn.
            let mut waiting: FuturesUnordered<_> = (0..3).map(|_| file()).collect();
            // SQLite has one writer: the file that waits for it may be the second one that is refused.
            let count = if api.backend() == Backend::Sqlite { 1 } else { 2 };
            let refused: Vec<Answer> = waiting.by_ref().take(count).collect().await;
            MAY_GO_ON.add_permits(3);
            let rest: Vec<Answer> = waiting.collect().await;
            (refused, rest)
        };
        let (first, (refused, rest)) = tokio::join!(file(), others);
        for refused in refused {
            assert_eq!(refused.problem("unavailable").detail, "other files are being imported; try again later");
        }
        // On SQLite, the time of the first one's transaction may be over.
        let statuses: Vec<u16> = rest.iter().chain([&first]).map(Answer::status).collect();
        assert!(statuses.iter().all(|status| matches!(status, 200 | 503 | 504)), "{statuses:?}");
        MAY_GO_ON.forget_permits(3);
        BEGUN.forget_permits(3);
        api.stop().await;
    });
}

#[test]
fn taken_values_are_listed_up_to_a_hundred() {
    on_each(async |api| {
        let file = lines(RECORDS, |number| format!("{{\"label\":\"{}\"}}", number / 2));
        let problem = import(api, "/crates/import", file).await.problem("conflict");
        assert_eq!(problem.lines().len(), 100);
        assert_eq!((problem.lines()[0], problem.lines()[99]), ((2, "/label"), (200, "/label")));
        assert_eq!(api.get("/crates").await.ok(), json!([]));
    });
}

#[test]
fn a_file_is_read_until_a_hundred_records_of_it_are_wrong() {
    on_each(async |api| {
        let shelf = api.post("/shelves", &json!({ "name": "x" })).await.created()["id"].clone();
        let wrong = lines(1_000, |number| format!("{{\"shelf_id\":\"{number}\"}}"));
        let problem = import(api, "/crates/import", wrong).await.problem("validation_failed");
        assert_eq!(problem.lines().len(), 100);
        assert_eq!(problem.detail, "line 1: shelf_id: must be an integer (and 99 more errors)");
        // Malformed, refused and dangling lines are listed together, by line.
        let mixed = format!(
            "{{\"label\":\"a\",\"shelf_id\":{shelf}}}\n{{\"label\":\"a\"}}\n{{\"label\":7}}\n{{\"shelf_id\":0}}\n{{}}\n"
        );
        let problem = import(api, "/crates/import", mixed).await.problem("conflict");
        assert_eq!(problem.lines(), [(2, "/label"), (3, "/label"), (4, "/shelf_id")]);
        assert_eq!(api.get("/crates").await.ok(), json!([]));
        // A dry run of each by itself counts them all.
        let file = lines(600, |number| format!("{{\"shelf_id\":{}}}", if number == 0 { "1" } else { "0" }));
        let partial = import(api, "/crates/import?mode=partial&dry_run=true", file).await.expect(207).into_json();
        assert_eq!((&partial["created"], &partial["failed"]), (&json!(1), &json!(599)));
    });
}

#[test]
fn records_of_a_file_refer_to_those_before_them() {
    on_each(async |api| {
        let file = lines(1_200, |number| match number {
            0 => "{\"code\":\"0\"}".to_owned(),
            _ => format!("{{\"code\":\"{number}\",\"within_code\":\"{}\"}}", number - 1),
        });
        assert_eq!(import(api, "/places/import", file).await.ok()["created"], 1_200);
        let problem = import(api, "/places/import", "{\"code\":\"x\",\"within_code\":\"y\"}\n").await;
        problem.problem("reference_not_found");
    });
}
