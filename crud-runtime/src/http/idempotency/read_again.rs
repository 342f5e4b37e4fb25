//! Large answers to requests with an `Idempotency-Key`: the keys of their records are stored, and the records read again.

use axum::body::Bytes;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::Value as Json;

use crate::http::body::batch::ITEMS;
use crate::http::handler::{ResourceRequest, response};
use crate::http::operation::{links, nested};
use crate::http::render::expand::ExpandingSink;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::scalar;
use crate::query::Scope;
use crate::store::tables::idempotency::StoredAnswer;

/// The size of an answer's body, in bytes, above which the body is not stored.
const MOST: usize = 64 * 1024;

/// The member of the stored headers that has the keys of the records.
const KEYS: &str = "records";

/// The member of the stored headers that has the names of the nested records in the answer.
const NESTED: &str = "nested";

/// The text of a batch's records once they are taken out of it.
const NO_ITEMS: &str = "\"items\":[]";

/// Shortens a large answer: its records are dropped, and their keys are kept with its headers. `of_batch`: the answer
/// has several.
///
/// # Errors
/// `internal` where the answer is not JSON.
pub(crate) fn shortened(
    resource: &'static Descriptor,
    of_batch: bool,
    mut answer: StoredAnswer,
) -> Result<StoredAnswer, Problem> {
    if answer.body.len() <= MOST {
        return Ok(answer);
    }
    let mut body: Json = serde_json::from_slice(&answer.body).map_err(Problem::internal)?;
    let (keys, rest) = match body.get_mut(ITEMS).and_then(Json::as_array_mut).filter(|_| of_batch) {
        Some(items) => {
            let keys = std::mem::take(items).iter().map(|item| key_of(resource, item)).collect();
            (keys, serde_json::to_vec(&body).map_err(Problem::internal)?)
        }
        None => {
            let nested = resource.children.iter().filter(|children| children.nested);
            let names = nested.map(|children| children.name).filter(|name| body.get(*name).is_some());
            answer.headers[NESTED] = names.map(Json::from).collect();
            (vec![key_of(resource, &body)], Vec::new())
        }
    };
    answer.headers[KEYS] = Json::Array(keys);
    answer.body = rest;
    Ok(answer)
}

/// The response of an answer whose records were not stored, with the records as they are now; `None` for another
/// answer. A record that was deleted since is left out for principals that do not see deleted records, except in the
/// answer to the delete.
///
/// # Errors
/// When the database fails.
pub(crate) async fn respond(
    request: &ResourceRequest,
    operation: Operation,
    answer: &StoredAnswer,
) -> Result<Option<Response>, Problem> {
    let Some(keys) = answer.headers[KEYS].as_array() else { return Ok(None) };
    if request.links.is_some() {
        return links::again(request.with_body(Bytes::new())).await.map(Some);
    }
    let status = StatusCode::from_u16(answer.status).map_err(Problem::internal)?;
    let is_delete = matches!(operation, Operation::Delete | Operation::BatchDelete);
    let scope = if is_delete || request.identity.sees_deleted { Scope::All } else { Scope::Active };
    let keys = keys.iter().filter_map(|key| parsed(request.mounted.resource(), key));
    if answer.body.is_empty() {
        let Some(key) = keys.into_iter().next() else { return Ok(Some(gone())) };
        let mut expand = request.expansions()?;
        let nested = answer.headers[NESTED].as_array().into_iter().flatten();
        nested::add_expansions(request, &mut expand, nested.filter_map(Json::as_str));
        let mut sink = ExpandingSink::new(request.sink(), &expand);
        if !request.find(&key, scope, &mut sink).await? {
            return Ok(Some(gone()));
        }
        let mut response = request.record_response(status, sink).await?;
        if answer.headers[header::ETAG.as_str()].is_null() {
            response.headers_mut().remove(header::ETAG);
        }
        return Ok(Some(response));
    }
    let mut items = Vec::new();
    for key in keys {
        let mut sink = request.sink();
        if request.find(&key, scope, &mut sink).await? {
            if !items.is_empty() {
                items.push(b',');
            }
            items.append(&mut sink.out);
        }
    }
    let rest = String::from_utf8_lossy(&answer.body);
    let (before, after) = rest.split_once(NO_ITEMS).unwrap_or((&rest, ""));
    let body = [before.as_bytes(), b"\"items\":[", &items, b"]", after.as_bytes()].concat();
    Ok(Some(response::json(status, body)))
}

/// Whether the stored value of a header is right for a record that is read again.
pub(crate) fn keeps(name: &HeaderName) -> bool {
    *name != header::ETAG && *name != header::CONTENT_TYPE
}

/// The answer in place of a record that was removed since.
fn gone() -> Response {
    let mut response = response::json(StatusCode::NO_CONTENT, ());
    response.headers_mut().remove(header::CONTENT_TYPE);
    response.headers_mut().insert("preference-applied", HeaderValue::from_static("return=minimal"));
    response
}

/// The key of a record in an answer; a composite key is a list.
fn key_of(resource: &'static Descriptor, record: &Json) -> Json {
    match resource.key() {
        [column] => record[resource.columns[*column].json].clone(),
        columns => columns.iter().map(|column| record[resource.columns[*column].json].clone()).collect(),
    }
}

/// Parses a key that was in an answer.
fn parsed(resource: &'static Descriptor, key: &Json) -> Option<Key> {
    let values = match key {
        Json::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let value = |(column, value): (&usize, &Json)| {
        let text = match value {
            Json::Null => return None,
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        scalar::parse(&resource.columns[*column], &text).ok()
    };
    resource.key().iter().zip(values).map(value).collect::<Option<_>>().map(Key::composite)
}
