//! Faults in front of a service, each of which breaks one rule: each is found, by the way that it is on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_prove::{Proof, Report};
use crud_runtime::axum::body::{Body, to_bytes};
use crud_runtime::axum::extract::Request;
use crud_runtime::axum::http::{Method, StatusCode, Uri, header};
use crud_runtime::axum::middleware::{Next, from_fn};
use crud_runtime::axum::response::Response;
use crud_tests::{amount, long, on_sqlite};
use serde_json::{Value, json};

use crate::fixture::fixture;

/// A request as a fault sees it.
struct Asked {
    method: Method,
    path: String,
    query: String,
    has_token: bool,
}

impl Asked {
    fn is(&self, method: &Method, path: &str) -> bool {
        self.method == *method && self.path == path
    }

    /// Whether it is for one record, without anything below it.
    fn is_record(&self, prefix: &str) -> bool {
        let key = self.path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/'));
        key.is_some_and(|key| key.parse::<i64>().is_ok())
    }
}

/// Breaks a rule in an answer; it keeps records that it has seen, for others.
type Fault = fn(&Asked, &mut u16, &mut Value, &mut Vec<Value>);

/// A report about the fixture behind a layer with a fault in answers.
async fn report_of(service: crud_runtime::Service, fault: Fault) -> Report {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let layer = from_fn(move |request: Request, next: Next| {
        let seen = seen.clone();
        async move { faulty(request, next, fault, &seen).await }
    });
    Proof::new(fixture(service).layer(layer)).quick().run().await.expect("a proof")
}

async fn faulty(request: Request, next: Next, fault: Fault, seen: &Mutex<Vec<Value>>) -> Response {
    let asked = Asked {
        method: request.method().clone(),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
        has_token: request.headers().contains_key(header::AUTHORIZATION),
    };
    let (mut head, body) = next.run(request).await.into_parts();
    // Events go on.
    if head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream") {
        return Response::from_parts(head, body);
    }
    let bytes = to_bytes(body, usize::MAX).await.expect("a body");
    let Ok(mut json) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(head, Body::from(bytes));
    };
    let mut status = head.status.as_u16();
    fault(&asked, &mut status, &mut json, &mut seen.lock().expect("the records"));
    head.status = StatusCode::from_u16(status).expect("a status");
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(json.to_string()))
}

/// Checks that a fault is found on a way, and that its difference has a command. Most faults are those of the long part.
fn is_found(way: &str, fault: Fault) {
    if long("prove") {
        is_found_at_once(way, fault);
    }
}

fn is_found_at_once(way: &str, fault: Fault) {
    on_sqlite(async |database| {
        let report = report_of(database.service().await, fault).await;
        let found = report.differences.iter().find(|difference| difference.way == way);
        let found = found.unwrap_or_else(|| panic!("no difference of {way}: {report}"));
        assert!(found.curl.starts_with("curl "), "{found:?}");
    });
}

fn rows(json: &mut Value) -> Option<&mut Vec<Value>> {
    json["data"].as_array_mut()
}

#[test]
fn service_without_a_fault_does_what_its_rules_say() {
    on_sqlite(async |database| {
        let proof = Proof::new(fixture(database.service().await));
        let report = if amount("prove", false, true) { proof.run().await } else { proof.quick().run().await };
        let report = report.expect("a proof");
        report.expect_no_difference();
        assert!(report.table().contains("## Note, `/notes`"), "{}", report.table());
    });
}

#[test]
fn proof_whose_time_is_over_says_what_it_did_not_ask() {
    on_sqlite(async |database| {
        let proof = Proof::new(fixture(database.service().await)).quick().within(Duration::ZERO);
        let report = proof.run().await.expect("a proof");
        let line = "changes of Note by nobody: the time of the proof is over".to_owned();
        assert!(report.unreached.contains(&line) && report.differences.is_empty(), "{report}");
    });
}

