//! Whether two servers answer alike: only then do their costs compare.

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::case::{Case, get, send};
use crate::database::Engine;
use crate::http::Connection;

const READS: [&str; 12] = [
    "/products/1",
    "/products/4711",
    "/products/10000",
    "/products/10001",
    "/products",
    "/products?category_id=7&price__gt=10.5&sort=-price&limit=20",
    "/products?category_id=7&price__gt=10.5&sort=-price&limit=20&skip=240",
    "/products?price__gt=100.5&price__lt=200.5&sort=price,name&limit=100",
    "/products?name__like=Oak%25&sort=name&limit=5",
    "/products?name__like=oak%25",
    "/products?sort=colour",
    "/products?limit=0",
];

const NEW: &str = r#"{"name":"Compared","price":12.25,"stock":3,"category_id":1}"#;

/// Sends the same requests to all servers, given by name and address, and compares statuses and JSON with the
/// first one's; a difference is an error. Leaves one more record in each. Returns how many requests it sent.
pub(crate) async fn compare(servers: &[(&'static str, &str)], engine: Engine) -> anyhow::Result<usize> {
    let mut all = Servers(Vec::new());
    for (name, address) in servers {
        all.0.push((name, Connection::open(address).await?));
    }
    for target in READS {
        all.same(&get(target)).await?;
    }
    let created = all.same(&send("POST", "/products", NEW)).await?;
    let id = created.get("id").and_then(Value::as_i64).context("the created record has no id")?;
    let path = format!("/products/{id}");
    let writes = [
        send("PUT", &path, r#"{"description":"Now with words","stock":4}"#),
        send("PUT", &path, r#"{"description":null,"price":0.5}"#),
        send("PUT", &path, r#"{"price":-1}"#),
        send("PUT", "/products/999999", r#"{"price":1.5}"#),
        send("POST", "/products", r#"{"name":"","price":-1,"stock":3,"category_id":1}"#),
        send("POST", "/products", r#"{"name":"No such category","price":1.5,"stock":3,"category_id":999}"#),
        send("POST", "/products", r#"{"name":"#),
    ];
    let batches = [
        send("POST", "/products/batch", &format!(r#"{{"items":[{NEW},{NEW}]}}"#)),
        send("POST", "/products/batch", r#"{"items":[{"name":"","price":1.5,"stock":3,"category_id":1}]}"#),
    ];
    let batches = if engine.cases().contains(&Case::Batch) { &batches[..] } else { &[] };
    for request in writes.iter().chain(batches) {
        all.same(request).await?;
    }
    Ok(READS.len() + 1 + writes.len() + batches.len())
}

struct Servers(Vec<(&'static str, Connection)>);

impl Servers {
    /// The JSON of the answer, which all gave. What an error says is up to each; its status is not.
    async fn same(&mut self, request: &[u8]) -> anyhow::Result<Value> {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut first = None::<(u16, Value)>;
        for (name, connection) in &mut self.0 {
            let (status, mut json) = answer(connection, request).await.with_context(|| format!("{name}: {line}"))?;
            if status >= 400 {
                json = Value::Null;
            } else if !line.starts_with("GET") {
                // Written at different times.
                match json.get_mut("items").and_then(Value::as_array_mut) {
                    Some(items) => items.iter_mut().try_for_each(forget_times)?,
                    None => forget_times(&mut json)?,
                }
            }
            let (expected, expected_json) = first.get_or_insert_with(|| (status, json.clone()));
            ensure!(
                (status, &json) == (*expected, expected_json),
                "{name}: {line} was answered with {status} {json}, by the first server with {expected} {expected_json}"
            );
        }
        Ok(first.unwrap_or_default().1)
    }
}

async fn answer(connection: &mut Connection, request: &[u8]) -> anyhow::Result<(u16, Value)> {
    let response = connection.send(request).await?;
    let body = serde_json::from_slice(response.body).context("the answer is no JSON")?;
    Ok((response.status, body))
}

fn forget_times(record: &mut Value) -> anyhow::Result<()> {
    let fields = record.as_object_mut().context("the record is no object")?;
    for name in ["created_at", "updated_at"] {
        let time = fields.remove(name).with_context(|| format!("the record has no {name}"))?;
        ensure!(time.as_str().is_some_and(|time| time.ends_with('Z')), "{name} is {time}");
    }
    Ok(())
}
