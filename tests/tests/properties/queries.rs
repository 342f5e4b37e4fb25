//! Any query string is answered by 200 or a well-formed problem; the client checks its form.

use std::future::IntoFuture;

use crud_tests::{on_kitchen_blocking, query};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::for_all;
use crate::values::text;

const LISTS: [&str; 5] = ["/sparse", "/tickets", "/entries", "/bare", "/v1/clamped"];
/// Resources with an `i64`, text, UUID and `i32` key.
const KEYED: [&str; 4] = ["/dense", "/tags", "/devices", "/counters"];
const FIELDS: [&str; 14] = [
    "id",
    "flag",
    "small",
    "large",
    "double",
    "text",
    "instant",
    "uuid",
    "decimal",
    "json",
    "priority",
    "shortTitle",
    "a/b~c",
    "nothing",
];
const OPERATORS: [&str; 14] = [
    "", "__eq", "__ne", "__gt", "__gte", "__lt", "__lte", "__in", "__nin", "__like", "__ilike", "__isnull", "__", "__x",
];
const VALUES: [&str; 21] = [
    "",
    "0",
    "-1",
    "1.5",
    "1e400",
    "true",
    "null",
    "a",
    "%",
    "a%",
    "\"",
    "\"a,b\",c",
    "\"a",
    ",",
    "2026-01-31",
    "2026-01-31T23:59:59Z",
    "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f",
    "High",
    "9223372036854775808",
    "text,-id",
    "-",
];

fn parameter() -> impl Strategy<Value = (String, String)> {
    let field =
        (select(&FIELDS[..]), select(&OPERATORS[..])).prop_map(|(field, operator)| format!("{field}{operator}"));
    let control = select(vec!["sort", "skip", "limit", "include_deleted", "only_deleted"]).prop_map(str::to_owned);
    let name = prop_oneof![6 => field, 3 => control, 1 => text()];
    let value = prop_oneof![3 => select(&VALUES[..]).prop_map(str::to_owned), 1 => text(), 1 => any::<i64>().prop_map(|n| n.to_string())];
    (name, value)
}

/// Statuses that a query may be answered with.
fn is_allowed(status: u16) -> bool {
    matches!(status, 200 | 422)
}

#[test]
fn any_parameters_are_answered() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(600, (select(&LISTS[..]), vec(parameter(), 0..6)), |(list, parameters)| {
            let target = query(list, parameters);
            let answer = runtime.block_on(kitchen.get(&target).into_future());
            assert!(is_allowed(answer.status()), "{answer}");
        });
    });
}

/// Part of a query string, valid or not.
fn query_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "&", "=", "%", "%2", "%zz", "%00", "%ff", "%C3%BC", "+", ";", "__", ",", "\"", "sort", "limit", "text",
            "in"
        ])
        .prop_map(str::to_owned),
        "[!-~]{0,4}".prop_map(|text| text.replace('#', "")),
    ]
}

#[test]
fn any_bytes_as_a_query_string_are_answered() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(400, (select(&LISTS[..]), vec(query_piece(), 0..12)), |(list, pieces)| {
            let target = format!("{list}?{}", pieces.concat());
            let answer = runtime.block_on(kitchen.get(&target).into_future());
            assert!(is_allowed(answer.status()), "{answer}");
        });
    });
}

#[test]
fn any_key_in_a_path_is_answered() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(200, (select(&KEYED[..]), vec(any::<u8>(), 1..8)), |(prefix, bytes)| {
            let key = bytes.iter().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
            let answer = runtime.block_on(kitchen.get(format!("{prefix}/{key}")).into_future());
            assert!(matches!(answer.status(), 404 | 422), "{answer}");
        });
    });
}

/// Part of a body, valid or not.
fn body_piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\"text\"",
            "\"large\"",
            "null",
            "true",
            "1",
            "-1e9",
            "1e999",
            "\\u0000",
            "\"a\"",
            " "
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        vec(any::<u8>(), 0..3),
    ]
}

#[test]
fn any_bytes_as_a_body_are_answered() {
    on_kitchen_blocking(|runtime, kitchen| {
        for_all(400, vec(body_piece(), 0..16), |pieces| {
            let answer = runtime.block_on(kitchen.post_bytes("/sparse", pieces.concat()).into_future());
            assert!(matches!(answer.status(), 201 | 400 | 422), "{answer}");
        });
    });
}
