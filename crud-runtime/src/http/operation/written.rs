//! The answers to changes of one record.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::http::body::{RecordBody, other_than_path};
use crate::http::handler::{ResourceRequest, response};
use crate::http::render::expand::ExpandingSink;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::{FieldError, Problem};
use crate::model::row::{Row, RowSink};

/// A row sink that renders the created record and keeps its key.
pub(super) struct CreatedSink<'a> {
    resource: &'static Descriptor,
    /// The path of the resource, as the client requested it.
    prefix: String,
    pub(super) key: Option<Key>,
    pub(super) json: ExpandingSink<'a>,
}

impl<'a> CreatedSink<'a> {
    /// The sink of a request to the resource's prefix.
    pub(super) fn new(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let prefix = request.original_path().trim_end_matches('/').to_owned();
        Self { resource: request.resource(), prefix, key: None, json }
    }

    /// The sink of a request to the record's own path.
    pub(super) fn at(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let path = request.original_path().trim_end_matches('/');
        let prefix = path.rsplit_once('/').map_or("", |(prefix, _)| prefix).to_owned();
        Self { resource: request.resource(), prefix, key: None, json }
    }

    /// The response with the created record.
    pub(super) async fn created(self, request: &ResourceRequest) -> Result<Response, Problem> {
        let Self { prefix, key, json, .. } = self;
        let mut response = request.record_response(StatusCode::CREATED, json).await?;
        let location = key.map(|key| format!("{prefix}/{}", key.segment()));
        if let Some(location) = location.and_then(|location| HeaderValue::from_str(&location).ok()) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(response::of_change(request.headers(), StatusCode::CREATED, response))
    }
}

impl RowSink for CreatedSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.key = Some(Key::of_row(self.resource, row)?);
        self.json.row(row)
    }
}

/// The response with the updated record.
pub(super) async fn updated(request: &ResourceRequest, sink: ExpandingSink<'_>) -> Result<Response, Problem> {
    let response = request.record_response(StatusCode::OK, sink).await?;
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, response))
}

/// Refuses a body with another key than the path's.
pub(super) fn check_id(request: &ResourceRequest, id: &Key, body: &RecordBody) -> Result<(), Problem> {
    let resource = request.resource();
    let of_path = |column: usize| resource.key().iter().zip(id.values()).find(|(part, _)| **part == column);
    let others = body.key.iter().filter(|(column, value)| of_path(*column).is_some_and(|(_, part)| part != *value));
    let errors: Vec<FieldError> = others.map(|(column, _)| other_than_path(resource.columns[column].json)).collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
}
