//! Requests that no ordinary client sends, to every operation: each is answered as the document says, no refused one
//! changes a record, and the service serves on.
//!
//! A fixed sample runs by default; `CRUD_TEST_HOSTILE=all` sends every request.

use std::collections::BTreeMap;

use crud_tests::Api;
use crud_tests::http::{on_kitchen, on_shop};
use reqwest::Method;
use serde_json::Value;

use super::hostile_inputs::{Input, inputs};

/// Number of requests in the sample for each service.
const SAMPLE: usize = 400;

/// Creates a record of each resource by the document's example; returns their keys by the lists' paths.
async fn create_examples(api: &Api, document: &Value) -> BTreeMap<String, String> {
    let mut ids = BTreeMap::new();
    let paths = document["paths"].as_object().expect("paths");
    // Records that refer to others are created after those.
    for _ in 0..4 {
        for (path, item) in paths.iter().filter(|(path, item)| !path.contains('{') && item["get"].is_object()) {
            let schema = &item["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            let Some(schema) = schema.as_str().filter(|_| !ids.contains_key(path)) else { continue };
            let example = &document.pointer(schema.trim_start_matches('#')).expect("a schema")["examples"][0];
            let created = api.post(path, example).await;
            let location = created.header("location").filter(|_| created.status() == 201);
            if let Some(id) = location.and_then(|location| location.rsplit('/').next()) {
                ids.insert(path.clone(), id.to_owned());
            }
        }
    }
    ids
}

/// Sends a request; the client checks the answer.
async fn send(api: &Api, input: &Input) -> u16 {
    let mut request = api.request(input.method.clone(), &input.target);
    for (name, value) in &input.headers {
        request = request.header(name, value);
    }
    if let Some((media_type, bytes)) = &input.body {
        request = request.body(media_type, bytes.clone());
    }
    let answer = request.await;
    assert!(answer.status() < 500, "{answer}");
    answer.status()
}

async fn records(api: &Api, list: &str) -> Value {
    api.get(list).await.ok()
}

/// Sends the requests; returns how many were sent and how many refused.
async fn attack(api: &Api) -> (usize, usize) {
    let document = api.get("/openapi.json").await.ok();
    let ids = create_examples(api, &document).await;
    let all = inputs(&document, &ids);
    let every = std::env::var("CRUD_TEST_HOSTILE").is_ok_and(|wanted| wanted == "all");
    let step = if every { 1 } else { all.len().div_ceil(SAMPLE) };
    let sent: Vec<&Input> = all.iter().step_by(step).collect();
    let mut states: BTreeMap<&str, Value> = BTreeMap::new();
    let mut refused = 0;
    for input in &sent {
        let changes = !matches!(input.method, Method::GET | Method::TRACE);
        let list = input.list.as_deref().filter(|_| changes);
        if let Some(list) = list
            && !states.contains_key(list)
        {
            states.insert(list, records(api, list).await);
        }
        let status = send(api, input).await;
        refused += usize::from(status >= 400);
        let Some(list) = list else { continue };
        let after = records(api, list).await;
        if status >= 400 {
            assert_eq!(states[list], after, "a refused request changed a record: {status} {input:?}");
        } else {
            // Records that refer to these may have changed with them.
            states.clear();
            states.insert(list, after);
        }
    }
    api.get("/health").await.expect(200);
    api.get("/ready").await.expect(200);
    eprintln!("{}: {} of {} requests, {refused} refused", api.backend().name(), sent.len(), all.len());
    assert!(all.len() >= 2_000, "{} requests", all.len());
    (sent.len(), refused)
}

#[test]
fn hostile_requests_to_every_operation_of_the_shop_are_answered_as_documented() {
    on_shop(async |shop| {
        let (sent, refused) = attack(shop).await;
        assert!(refused * 2 > sent, "{refused} of {sent}");
    });
}

#[test]
fn hostile_requests_to_every_operation_of_every_kind_of_resource_are_answered_as_documented() {
    on_kitchen(async |kitchen| {
        let (sent, refused) = attack(kitchen).await;
        assert!(refused * 2 > sent, "{refused} of {sent}");
    });
}
