//! Create: `POST {prefix}`.

use std::fmt::Write;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use super::request::ResourceRequest;
use super::response;
use crate::http::body::BodyKind;
use crate::http::expand::ExpandingSink;
use crate::model::adapter_error::AdapterError;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::model::value::ValueRef;
use crate::storage::write::Work;
use crate::store::write_error::WriteError;

pub(super) async fn create(mut request: ResourceRequest) -> Result<Response, Problem> {
    let expand = request.expansions()?;
    let body = request.record_body(BodyKind::Create).await?;
    let record = [request.new_record(body.changes)];
    let json = ExpandingSink::new(request.sink(), &expand);
    let mut sink = match request.upsert_key() {
        Some(_) => CreatedSink::at(&request, json),
        None => CreatedSink::new(&request, json),
    };
    request.writer().write_one(Work::Insert(&record), &mut sink).await.map_err(WriteError::unguarded)?;

    sink.created(&request).await
}

/// A row sink that renders the created record and completes its `Location`.
pub(super) struct CreatedSink<'a> {
    id: usize,
    location: String,
    pub(super) json: ExpandingSink<'a>,
}

impl<'a> CreatedSink<'a> {
    /// The sink of a request to the resource's prefix.
    pub(super) fn new(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let location = request.original_path().trim_end_matches('/').to_owned() + "/";
        Self { id: request.resource().id, location, json }
    }

    /// The sink of a request to the record's own path.
    pub(super) fn at(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let path = request.original_path().trim_end_matches('/');
        let prefix = path.rsplit_once('/').map_or("", |(prefix, _)| prefix);
        Self { id: request.resource().id, location: format!("{prefix}/"), json }
    }

    /// The response with the created record.
    pub(super) async fn created(self, request: &ResourceRequest) -> Result<Response, Problem> {
        let Self { location, json, .. } = self;
        let mut response = request.record_response(StatusCode::CREATED, json).await?;
        if let Ok(location) = HeaderValue::from_str(&location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(if request.prefer().minimal { response::minimal(StatusCode::CREATED, response) } else { response })
    }
}

impl RowSink for CreatedSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        // Writing to a string cannot fail.
        let _ = match row.value(self.id)? {
            ValueRef::Int(id) => write!(self.location, "{id}"),
            ValueRef::Uuid(id) => write!(self.location, "{}", id.as_hyphenated()),
            ValueRef::Text(id) | ValueRef::Canonical(id) => {
                write!(self.location, "{}", response::path_segment(id))
            }
            _ => Ok(()),
        };
        self.json.row(row)
    }
}
