//! Many requests that change records at once: whether they go together or not, each gets its own answer.

use std::collections::BTreeSet;
use std::time::Duration;

use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, path};
use crud_tests::{Answer, Api, Client, Database, on_each_server, trail};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

const CROWD: usize = 60;

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
    #[crud(references = Depot)]
    depot_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// The same crates in other words, and in another order.
#[derive(Debug, Clone, Resource)]
#[crud(table = "crates", prefix = "/tags", audit)]
struct Tag {
    #[crud(column = "weight")]
    number: i32,
    id: i64,
    #[crud(unique, column = "label")]
    text: String,
}

async fn start(database: &Database) -> Api {
    let service = database.service().await.resource::<Depot>().resource::<Crate>();
    Api::start(database, service.migrate().await.unwrap()).await
}

/// Requests that are sent at once, by number.
fn crowd<F: Future<Output = Answer> + Send + 'static>(
    api: &Client,
    request: impl Fn(Client, usize) -> F,
) -> JoinSet<(usize, Answer)> {
    let mut requests = JoinSet::new();
    for number in 0..CROWD {
        let answer = request(api.clone(), number);
        requests.spawn(async move { (number, answer.await) });
    }
    requests
}

/// The answers to requests that are sent at once, in order.
async fn at_once<F: Future<Output = Answer> + Send + 'static>(
    api: &Client,
    request: impl Fn(Client, usize) -> F,
) -> Vec<Answer> {
    let mut answers = crowd(api, request).join_all().await;
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn crate_of(number: usize) -> Value {
    json!({ "label": format!("crate {number}"), "weight": number })
}

async fn create_crowd(api: &Client) -> Vec<Value> {
    let answers = at_once(api, |api, number| async move { api.post("/crates", &crate_of(number)).await }).await;
    answers.into_iter().map(Answer::created).collect()
}

/// The log tells of each change once, and makes of it what is stored.
async fn assert_the_log_fits(api: &Client, changes: usize) {
    let entries = trail::of_kind(api, "Crate").await;
    assert_eq!(entries.len(), changes, "an entry for each change");
    let states = trail::replay(&entries).unwrap();
    for stored in column(&api.get("/crates?limit=1000&include_deleted=true").await.ok(), "id") {
        let record = api.get(format!("/crates/{stored}?include_deleted=true")).await.ok();
        assert_eq!(states[&stored.to_string()], Some(record));
    }
}

#[test]
fn each_of_a_crowd_creates_its_own_record() {
    on_each_server(async |database| {
        let api = start(database).await;
        let records = create_crowd(&api).await;
        for (number, record) in records.iter().enumerate() {
            assert_eq!(record["weight"], number);
            assert_eq!(api.get(path("/crates", record)).await.ok(), *record);
        }
        let ids: BTreeSet<String> = records.iter().map(|record| record["id"].to_string()).collect();
        assert_eq!(ids.len(), CROWD);
        assert_the_log_fits(&api, CROWD).await;
        api.stop().await;
    });
}

#[test]
fn resources_of_one_table_are_kept_apart() {
    on_each_server(async |database| {
        start(database).await.stop().await;
        let service = database.service().await.resource::<Depot>().resource::<Crate>().resource::<Tag>();
        let api = Api::start(database, service).await;
        for round in 1..=4 {
            let answers = at_once(&api, |api, number| async move {
                let number = round * 1000 + number;
                if number % 2 == 0 {
                    api.post("/crates", &crate_of(number)).await
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
fn what_is_refused_is_so_for_nobody_else() {
    on_each_server(async |database| {
        let api = start(database).await;
        api.post("/crates", &crate_of(7)).await.created();
        // Of those of one label one happens; a depot that is not there, there is for none.
        let answers = at_once(&api, |api, number| async move {
            let mut new = crate_of(if number % 10 == 3 { 3 } else { number });
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
        assert_the_log_fits(&api, created).await;
        api.stop().await;
    });
}

#[test]
fn a_crowd_that_changes_one_record_does_so_in_turn() {
    on_each_server(async |database| {
        let api = start(database).await;
        let record = path("/crates", &api.post("/crates", &crate_of(1000)).await.created());
        let answers = at_once(&api, |api, number| {
            let record = record.clone();
            let change = json!({ "weight": number, "label": format!("by {number}") });
            async move { api.patch(record, &change).await }
        })
        .await;
        for (number, answer) in answers.into_iter().enumerate() {
            let changed = answer.ok();
            assert_eq!((&changed["weight"], &changed["label"]), (&json!(number), &json!(format!("by {number}"))));
        }
        assert_the_log_fits(&api, 1 + CROWD).await;
        api.stop().await;
    });
}

#[test]
fn of_a_crowd_that_wants_one_version_one_gets_it() {
    on_each_server(async |database| {
        let api = start(database).await;
        let record = path("/crates", &api.post("/crates", &crate_of(1000)).await.created());
        let tag = api.get(&record).await.etag();
        let answers = at_once(&api, |api, number| {
            let (record, tag) = (record.clone(), tag.clone());
            async move { api.patch(record, &json!({ "weight": number })).header("If-Match", &tag).await }
        })
        .await;
        let won = answers.iter().filter(|answer| answer.status() == 200).count();
        assert_eq!(won, 1);
        for answer in answers.into_iter().filter(|answer| answer.status() != 200) {
            answer.problem("precondition_failed");
        }
        let gone = at_once(&api, |api, _| {
            let record = record.clone();
            async move { api.delete(record).await }
        })
        .await;
        assert_eq!(gone.iter().filter(|answer| answer.status() == 200).count(), 1);
        for answer in gone.into_iter().filter(|answer| answer.status() != 200) {
            answer.problem("not_found");
        }
        assert_the_log_fits(&api, 3).await;
        api.stop().await;
    });
}

#[test]
fn a_crowd_is_not_held_up_by_one_that_waits_for_a_lock() {
    on_each_server(async |database| {
        let api = start(database).await;
        let records = create_crowd(&api).await;
        let locked = records[20]["id"].clone();
        let mut other = database.other_program().await;
        other.execute(&format!("UPDATE crates SET weight = weight + 1 WHERE id = {locked}")).await;
        let mut changes = crowd(&api, |api, number| {
            let record = path("/crates", &records[number]);
            async move { api.patch(record, &json!({ "weight": 1000 + number })).await }
        });
        for _ in 1..CROWD {
            let answer = timeout(Duration::from_secs(4), changes.join_next()).await.expect("nobody else waits");
            let (number, answer) = answer.unwrap().unwrap();
            assert_ne!(number, 20, "it is locked");
            answer.ok();
        }
        other.commit().await;
        let (_, answer) = changes.join_next().await.unwrap().unwrap();
        assert_eq!(answer.ok()["weight"], 1020);
        api.stop().await;
    });
}