#[test]
fn another_owners_record_in_a_list_is_found() {
    is_found_at_once("list", |asked, _, json, seen| {
        if !asked.is(&Method::GET, "/notes") || !asked.query.starts_with("limit=100") || asked.query.contains('&') {
            return;
        }
        let Some(rows) = rows(json) else { return };
        let other = seen.iter().find(|row| rows.iter().all(|own| own["author_id"] != row["author_id"])).cloned();
        seen.extend(rows.iter().cloned());
        rows.extend(other);
    });
}

#[test]
fn hidden_field_is_found() {
    is_found("get", |asked, status, json, _| {
        if asked.is_record("/notes") && asked.method == Method::GET && *status == 200 {
            json["digest"] = json!("abc");
        }
    });
}

#[test]
fn field_of_a_role_is_found_without_the_role() {
    is_found("list", |asked, status, json, _| {
        if asked.is(&Method::GET, "/notes") && *status == 200 {
            rows(json).into_iter().flatten().for_each(|row| row["remark"] = json!("a secret"));
        }
    });
}

#[test]
fn total_with_the_records_of_strangers_is_found() {
    is_found("total", |asked, status, json, _| {
        if asked.is(&Method::GET, "/notes") && *status == 200 && json["total"].is_u64() {
            json["total"] = json!(json["total"].as_u64().unwrap_or_default() + 1);
        }
    });
}

#[test]
fn role_that_is_let_in_is_found() {
    is_found("list", |asked, status, json, _| {
        if asked.is(&Method::GET, "/shelves") && *status == 403 {
            *status = 200;
            *json = json!({ "data": [], "total": 0 });
        }
    });
}

#[test]
fn stranger_that_is_let_in_is_found() {
    is_found("route", |asked, status, json, _| {
        if asked.is(&Method::GET, "/comments") && !asked.has_token {
            *status = 200;
            *json = json!({ "data": [] });
        }
    });
}

#[test]
fn refusal_in_place_of_a_missing_record_is_found() {
    is_found("get", |asked, status, _, _| {
        if asked.is_record("/notes") && asked.method == Method::GET && *status == 404 {
            *status = 403;
        }
    });
}

#[test]
fn deleted_record_in_expand_is_found() {
    is_found("expand", |asked, _, json, seen| {
        if !asked.is(&Method::GET, "/notes") || !asked.query.contains("expand=shelf") {
            return;
        }
        for row in rows(json).into_iter().flatten() {
            match &row["shelf"] {
                Value::Null => row["shelf"] = seen.first().cloned().unwrap_or_default(),
                shelf => seen.push(shelf.clone()),
            }
        }
    });
}

#[test]
fn count_of_all_records_in_an_aggregate_is_found() {
    is_found("aggregate", |asked, status, json, _| {
        if asked.is(&Method::GET, "/notes/aggregate") && *status == 200 {
            rows(json).into_iter().flatten().for_each(|group| group["count"] = json!(99));
        }
    });
}

#[test]
fn history_of_a_hidden_record_is_found() {
    is_found("history", |asked, status, json, _| {
        if asked.path.starts_with("/notes/") && asked.path.ends_with("/history") && *status == 404 {
            *status = 200;
            *json = json!({ "data": [] });
        }
    });
}

/// Checks that a fault is found that ignores a parameter.
fn ignored_parameter_is_found(way: &str, path: &'static str, parameter: &'static str) {
    if !long("prove") {
        return;
    }
    on_sqlite(async |database| {
        let layer = from_fn(move |mut request: Request, next: Next| async move {
            let query = request.uri().query().unwrap_or_default();
            if request.uri().path() == path && query.contains(parameter) {
                let kept: Vec<&str> = query.split('&').filter(|it| !it.starts_with(parameter)).collect();
                *request.uri_mut() = format!("{path}?{}", kept.join("&")).parse::<Uri>().expect("a path");
            }
            next.run(request).await
        });
        let proof = Proof::new(fixture(database.service().await).layer(layer)).quick();
        let report = proof.run().await.expect("a proof");
        assert!(report.differences.iter().any(|difference| difference.way == way), "{report}");
    });
}

#[test]
fn search_that_finds_everything_is_found() {
    ignored_parameter_is_found("search", "/notes", "q=");
}

#[test]
fn order_by_a_hidden_field_is_found() {
    ignored_parameter_is_found("sort", "/notes", "sort=remark");
}
