//! Concurrent changes: each is applied once and logged once, in the log's order.

use std::collections::BTreeMap;

use crud_tests::fixtures::{batch, ids, path};
use crud_tests::kitchen::Label;
use crud_tests::{
    Answer, Api, Backend, Client, audit_log, on_each_sql_server, on_kitchen, on_kitchen_with_transactions,
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// The number of concurrent clients.
const CLIENTS: usize = 8;

/// Sends requests from several clients at once; returns each client's answers.
async fn concurrent_answers<F>(kitchen: &Api, requests: impl Fn(Client, usize) -> F) -> Vec<Vec<Answer>>
where
    F: Future<Output = Vec<Answer>> + Send + 'static,
{
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        clients.spawn(requests(Client::clone(kitchen), number));
    }
    clients.join_all().await
}

/// The number of answers with this status; any other answer must have one of the other statuses.
#[track_caller]
fn count_status(answers: &[Vec<Answer>], status: u16, others: &[u16]) -> usize {
    let answers = answers.iter().flatten();
    answers
        .filter(|answer| {
            assert!(answer.status() == status || others.contains(&answer.status()), "{answer}");
            answer.status() == status
        })
        .count()
}

/// Checks that the log's replay yields exactly the stored records; returns the log's entries.
async fn assert_log_matches_records(kitchen: &Client, entity_type: &str, prefix: &str) -> Vec<Value> {
    let entries = audit_log::entries(kitchen, entity_type).await;
    let mut states = audit_log::replay(&entries).unwrap_or_else(|fault| panic!("{fault}"));
    states.retain(|_, state| state.is_some());
    let list = kitchen.get(format!("{prefix}?include_deleted=true&limit=100")).await.ok();
    assert_eq!(list["total"], list["data"].as_array().expect("records").len(), "the records need several pages");
    let records = list["data"].as_array().expect("records").iter();
    let stored: BTreeMap<_, _> = records.map(|record| (record["id"].to_string(), Some(record.clone()))).collect();
    assert_eq!(states, stored);
    entries
}

fn with_action(entries: &[Value], action: &str) -> usize {
    entries.iter().filter(|entry| entry["action"] == action).count()
}

#[test]
fn concurrent_updates_of_one_record_form_one_chain() {
    on_kitchen(async |kitchen| {
        let ledger = path("/ledgers", &kitchen.post("/ledgers", &json!({ "name": "a" })).await.created());
        let answers = concurrent_answers(kitchen, |client, number| {
            let ledger = ledger.clone();
            async move {
                let mut answers = Vec::new();
                for round in 0..10 {
                    let field = ["name", "amount", "ratio"][(number + round) % 3];
                    let value =
                        if field == "ratio" { json!(number * 100 + round) } else { json!(format!("1{number}{round}")) };
                    answers.push(client.put(&ledger, &json!({ field: value })).await);
                }
                answers
            }
        })
        .await;
        assert_eq!(count_status(&answers, 200, &[]), CLIENTS * 10);
        let entries = assert_log_matches_records(kitchen, "Ledger", "/ledgers").await;
        assert_eq!(with_action(&entries, "update"), entries.len() - 1);
        let times: Vec<_> = entries.iter().map(|entry| entry["timestamp"].as_str()).collect();
        assert!(times.is_sorted_by(|one, next| one < next), "times are not distinct and in the log's order");
        let numbers: Vec<_> = entries.iter().map(|entry| entry["id"].as_i64()).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
        for answer in answers.iter().flatten().map(Answer::json) {
            let of_change = entries.iter().filter(|entry| entry["changes"]["updated_at"] == answer["updated_at"]);
            assert_eq!(of_change.count(), 1, "the answer is not one state of the chain: {answer}");
        }
    });
}

