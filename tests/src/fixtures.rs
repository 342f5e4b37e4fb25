//! Records and bodies that tests start from.

use serde_json::{Value, json};

use crate::client::Client;

/// Creates a category and returns its id.
pub async fn category(shop: &Client, name: &str) -> i64 {
    id(&shop.post("/categories", &json!({ "name": name })).await.created())
}

/// Creates a product in a new category.
pub async fn product(shop: &Client, name: &str) -> Value {
    let category = category(shop, &format!("for {name}")).await;
    shop.post("/products", &product_body(category, name)).await.created()
}

/// The body of a request that creates a product.
pub fn product_body(category: i64, name: &str) -> Value {
    json!({ "name": name, "description": null, "price": 9.99, "stock": 3, "category_id": category })
}

/// Creates a record for each body and returns the records.
pub async fn create_all(api: &Client, prefix: &str, bodies: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut records = Vec::new();
    for body in bodies {
        records.push(api.post(prefix, &body).await.created());
    }
    records
}

/// The integer key of a record.
///
/// # Panics
/// When it is not an integer.
#[track_caller]
pub fn id(record: &Value) -> i64 {
    record["id"].as_i64().unwrap_or_else(|| panic!("the id is not an integer: {record}"))
}

/// A body for a dense record: an ordinary value of each type.
pub fn dense() -> Value {
    json!({
        "flag": true,
        "small": -7,
        "medium": 70_000,
        "large": 5_000_000_000_i64,
        "unsigned": 4_000_000_000_u32,
        "single": 1.5,
        "double": 0.1,
        "text": "Grüße, 世界",
        "instant": "2026-01-31T23:59:59.123456Z",
        "day": "2026-01-31",
        "time": "23:59:59.123456",
        "local": "2026-01-31T23:59:59.123456",
        "uuid": "0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f",
        "decimal": "123.450",
        "json": { "b": [1, 2.5, null], "a": { "deep": true } },
        "bytes": "AAEC/w==",
        "texts": ["one", "two, three", ""],
        "priority": "High",
        "sku": "SKU-1",
    })
}

/// [`dense`] with one changed member.
///
/// # Panics
/// Never: the body is an object.
pub fn dense_with(field: &str, value: Value) -> Value {
    let mut body = dense();
    body[field] = value;
    body
}

/// The records of a page or of a plain list.
///
/// # Panics
/// When the list has no array of records.
#[track_caller]
pub fn records(list: &Value) -> &[Value] {
    let records = if list.is_object() { &list["data"] } else { list };
    records.as_array().unwrap_or_else(|| panic!("the list has no records: {list}"))
}

/// One field of each record of a list.
#[track_caller]
pub fn column(list: &Value, field: &str) -> Vec<Value> {
    records(list).iter().map(|record| record[field].clone()).collect()
}

/// The current time as canonical text. It is later than every earlier change and earlier than every later one; texts of
/// this form sort as instants do.
pub fn now() -> String {
    crud_runtime::adapter::text::stamp().format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

/// The path of a record.
#[track_caller]
pub fn path(prefix: &str, record: &Value) -> String {
    let id = &record["id"];
    id.as_str().map_or_else(|| format!("{prefix}/{id}"), |id| format!("{prefix}/{id}"))
}

/// Creates a note and soft-deletes it; returns it as created and as deleted.
pub async fn deleted_note(kitchen: &Client, body: Value) -> (Value, Value) {
    let created = kitchen.post("/notes", &body).await.created();
    let deleted = kitchen.delete(path("/notes", &created)).await.ok();
    (created, deleted)
}

/// The body of a batch of items.
pub fn batch(items: impl IntoIterator<Item = Value>) -> Value {
    json!({ "items": items.into_iter().collect::<Vec<_>>() })
}

/// The body of a batch that deletes records.
pub fn ids<'a>(records: impl IntoIterator<Item = &'a Value>) -> Value {
    json!({ "ids": records.into_iter().map(|record| record["id"].clone()).collect::<Vec<_>>() })
}

/// Pipelined requests for a document of many kilobytes each.
pub fn large_requests(count: usize) -> String {
    "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count)
}
