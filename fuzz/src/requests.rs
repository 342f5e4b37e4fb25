//! The targets that are parts of requests.

use axum::http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::service::{Fuzzed, on_service, with_header};

/// The first byte, which chooses what the rest is for, and the rest.
fn chosen<'a, T>(choices: &'a [T], input: &'a [u8]) -> Option<(&'a T, &'a [u8])> {
    let (first, rest) = input.split_first()?;
    Some((&choices[usize::from(*first) % choices.len()], rest))
}

/// A query string of a list.
pub(crate) fn query(input: &[u8]) {
    const LISTS: [&str; 6] =
        ["/records", "/records/export", "/audit-logs", "/records/1", "/records/1/history", "/payments"];
    let Some((path, rest)) = chosen(&LISTS, input) else { return };
    let Ok(rest) = str::from_utf8(rest) else { return };
    on_service(|service| drop(service.get(&format!("{path}?{rest}"))));
}

/// A condition: both ways to send it have the same answer.
pub(crate) fn condition(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    on_service(|service| {
        let body = format!("{{\"where\":{text}}}");
        let searched = service.send(service.test().post("/records/search", ()).body("application/json", body));
        let target = format!("/records?where={}", utf8_percent_encode(text, NON_ALPHANUMERIC));
        let Some(listed) = service.get(&target).filter(|listed| listed.status() != 414) else { return };
        // Duplicate members and members beside `where` are the body's alone to refuse.
        if searched.status() == 200 && listed.status() == 200 {
            assert_eq!(searched.json(), listed.json(), "{text}");
        }
    });
}

/// The body of a change. What is answered is what is stored.
pub(crate) fn body(input: &[u8]) {
    const CHANGES: [(Method, &str, &str); 10] = [
        (Method::POST, "/records", "application/json"),
        (Method::PATCH, "/records/1", "application/json"),
        (Method::PUT, "/records/2", "application/json"),
        (Method::PATCH, "/records/3", "application/merge-patch+json"),
        (Method::POST, "/records?on_conflict=code", "application/json"),
        (Method::POST, "/records/batch", "application/json"),
        (Method::PUT, "/records/batch", "application/json"),
        (Method::POST, "/records/batch/delete", "application/json"),
        (Method::POST, "/records/restore", "application/json"),
        (Method::POST, "/records/search", "application/json"),
    ];
    let Some(((method, target, media_type), rest)) = chosen(&CHANGES, input) else { return };
    on_service(|service| {
        let before = state(service);
        let request = service.test().request(method.clone(), target).body(media_type, rest.to_vec());
        let answer = service.send(request);
        if answer.status() >= 400 {
            assert_eq!(state(service), before, "a refused request changed the records: {answer:?}");
        } else if let Some(id) = answer.json()["id"].as_i64() {
            let read = service.get(&format!("/records/{id}?include_deleted=true")).expect("a path");
            assert_eq!(read.json(), answer.json());
        }
    });
}

/// Every record.
fn state(service: &Fuzzed) -> Value {
    service.get("/records?include_deleted=true&limit=100&sort=-updated_at").expect("a path").json()
}

/// A file: what it says that it created is there.
pub(crate) fn import(input: &[u8]) {
    const IMPORTS: [(&str, &str); 6] = [
        ("/records/import", "text/csv"),
        ("/records/import?mode=partial", "text/csv"),
        ("/records/import?mode=partial&raw=true", "text/csv"),
        ("/records/import?mode=partial&on_conflict=code", "text/csv"),
        ("/records/import", "application/x-ndjson"),
        ("/records/import?mode=partial&on_conflict=code", "application/x-ndjson"),
    ];
    let Some(((target, media_type), rest)) = chosen(&IMPORTS, input) else { return };
    on_service(|service| {
        let total = |service: &Fuzzed| state(service)["total"].as_i64().expect("a total");
        let before = total(service);
        let request = service.test().request(Method::POST, target).body(media_type, rest.to_vec());
        let answer = service.send(request);
        let created = if answer.status() < 400 { answer.json()["created"].as_i64().unwrap_or(0) } else { 0 };
        assert_eq!(total(service), before + created, "{answer:?}");
    });
}

/// The value of a header.
pub(crate) fn headers(input: &[u8]) {
    const HEADERS: [&str; 16] = [
        "idempotency-key",
        "if-match",
        "if-none-match",
        "prefer",
        "accept",
        "accept-encoding",
        "content-type",
        "content-encoding",
        "content-length",
        "traceparent",
        "x-forwarded-for",
        "x-request-id",
        "x-session-token",
        "if-modified-since",
        "origin",
        "expect",
    ];
    const METHODS: [(Method, &str); 4] = [
        (Method::GET, "/records"),
        (Method::GET, "/records/1"),
        (Method::PATCH, "/records/1"),
        (Method::POST, "/payments"),
    ];
    let Some((name, rest)) = chosen(&HEADERS, input) else { return };
    let Some(((method, target), rest)) = chosen(&METHODS, rest) else { return };
    let Ok(value) = str::from_utf8(rest) else { return };
    on_service(|service| {
        let request = service.test().request(method.clone(), target);
        let request = if *method == Method::GET { request } else { request.json(json!({ "amount": 1 })) };
        if let Some(request) = with_header(request, name, value) {
            service.send(request);
        }
    });
}

/// A cursor that was made by hand; or, of two lines, the query strings of a list and of the list by its cursor.
pub(crate) fn cursor(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    on_service(|service| {
        let Some((first, second)) = text.split_once('\n') else {
            service.get(&format!("/records?cursor={text}"));
            return;
        };
        let Some(page) = service.get(&format!("/records?cursor=&limit=2&{first}")) else { return };
        if page.status() != 200 {
            return;
        }
        let page = page.json();
        for token in ["next_cursor", "prev_cursor"] {
            let Some(token) = page[token].as_str() else { continue };
            let next = service.get(&format!("/records?cursor={token}&{second}"));
            // This list has the records after those.
            if let Some(next) = next.filter(|next| next.status() == 200) {
                let next = next.json();
                let records = |page: &Value| page["data"].as_array().cloned().unwrap_or_default();
                let again = records(&next).into_iter().find(|record| records(&page).contains(record));
                assert_eq!(again, None, "{page} is followed by {next}");
            }
        }
    });
}
