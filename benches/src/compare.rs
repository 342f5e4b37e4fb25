//! Checks that all servers give the same responses: only then can their costs be compared.

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::capability::escaped;
use crate::case::{Case, get, send, send_with};
use crate::database::Engine;
use crate::http::Connection;
use crate::server::ServerKind;

const READS: [&str; 12] = [
    "/products/1",
    "/products/471",
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

/// Reads of the resources with capabilities, beside those with a condition in JSON.
const CAPABILITY_READS: [&str; 16] = [
    "/articles/471",
    "/articles/999999",
    "/articles",
    "/articles?q=oak%20lam",
    "/articles?q=OAK&sort=name&limit=5",
    "/articles?q=nothing%20of%20this",
    "/articles?q=%20",
    "/articles?expand=category&limit=20",
    "/articles?expand=owner",
    "/articles?category.name__startswith=Oak&sort=category.name,-price&limit=20",
    "/articles?category.name__startswith=oak",
    "/articles?sort=-category.name,name&limit=7",
    "/articles/export",
    "/entries?limit=20&skip=300",
    "/entries?cursor=nonsense",
    "/entries?limit=3",
];

const CONDITIONS: [&str; 5] = [
    r#"{"category_id":7,"or":[{"price__lt":20.5},{"stock__gt":800}]}"#,
    r#"{"not":{"or":[{"price__gt":4.5},{"stock__lt":500}]}}"#,
    r#"{"and":[{"price__gt":100.5},{"price__lt":150.5}],"category_id":3}"#,
    r#"{"colour":1}"#,
    r#"{"or":"#,
];

const ARTICLE: &str = r#""name":"Compared","price":12.25,"stock":3,"category_id":1}"#;

const NEW: &str = r#"{"name":"Compared","price":12.25,"stock":3,"category_id":1}"#;

/// Sends the same requests to all servers, given by name and address, and compares statuses and JSON with those of the
/// first; a difference is an error. Adds one record to each. Returns the number of requests.
pub(crate) async fn compare(
    servers: &[(&'static str, ServerKind, &str)],
    engine: Engine,
    capabilities: bool,
) -> anyhow::Result<usize> {
    let mut all = Servers(Vec::new());
    for (name, _, address) in servers {
        all.0.push((name, Connection::open(address).await?));
    }
    for target in READS {
        all.compare(&get(target)).await?;
    }
    let created = all.compare(&send("POST", "/products", NEW)).await?;
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
    for request in &writes {
        all.compare(request).await?;
    }
    let mut compared = READS.len() + 1 + writes.len();
    let answers =
        |name: &str, case: Case| servers.iter().any(|(of, kind, _)| *of == name && kind.answers(case, engine));
    if capabilities {
        let (those, others) = all.0.into_iter().partition(|(name, _)| answers(name, Case::Article));
        let mut those = Servers(those);
        compared += compare_capabilities(&mut those).await?;
        all = Servers(those.0.into_iter().chain(others).collect());
    }
    all.0.retain(|(name, _)| answers(name, Case::Batch));
    for request in &batches {
        all.compare(request).await?;
        compared += 1;
    }
    Ok(compared)
}

async fn compare_capabilities(servers: &mut Servers) -> anyhow::Result<usize> {
    let mut requests: Vec<Vec<u8>> = CAPABILITY_READS.iter().map(|target| get(target)).collect();
    for condition in CONDITIONS {
        requests.push(get(&format!("/articles?where={}&sort=-price&limit=20", escaped(condition))));
    }
    let article = |sku: &str| format!("{{\"sku\":\"{sku}\",{ARTICLE}");
    let keyed =
        |key: &str, sku: &str| send_with("POST", "/articles", &format!("Idempotency-Key: {key}\r\n"), &article(sku));
    requests.extend([
        send("POST", "/articles?on_conflict=sku", &article("C-1")),
        send("POST", "/articles?on_conflict=name", &article("C-1")),
        send("POST", "/articles", &article("C-1")),
        keyed("compared-1", "C-2"),
        keyed("compared-1", "C-2"),
        keyed("compared-1", "C-3"),
        // By `ON CONFLICT`, this takes an id too.
        send("POST", "/articles?on_conflict=sku", &article("A-9")),
    ]);
    for request in &requests {
        servers.compare(request).await?;
    }
    Ok(requests.len())
}

struct Servers(Vec<(&'static str, Connection)>);

impl Servers {
    /// Sends a request to every server and returns the JSON that they agree on. For errors, only the status is
    /// compared.
    async fn compare(&mut self, request: &[u8]) -> anyhow::Result<Value> {
        let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let mut first = None::<(u16, Value)>;
        for (name, connection) in &mut self.0 {
            let (status, mut json) = answer(connection, request).await.with_context(|| format!("{name}: {line}"))?;
            if status >= 400 {
                json = Value::Null;
            } else if !line.starts_with("GET") {
                // The times of the changes differ.
                match json.get_mut("items").and_then(Value::as_array_mut) {
                    Some(items) => items.iter_mut().try_for_each(remove_times)?,
                    None => remove_times(&mut json)?,
                }
            }
            let (expected, expected_json) = first.get_or_insert_with(|| (status, json.clone()));
            ensure!(
                (status, &json) == (*expected, expected_json),
                "{name}: {line}: expected {expected} {expected_json}, found {status} {json}"
            );
        }
        Ok(first.unwrap_or_default().1)
    }
}

async fn answer(connection: &mut Connection, request: &[u8]) -> anyhow::Result<(u16, Value)> {
    let response = connection.send(request).await?;
    // Lines of JSON are an array.
    let values = serde_json::Deserializer::from_slice(response.body).into_iter();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>().context("the response is not JSON")?;
    let mut body = if let [_] = values.as_slice() { values.remove(0) } else { Value::Array(values) };
    // Each server signs cursors by its own key.
    for name in ["next_cursor", "prev_cursor"] {
        if let Some(cursor) = body.get_mut(name) {
            *cursor = cursor.is_string().into();
        }
    }
    Ok((response.status, body))
}

fn remove_times(record: &mut Value) -> anyhow::Result<()> {
    let fields = record.as_object_mut().context("the record is not an object")?;
    for name in ["created_at", "updated_at"] {
        let time = fields.remove(name).with_context(|| format!("the record has no {name}"))?;
        ensure!(time.as_str().is_some_and(|time| time.ends_with('Z')), "{name} is {time}");
    }
    Ok(())
}
