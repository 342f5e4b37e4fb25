//! `POST {prefix}`

use std::fmt::Write;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::reply;
use super::request::Incoming;
use crate::http::body::Mode;
use crate::http::render::JsonSink;
use crate::model::adapter_error::AdapterError;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::model::value::ValueRef;
use crate::storage::write::Work;
use crate::store::record_writer::WriteError;

/// What a path segment need not escape (RFC 3986, section 2.3).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) async fn create(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let body = request.body(Mode::Create).await?;
    let record = [request.new_record(body.changes)?];
    let location = request.original_path().trim_end_matches('/').to_owned() + "/";
    let mut sink = Created { id: resource.id, location, json: request.sink() };
    request.writer().write_one(Work::Insert(&record), &mut sink).await.map_err(WriteError::unguarded)?;

    let mut response = reply::record(StatusCode::CREATED, sink.json.out);
    if let Ok(location) = HeaderValue::from_str(&sink.location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(if request.prefer().minimal { reply::minimal(StatusCode::CREATED, response) } else { response })
}

/// Renders the created record and completes its location.
struct Created {
    id: usize,
    location: String,
    json: JsonSink,
}

impl RowSink for Created {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        // Writing to a string does not fail.
        let _ = match row.value(self.id)? {
            ValueRef::Int(id) => write!(self.location, "{id}"),
            ValueRef::Uuid(id) => write!(self.location, "{}", id.as_hyphenated()),
            ValueRef::Text(id) | ValueRef::Canonical(id) => {
                write!(self.location, "{}", utf8_percent_encode(id, SEGMENT))
            }
            _ => Ok(()),
        };
        self.json.row(row)
    }
}
