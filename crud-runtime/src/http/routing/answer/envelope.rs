//! The envelope of an answer: the member of an object that its JSON is in.

use axum::body::{Bytes, HttpBody, to_bytes};
use axum::http::header;
use axum::response::Response;

use crate::model::problem::Problem;

/// Puts the JSON of a success into a member of an object: `7` into `{"count":7}`. Its entity tag stays that of the record.
pub(in crate::http::routing) async fn wrap(name: &str, response: Response) -> Result<Response, Problem> {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|it| it == "application/json");
    // A body of unknown size is a stream of the program, which is not held in memory.
    let is_whole = response.body().size_hint().exact().is_some();
    if !(is_json && is_whole && response.status().is_success()) {
        return Ok(response);
    }
    let (mut parts, body) = response.into_parts();
    let json = to_bytes(body, usize::MAX).await.map_err(Problem::internal)?;
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(parts, enclosed(name, &json)?.into()))
}

fn enclosed(name: &str, json: &[u8]) -> Result<Bytes, Problem> {
    let mut object = Vec::with_capacity(json.len() + name.len() + 5);
    object.push(b'{');
    serde_json::to_writer(&mut object, name).map_err(Problem::internal)?;
    object.push(b':');
    object.extend_from_slice(json);
    object.push(b'}');
    Ok(object.into())
}
