//! Whether two servers answer alike: only then do their costs compare.

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::case::{get, send};
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

/// Sends the same requests to both and compares statuses and JSON; the first difference is the error.
/// Leaves one more record in each.
pub(crate) async fn compare(first: &str, second: &str) -> anyhow::Result<usize> {
    let mut pair = Pair { first: Connection::open(first).await?, second: Connection::open(second).await? };
    for target in READS {
        pair.same(&get(target)).await?;
    }
    let created = pair.same(&send("POST", "/products", NEW)).await?;
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
    for request in &writes {
        pair.same(request).await?;
    }
    Ok(READS.len() + 1 + writes.len())
}

struct Pair {
    first: Connection,
    second: Connection,
}

impl Pair {
    /// The JSON of the answer, which both gave. What an error says is up to each; its status is not.
    async fn same(&mut self, request: &[u8]) -> anyhow::Result<Value> {
        let (first, second) = (answer(&mut self.first, request).await?, answer(&mut self.second, request).await?);
        let line =
            String::from_utf8_lossy(request.split(|byte| *byte == b'\r').next().unwrap_or_default()).into_owned();
        ensure!(first.0 == second.0, "{line}: {} {} but {} {}", first.0, first.1, second.0, second.1);
        let (mut json, mut other) = (first.1, second.1);
        if first.0 < 400 {
            if line.starts_with('P') {
                // Written at two different times.
                forget_times(&mut json)?;
                forget_times(&mut other)?;
            }
            ensure!(json == other, "{line}: {json} but {other}");
        }
        Ok(json)
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