#[test]
fn concurrent_deletes_restores_and_purges_of_one_record_succeed_once() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let ledger = path("/ledgers", &created);
        for (method, target, other) in [
            (Method::DELETE, ledger.clone(), 404),
            (Method::POST, format!("{ledger}/restore"), 409),
            (Method::DELETE, ledger.clone(), 404),
            (Method::DELETE, format!("{ledger}/permanent"), 404),
        ] {
            let answers = concurrent_answers(kitchen, |client, _| {
                let (method, target) = (method.clone(), target.clone());
                async move { vec![client.request(method, target).await] }
            })
            .await;
            assert_eq!(count_status(&answers, 200, &[other]), 1, "{method} {target}");
        }
        let entries = assert_log_matches_records(kitchen, "Ledger", "/ledgers").await;
        assert_eq!(audit_log::actions(&entries), ["create", "soft_delete", "restore", "soft_delete", "delete"]);
    });
}

#[test]
fn concurrent_deletes_and_restores_alternate_in_the_log() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/ledgers", &json!({ "name": "a" })).await.created();
        let ledger = path("/ledgers", &created);
        let answers = concurrent_answers(kitchen, |client, number| {
            let ledger = ledger.clone();
            async move {
                let mut answers = Vec::new();
                for round in 0..8 {
                    answers.push(match (number + round) % 4 {
                        0 => client.request(Method::POST, format!("{ledger}/restore")).await,
                        1 => client.put(&ledger, &json!({ "name": format!("{number}{round}") })).await,
                        2 => client.request(Method::POST, "/ledgers/restore?all=true").await,
                        _ => client.delete(&ledger).await,
                    });
                }
                answers
            }
        })
        .await;
        count_status(&answers, 200, &[404, 409]);
        let entries = assert_log_matches_records(kitchen, "Ledger", "/ledgers").await;
        let deleted =
            answers.iter().flatten().filter(|answer| answer.status() == 200 && answer.json()["deleted_at"].is_string());
        assert!(deleted.count() >= with_action(&entries, "soft_delete"));
    });
}

#[test]
fn concurrent_creates_and_deletes_of_one_chosen_key_alternate_in_the_log() {
    on_kitchen(async |kitchen| {
        let answers = concurrent_answers(kitchen, |client, number| async move {
            let mut answers = Vec::new();
            for round in 0..12 {
                answers.push(match (number + round) % 2 {
                    0 => client.post("/labels", &json!({ "code": "one", "text": format!("{number} {round}") })).await,
                    _ => client.delete("/labels/one").await,
                });
            }
            answers
        })
        .await;
        count_status(&answers, 201, &[200, 404, 409]);
        let history = audit_log::history(kitchen, "/labels/one").await;
        audit_log::replay(&history).unwrap_or_else(|fault| panic!("{fault}"));
        let actions = audit_log::actions(&history);
        assert!(actions.windows(2).all(|pair| pair[0] != pair[1]), "{actions:?}");
    });
}

/// A create of a label with the text `waits` is held up by this lock after its statement has begun.
const HOLD_UP: [(Backend, &str, &str); 2] = [
    (
        Backend::Postgres,
        "CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$; \
         CREATE TRIGGER hold_up BEFORE INSERT ON labels FOR EACH ROW WHEN (NEW.text = 'waits') \
         EXECUTE FUNCTION hold_up()",
        "SELECT pg_advisory_xact_lock(1)",
    ),
    (
        Backend::MySql,
        "CREATE TRIGGER hold_up BEFORE INSERT ON labels FOR EACH ROW \
         SET @held_up = IF(NEW.text = 'waits', GET_LOCK(CONCAT('hold up ', DATABASE()), 30), 0)",
        "DO GET_LOCK(CONCAT('hold up ', DATABASE()), 30)",
    ),
];

#[test]
fn create_that_waits_while_its_chosen_key_is_deleted_follows_the_delete_in_the_log() {
    on_each_sql_server(async |database| {
        let service = database.service().await.resource::<Label>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let (_, trigger, lock) = HOLD_UP.into_iter().find(|(backend, ..)| *backend == database.backend()).unwrap();
        database.execute(trigger).await;
        api.post("/labels", &json!({ "code": "one", "text": "first" })).await.created();
        let mut held = database.begin_transaction().await;
        held.execute(lock).await;
        let client = Client::clone(&api);
        let create =
            tokio::spawn(async move { client.post("/labels", &json!({ "code": "one", "text": "waits" })).await });
        database.wait_until_blocked().await;
        api.delete("/labels/one").await.ok();
        held.commit().await;
        create.await.expect("the create").created();
        let history = audit_log::history(&api, "/labels/one").await;
        assert_eq!(audit_log::actions(&history), ["create", "delete", "create"]);
        api.stop().await;
    });
}

