//! Many concurrent changes: each request gets its own result, whether batched by group commit or not.

use std::collections::BTreeSet;

use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, path};
use crud_tests::{Answer, Api, Client, Database, audit_log, on_each_server, on_each_sql_server};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const CONCURRENCY: usize = 60;

#[derive(Debug, Clone, Resource)]
#[crud(table = "depots", prefix = "/depots")]
struct Depot {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "crates", prefix = "/crates", audit, soft_delete, pagination(max_limit = 1000))]
struct Crate {
    id: i64,
    #[crud(unique)]
    label: String,
    weight: i32,
    #[crud(references(Depot))]
    depot_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A struct for the same table with other field names, in another order.
#[derive(Debug, Clone, Resource)]
#[crud(table = "crates", prefix = "/tags", audit, soft_delete)]
struct Tag {
    #[crud(column = "weight")]
    number: i32,
    id: i64,
    #[crud(unique, column = "label")]
    text: String,
    #[crud(references(Depot))]
    depot_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Depot>().resource::<Crate>();
    Api::start(database, service.migrate().await.unwrap()).await
}

/// Requests sent at once, by number.
fn send_concurrently<F: Future<Output = Answer> + Send + 'static>(
    api: &Client,
    request: impl Fn(Client, usize) -> F,
) -> JoinSet<(usize, Answer)> {
    let mut requests = JoinSet::new();
    for number in 0..CONCURRENCY {
        let answer = request(api.clone(), number);
        requests.spawn(async move { (number, answer.await) });
    }
    requests
}

