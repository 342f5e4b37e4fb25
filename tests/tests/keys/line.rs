//! Orders and their lines, whose key is the order with a code.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// An order.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, has_many(lines(Line::order_id, sort(code))))]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A line of an order.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter,
    sort,
    pagination(default_limit = 100, max_limit = 100, cursor),
    batch,
    audit,
    export,
    import,
    upsert(order_id, code)
)]
pub(crate) struct Line {
    #[crud(id, references(Order, expand))]
    pub(crate) order_id: i64,
    #[crud(id)]
    pub(crate) code: String,
    pub(crate) amount: i32,
    pub(crate) note: Option<String>,
}

/// Codes whose characters mean something in paths, lists, patterns or SQL.
pub(crate) const HOSTILE: [&str; 16] = [
    "a",
    "a,b",
    "a/b",
    "2026-01-31T12:00:00Z",
    "%2C",
    "a%2Fb",
    "Grüße €",
    "a b+c",
    ".",
    "..",
    "batch",
    "restore",
    "it's \"quoted\"",
    "x;y=z&w",
    "?#[]@",
    "\\",
];

/// A service of orders and lines, with two orders.
pub(crate) async fn shop(database: &Database) -> Api {
    let service = database.service().await.resource::<Order>().resource::<Line>();
    let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
    api.check_against_document().await;
    for name in ["first", "second"] {
        api.post("/orders", &json!({ "name": name })).await.created();
    }
    api
}

/// The body of a line.
pub(crate) fn line(order: i64, code: &str, amount: i32) -> Value {
    json!({ "order_id": order, "code": code, "amount": amount, "note": null })
}

/// The text of a key: each part percent-encoded, with commas between them.
pub(crate) fn text(order: i64, code: &str) -> String {
    const SEGMENT: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    format!("{order},{}", utf8_percent_encode(code, SEGMENT))
}

/// The path of a line.
pub(crate) fn path(order: i64, code: &str) -> String {
    format!("/lines/{}", text(order, code))
}

/// The codes of lines.
pub(crate) fn codes(lines: &Value) -> Vec<String> {
    let lines = lines.as_array().expect("a list");
    lines.iter().map(|line| line["code"].as_str().expect("a code").to_owned()).collect()
}