#[test]
fn concurrent_batches_delete_each_record_once() {
    on_kitchen_with_transactions(async |kitchen| {
        let items = (0..20).map(|number| json!({ "code": number.to_string(), "weight": 1 }));
        let created = kitchen.post("/parcels/batch", &batch(items)).await.ok()["items"].clone();
        let created = created.as_array().expect("items").clone();
        let answers = concurrent_answers(kitchen, |client, number| {
            // Each batch has five records, two of which are in the next batch too.
            let wanted = ids(created.iter().cycle().skip(number * 3).take(5));
            async move { vec![client.request(Method::DELETE, "/parcels/batch").json(&wanted).await] }
        })
        .await;
        let deleted = count_status(&answers, 200, &[404]);
        assert!(deleted >= 1, "no batch succeeded");
        let left = kitchen.get("/parcels?limit=100").await.ok()["total"].as_u64();
        assert_eq!(left, Some(20 - 5 * u64::try_from(deleted).expect("few")), "a batch was applied in part");
        let entries = audit_log::entries(kitchen, "Parcel").await;
        assert_eq!(with_action(&entries, "delete"), 5 * deleted);
        audit_log::replay(&entries).expect("a consistent log");
    });
}

#[test]
fn concurrent_batches_of_one_unique_value_succeed_once() {
    on_kitchen_with_transactions(async |kitchen| {
        let answers = concurrent_answers(kitchen, |client, number| async move {
            let own = json!({ "code": format!("own {number}"), "weight": 1 });
            let shared = json!({ "code": "shared", "weight": number });
            vec![client.post("/parcels/batch", &batch([own, shared])).await]
        })
        .await;
        assert_eq!(count_status(&answers, 200, &[409]), 1);
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 2, "a failed batch left a record");
        assert_eq!(audit_log::entries(kitchen, "Parcel").await.len(), 2);
    });
}

#[test]
fn concurrent_partial_batches_store_the_items_that_they_report() {
    on_kitchen(async |kitchen| {
        let answers = concurrent_answers(kitchen, |client, number| async move {
            let own = json!({ "code": format!("own {number}"), "amount": 1 });
            let shared = json!({ "code": "shared", "amount": number });
            vec![client.post("/slips/batch", &batch([shared, own])).await]
        })
        .await;
        assert_eq!(count_status(&answers, 200, &[207]), 1, "one batch has the shared value");
        assert_eq!(kitchen.get("/slips").await.ok()["total"], CLIENTS + 1);
        assert_log_matches_records(kitchen, "Slip", "/slips").await;
    });
}

#[test]
fn concurrent_batches_updates_and_deletes_leave_a_consistent_log() {
    on_kitchen_with_transactions(async |kitchen| {
        let names = (0..6).map(|number| json!({ "name": number.to_string() }));
        let created = kitchen.post("/ledgers/batch", &batch(names)).await.ok()["items"].clone();
        let created = created.as_array().expect("items").clone();
        let answers = concurrent_answers(kitchen, |client, number| {
            let created = created.clone();
            async move {
                let mut answers = Vec::new();
                for round in 0..6 {
                    let chosen = created.iter().cycle().skip(number + round).take(3);
                    answers.push(match (number + round) % 5 {
                        0 => {
                            let patch =
                                |record: &Value| json!({ "id": record["id"], "name": format!("{number} {round}") });
                            client.put("/ledgers/batch", &batch(chosen.map(patch))).await
                        }
                        1 => client.post("/ledgers/batch/delete", &ids(chosen)).await,
                        2 => client.post("/ledgers/restore", &ids(chosen)).await,
                        3 => client.delete("/ledgers/deleted?name__like=%255").await,
                        _ => client.put(path("/ledgers", &created[round]), &json!({ "ratio": number })).await,
                    });
                }
                answers
            }
        })
        .await;
        count_status(&answers, 200, &[404]);
        assert_log_matches_records(kitchen, "Ledger", "/ledgers").await;
    });
}
