//! SIGKILL in the middle of changes of an issue's labels: each change has happened as a whole, with its entries, or not at all.

use crud_tests::{Database, Operator, Server, on_each_sql_backend, wait_until};
use serde_json::json;

/// Number of kills of the process.
const ROUNDS: usize = 4;

/// Number of labels of each of the sets.
const LABELS: usize = 20;

/// Replaces the labels of the issue by one set after the other, until a request is not answered.
async fn replace(owner: Operator, sets: [Vec<i64>; 2]) {
    for set in sets.iter().cycle() {
        if !owner.try_put("/issues/1/labels", &json!({ "ids": set })).await {
            return;
        }
    }
}

/// Makes a team of the operator, an issue, and two sets of labels.
async fn fill(server: &Server) -> [Vec<i64>; 2] {
    let admin = Operator::log_in(server).await;
    let user = admin.get("/profile").await["user_id"].clone();
    let user: i64 = user.as_str().expect("a text").parse().expect("a number");
    let team = admin.create("/teams", json!({ "name": "red" })).await;
    let member = json!({ "team_id": team, "user_id": user, "name": "admin", "role": "owner" });
    admin.create("/members", member).await;
    let owner = Operator::log_in(server).await;
    assert_eq!(owner.create("/issues", json!({ "title": "Paint the door" })).await, 1);
    let mut sets = [Vec::new(), Vec::new()];
    for number in 0..2 * LABELS {
        let label = owner.create("/labels", json!({ "name": format!("label {number}") })).await;
        sets[number / LABELS].push(label);
    }
    sets
}

/// Checks that the issue has one of the sets, and that its history says the same.
async fn check(owner: &Operator, sets: &[Vec<i64>; 2]) {
    let labels = owner.get("/issues/1/labels").await;
    let records = labels["data"].as_array().expect("labels").iter();
    let mut keys: Vec<i64> = records.map(|label| label["id"].as_i64().expect("a key")).collect();
    keys.sort_unstable();
    assert!(keys.is_empty() || sets.contains(&keys), "a part of a change: {keys:?}");
    let mut linked = 0;
    for entry in owner.all("/issues/1/history").await {
        let count = |member: &str| entry[member]["labels"].as_array().map_or(0, Vec::len);
        match entry["action"].as_str() {
            Some("link") => linked += count("changes"),
            Some("unlink") => linked -= count("previous"),
            _ => {}
        }
    }
    assert_eq!(linked, keys.len(), "the history and the labels disagree");
}

async fn survive(database: &Database) {
    let mut sets = None;
    for round in 0..=ROUNDS {
        let mut server = Server::start_with(env!("CARGO_BIN_EXE_tracker"), &[], &Operator::VARIABLES, database).await;
        let sets = match &sets {
            Some(sets) => sets,
            None => sets.insert(fill(&server).await),
        };
        let owner = Operator::log_in(&server).await;
        check(&owner, sets).await;
        if round == ROUNDS {
            break;
        }
        let writer = tokio::spawn(replace(owner.clone(), sets.clone()));
        wait_until("labels are replaced", async || owner.acknowledged() > 2 + 3 * round).await;
        server.signal("KILL").await;
        server.ended().await;
        writer.await.expect("the writer ends");
    }
}

#[test]
fn killed_change_of_labels_has_happened_as_a_whole_or_not_at_all() {
    on_each_sql_backend(async |database| survive(database).await);
}
