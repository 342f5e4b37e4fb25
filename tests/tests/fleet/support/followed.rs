//! Records whose events are followed on each server of one database.

use std::collections::BTreeMap;
use std::time::Duration;

use crud_events::Events;
use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::{Api, Client, within};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// A record whose events are followed.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination)]
struct Step {
    id: i64,
    #[crud(length(max = 100))]
    text: String,
}

/// The number of records that each server makes and changes.
const RECORDS: usize = 40;

/// Adds the records with their events to a service.
pub(crate) fn followed(service: Service) -> Service {
    service.plugin(Events::new().resource::<Step>()).expect("one plugin").resource::<Step>()
}

/// Makes and changes records on every server; the key of one that is changed by all.
async fn write(client: Client, shared: Value, server: usize) {
    for number in 0..RECORDS {
        let text = json!({ "text": format!("{server}.{number}") });
        let made = client.post("/steps", &text).await.created();
        client.patch(format!("/steps/{}", made["id"]), &json!({ "text": "changed" })).await.ok();
        // Another node may have changed it at the same time.
        let status = client.patch(format!("/steps/{shared}"), &text).await.status();
        assert!([200, 503].contains(&status), "{status}");
        if number % 5 == 0 {
            client.delete(format!("/steps/{}", made["id"])).await.ok();
        }
    }
}

/// Folds the events of a server after an id, up to that of a record; each has a larger id than the one before.
async fn follow(client: Client, mut after: String, last: String) -> BTreeMap<String, Value> {
    let (mut folded, mut newest) = (BTreeMap::new(), 0);
    loop {
        let answer = client.get(format!("/steps/events?after={after}&wait=5")).await.ok();
        answer["after"].as_str().expect("an id").clone_into(&mut after);
        for event in answer["data"].as_array().expect("events") {
            let id: i64 = event["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
            assert!(id > newest, "{event} after {newest}");
            newest = id;
            match (event["record_id"].to_string(), &event["data"]) {
                (key, Value::Null) => drop(folded.remove(&key)),
                (key, record) => drop(folded.insert(key, record.clone())),
            }
        }
        if folded.values().any(|record: &Value| record["text"] == last) {
            return folded;
        }
    }
}

/// Checks that each server tells every change that all make at the same time: the events that it has are the list. `catch_up` waits
/// until every server has what the others have written.
pub(crate) async fn each_server_tells_every_change(servers: &[Api], catch_up: impl Fn()) {
    let shared = servers[0].post("/steps", &json!({ "text": "shared" })).await.created()["id"].clone();
    catch_up();
    let mut followers = JoinSet::new();
    for (number, server) in servers.iter().enumerate() {
        let after = server.get("/steps/events").await.ok()["after"].as_str().expect("an id").to_owned();
        let client = Client::clone(server);
        followers.spawn(async move { (number, follow(client, after, "the last".to_owned()).await) });
    }
    let mut writers = JoinSet::new();
    for (number, server) in servers.iter().enumerate() {
        writers.spawn(write(Client::clone(server), shared.clone(), number));
    }
    writers.join_all().await;
    catch_up();
    servers[0].post("/steps", &json!({ "text": "the last" })).await.created();
    let told = within(Duration::from_mins(1), "the events", followers.join_all()).await;
    let mut listed = BTreeMap::new();
    for skip in (0..).step_by(100) {
        let page = servers[0].get(format!("/steps?limit=100&skip={skip}")).await.ok();
        let records = page["data"].as_array().expect("records");
        listed.extend(records.iter().map(|record| (record["id"].to_string(), record.clone())));
        if records.len() < 100 {
            break;
        }
    }
    assert_eq!(listed.len(), servers.len() * RECORDS * 4 / 5 + 2);
    for (number, folded) in told {
        assert_eq!(folded, listed, "server {number}");
    }
}
