//! SIGKILL in the middle of changes of an issue's labels: each change has happened as a whole, with its entries, or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_tests::{Client, Database, Server, on_each_sql_backend, wait_until};
use serde_json::{Value, json};

/// Number of kills of the process.
const ROUNDS: usize = 4;

/// Number of labels of each of the sets.
const LABELS: usize = 20;

const PASSWORD: &str = "a password of this test";

/// The operator, who owns a team as well.
#[derive(Clone)]
struct Owner {
    client: Client,
    authorization: String,
    /// Number of changes that were answered.
    acknowledged: Arc<AtomicUsize>,
}

impl Owner {
    async fn new(server: &Server) -> Self {
        let body = json!({ "username": "admin", "password": PASSWORD });
        let tokens = server.post("/auth/login", &body).await.ok();
        let token = tokens["access_token"].as_str().expect("a token");
        Self { client: Client::clone(server), authorization: format!("Bearer {token}"), acknowledged: Arc::default() }
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(path).header("authorization", &self.authorization).await.ok()
    }

    async fn create(&self, path: &str, body: Value) -> i64 {
        let record = self.client.post(path, &body).header("authorization", &self.authorization).await.created();
        record["id"].as_i64().expect("a key")
    }

    /// Replaces the labels of the issue by one set after the other, until a request is not answered.
    async fn replace(self, sets: [Vec<i64>; 2]) {
        for set in sets.iter().cycle() {
            let request = self.client.put("/issues/1/labels", &json!({ "ids": set }));
            let answer = request.header("authorization", &self.authorization).attempt().await;
            if answer.is_none_or(|answer| answer.status() != 200) {
                return;
            }
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Makes a team of the operator, an issue, and two sets of labels.
async fn fill(server: &Server) -> [Vec<i64>; 2] {
    let admin = Owner::new(server).await;
    let user = admin.get("/profile").await["user_id"].clone();
    let user: i64 = user.as_str().expect("a text").parse().expect("a number");
    let team = admin.create("/teams", json!({ "name": "red" })).await;
    let member = json!({ "team_id": team, "user_id": user, "name": "admin", "role": "owner" });
    admin.create("/members", member).await;
    let owner = Owner::new(server).await;
    assert_eq!(owner.create("/issues", json!({ "title": "Paint the door" })).await, 1);
    let mut sets = [Vec::new(), Vec::new()];
    for number in 0..2 * LABELS {
        let label = owner.create("/labels", json!({ "name": format!("label {number}") })).await;
        sets[number / LABELS].push(label);
    }
    sets
}

/// Checks that the issue has one of the sets, and that its history says the same.
async fn check(owner: &Owner, sets: &[Vec<i64>; 2]) {
    let labels = owner.get("/issues/1/labels").await;
    let records = labels["data"].as_array().expect("labels").iter();
    let mut keys: Vec<i64> = records.map(|label| label["id"].as_i64().expect("a key")).collect();
    keys.sort_unstable();
    assert!(keys.is_empty() || sets.contains(&keys), "a part of a change: {keys:?}");
    let (mut linked, mut skip) = (0, 0);
    loop {
        let page = owner.get(&format!("/issues/1/history?limit=100&skip={skip}")).await;
        let entries = page["data"].as_array().expect("a page");
        for entry in entries {
            let count = |member: &str| entry[member]["labels"].as_array().map_or(0, Vec::len);
            match entry["action"].as_str() {
                Some("link") => linked += count("changes"),
                Some("unlink") => linked -= count("previous"),
                _ => {}
            }
        }
        skip += entries.len();
        if entries.is_empty() || skip as u64 >= page["total"].as_u64().expect("a total") {
            break;
        }
    }
    assert_eq!(linked, keys.len(), "the history and the labels disagree");
}

async fn survive(database: &Database) {
    let variables =
        [("ADMIN_PASSWORD", PASSWORD), ("JWT_SECRET_KEY", "the secret of the tests of crashes, which is public")];
    let mut sets = None;
    for round in 0..=ROUNDS {
        let mut server = Server::start_with(env!("CARGO_BIN_EXE_tracker"), &[], &variables, database).await;
        let sets = match &sets {
            Some(sets) => sets,
            None => sets.insert(fill(&server).await),
        };
        let owner = Owner::new(&server).await;
        check(&owner, sets).await;
        if round == ROUNDS {
            break;
        }
        let writer = tokio::spawn(owner.clone().replace(sets.clone()));
        wait_until("labels are replaced", async || owner.acknowledged.load(Ordering::Relaxed) > 2 + 3 * round).await;
        server.signal("KILL").await;
        server.ended().await;
        writer.await.expect("the writer ends");
    }
}

#[test]
fn killed_change_of_labels_has_happened_as_a_whole_or_not_at_all() {
    on_each_sql_backend(async |database| survive(database).await);
}