/// The answers to requests sent at once, in order.
async fn concurrent_answers<F: Future<Output = Answer> + Send + 'static>(
    api: &Client,
    request: impl Fn(Client, usize) -> F,
) -> Vec<Answer> {
    let mut answers = send_concurrently(api, request).join_all().await;
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn crate_body(number: usize) -> Value {
    json!({ "label": format!("crate {number}"), "weight": number })
}

async fn create_crates(api: &Client) -> Vec<Value> {
    let answers =
        concurrent_answers(api, |api, number| async move { api.post("/crates", &crate_body(number)).await }).await;
    answers.into_iter().map(Answer::created).collect()
}

/// Checks that the log has one entry for each change, and that its replay yields the stored records.
async fn assert_log_matches_records(api: &Client, changes: usize) {
    let entries = audit_log::entries(api, "Crate").await;
    assert_eq!(entries.len(), changes, "an entry for each change");
    let states = audit_log::replay(&entries).unwrap();
    for stored in column(&api.get("/crates?limit=1000&include_deleted=true").await.ok(), "id") {
        let record = api.get(format!("/crates/{stored}?include_deleted=true")).await.ok();
        assert_eq!(states[&stored.to_string()], Some(record));
    }
}

#[test]
fn concurrent_creates_return_their_own_records() {
    on_each_server(async |database| {
        let api = start(database).await;
        let records = create_crates(&api).await;
        for (number, record) in records.iter().enumerate() {
            assert_eq!(record["weight"], number);
            assert_eq!(api.get(path("/crates", record)).await.ok(), *record);
        }
        let ids: BTreeSet<String> = records.iter().map(|record| record["id"].to_string()).collect();
        assert_eq!(ids.len(), CONCURRENCY);
        assert_log_matches_records(&api, CONCURRENCY).await;
        api.stop().await;
    });
}

#[test]
fn concurrent_creates_of_resources_of_one_table_are_told_apart() {
    on_each_server(async |database| {
        start(database).await.stop().await;
        let service = database.service().await.resource::<Depot>().resource::<Crate>().resource::<Tag>();
        let api = Api::start(database, service).await;
        for round in 1..=4 {
            let answers = concurrent_answers(&api, |api, number| async move {
                let number = round * 1000 + number;
                if number % 2 == 0 {
                    api.post("/crates", &crate_body(number)).await
                } else {
                    api.post("/tags", &json!({ "number": number, "text": format!("crate {number}") })).await
                }
            })
            .await;
            for (number, answer) in answers.into_iter().enumerate() {
                let number = round * 1000 + number;
                let stored = api.get(path("/crates", &answer.created())).await.ok();
                assert_eq!((&stored["label"], &stored["weight"]), (&json!(format!("crate {number}")), &json!(number)));
            }
        }
        api.stop().await;
    });
}

#[test]
fn rejected_create_does_not_affect_concurrent_ones() {
    on_each_server(async |database| {
        let api = start(database).await;
        api.post("/crates", &crate_body(7)).await.created();
        // One create of each label succeeds; creates that refer to the missing depot all fail.
        let answers = concurrent_answers(&api, |api, number| async move {
            let mut new = crate_body(if number % 10 == 3 { 3 } else { number });
            if number % 10 == 5 {
                new["depot_id"] = json!(1);
            }
            api.post("/crates", &new).await
        })
        .await;
        let mut of_one_label = 0;
        let mut created = 1;
        for (number, answer) in answers.into_iter().enumerate() {
            match (number, answer.status()) {
                (7, _) => drop(answer.problem("conflict")),
                (number, 409) if number % 10 == 3 => drop(answer.problem("conflict")),
                (number, _) if number % 10 == 5 => drop(answer.problem("reference_not_found")),
                _ => {
                    assert_eq!(
                        answer.created()["label"].as_str().is_some_and(|label| label == "crate 3"),
                        number % 10 == 3
                    );
                    of_one_label += usize::from(number % 10 == 3);
                    created += 1;
                }
            }
        }
        assert_eq!(of_one_label, 1);
        assert_log_matches_records(&api, created).await;
        api.stop().await;
    });
}

#[test]
fn concurrent_updates_of_one_record_apply_in_turn() {
    on_each_server(async |database| {
        let api = start(database).await;
        let record = path("/crates", &api.post("/crates", &crate_body(1000)).await.created());
        let answers = concurrent_answers(&api, |api, number| {
            let record = record.clone();
            let change = json!({ "weight": number, "label": format!("by {number}") });
            async move { api.patch(record, &change).await }
        })
        .await;
        for (number, answer) in answers.into_iter().enumerate() {
            let changed = answer.ok();
            assert_eq!((&changed["weight"], &changed["label"]), (&json!(number), &json!(format!("by {number}"))));
        }
        assert_log_matches_records(&api, 1 + CONCURRENCY).await;
        api.stop().await;
    });
}

#[test]
fn concurrent_conditional_updates_succeed_once() {
    on_each_server(async |database| {
        let api = start(database).await;
        let record = path("/crates", &api.post("/crates", &crate_body(1000)).await.created());
        let tag = api.get(&record).await.etag();
        let answers = concurrent_answers(&api, |api, number| {
            let (record, tag) = (record.clone(), tag.clone());
            async move { api.patch(record, &json!({ "weight": number })).header("If-Match", &tag).await }
        })
        .await;
        let won = answers.iter().filter(|answer| answer.status() == 200).count();
        assert_eq!(won, 1);
        for answer in answers.into_iter().filter(|answer| answer.status() != 200) {
            answer.problem("precondition_failed");
        }
        let gone = concurrent_answers(&api, |api, _| {
            let record = record.clone();
            async move { api.delete(record).await }
        })
        .await;
        assert_eq!(gone.iter().filter(|answer| answer.status() == 200).count(), 1);
        for answer in gone.into_iter().filter(|answer| answer.status() != 200) {
            answer.problem("not_found");
        }
        assert_log_matches_records(&api, 3).await;
        api.stop().await;
    });
}

#[test]
fn concurrent_updates_do_not_wait_for_one_blocked_by_a_lock() {
    on_each_sql_server(async |database| {
        let api = start(database).await;
        let records = create_crates(&api).await;
        let locked = records[20]["id"].clone();
        let mut other = database.begin_transaction().await;
        other.execute(&format!("UPDATE crates SET weight = weight + 1 WHERE id = {locked}")).await;
        let mut changes = send_concurrently(&api, |api, number| {
            let record = path("/crates", &records[number]);
            async move { api.patch(record, &json!({ "weight": 1000 + number })).await }
        });
        for _ in 1..CONCURRENCY {
            // Beyond the lock timeout, the locked one would be refused among them.
            let (number, answer) = changes.join_next().await.unwrap().unwrap();
            assert_ne!(number, 20, "another update waits");
            answer.ok();
        }
        other.commit().await;
        let (_, answer) = changes.join_next().await.unwrap().unwrap();
        assert_eq!(answer.ok()["weight"], 1020);
        api.stop().await;
    });
}
