//! Imports of all or none: what is wrong with a file does not hold up other writers.

use std::fmt::Write as _;

use crud_runtime::prelude::*;
use crud_tests::{Answer, Api, Database, on_each_sql_backend};
use reqwest::Method;
use serde_json::json;

/// A shelf.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Shelf {
    id: i64,
    name: String,
}

/// A crate on a shelf.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(import, audit)]
struct Crate {
    id: i64,
    #[crud(unique)]
    label: Option<String>,
    #[crud(references = Shelf)]
    shelf_id: Option<i64>,
}

/// A place within another, with a key that the client chooses.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/places", import)]
struct Place {
    #[crud(id, max_length = 40)]
    code: String,
    #[crud(references = Place, max_length = 40)]
    within_code: Option<String>,
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
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        test(database, &api).await;
        api.stop().await;
    });
}

async fn import(api: &Api, target: &str, file: impl Into<Vec<u8>>) -> Answer {
    api.request(Method::POST, target).body("application/x-ndjson", file.into()).await
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
        let problem = import(api, "/crates/import", file).await.problem("reference_not_found");
        assert_eq!(problem.lines().len(), 100);
        assert_eq!((problem.lines()[0], problem.lines()[99]), ((1, "/shelf_id"), (100, "/shelf_id")));
        drop(other);
        assert_eq!(api.get("/crates").await.ok(), json!([]));
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
        // What is malformed, what is refused and what refers to nothing are listed together, by line.
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
