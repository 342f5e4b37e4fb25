//! Export: `GET {prefix}/export`, every record of a list as a streamed file.

use std::borrow::Cow;

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};

use super::list;
use super::route::Route;
use crate::http::csv;
use crate::http::expand::check_storage;
use crate::http::handler::chunked::Chunked;
use crate::http::handler::{ResourceRequest, require_access, unknown_texts};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::{parameter, response as answer};
use crate::http::render;
use crate::http::server::memory::CHUNK;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::parse::{pairs, parse};
use crate::query::visibility::FieldVisibility;
use crate::query::{ListQuery, Predicate, Scope};

pub(super) fn route() -> Route {
    Route {
        is_of: |resource| resource.export,
        parameters: None,
        is_replaced: false,
        more_access: list::deleted,
        ..Route::new(Method::GET, "/export", Operation::List, |request| Box::pin(export(request)), document)
    }
}

/// The number of records that one query reads. No connection is held between two queries, so that a slow client does not
/// occupy one.
const CHUNK_ROWS: u64 = 500;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// A JSON object a line.
    Ndjson,
    /// A line for each record, below one with the fields' names. `raw`: texts are as they are, even where a spreadsheet
    /// would take them for a formula.
    Csv { raw: bool },
}

impl Format {
    const fn media_type(self) -> HeaderValue {
        match self {
            Self::Ndjson => HeaderValue::from_static("application/x-ndjson"),
            Self::Csv { .. } => HeaderValue::from_static("text/csv; charset=utf-8; header=present"),
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Csv { .. } => "csv",
        }
    }
}

async fn export(request: ResourceRequest) -> Result<Response, Problem> {
    let (format, parameters) = format(request.parts.uri.query().unwrap_or_default())?;
    let (resource, view) = (request.resource(), &request.identity.view);
    let limits = request.state.limits().query;
    let list = parse(resource, None, view, request.reach(), &parameters, false, limits)?;
    if !list.expand.is_empty() {
        let detail = "is not a parameter of an export: it has the records alone";
        return Err(Problem::validation([FieldError::parameter("expand", "unknown_parameter", detail)]));
    }
    check_storage(&list.query.joined, &[], request.adapter()).map_err(|error| request.problem(error))?;
    if list.scope != Scope::Active && list.scope != Scope::default_of(resource) {
        require_access(&request.state, &request.identity, resource.access.restore)?;
    }
    unknown_texts::check(&request, &list).await?;
    let mut query = list.query;
    let filter = std::mem::replace(&mut query.filter, Predicate::All);
    query.filter = request.resolved(request.identity.records.predicate().and(filter)).await?;

    let name = request.mounted.options().prefix.rsplit('/').next().unwrap_or_default();
    let disposition = format!("attachment; filename=\"{name}.{}\"", format.extension());
    let disposition = HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    let mut reader = ChunkReader { request, query, format, at_once: CHUNK_ROWS, started: false };
    let (first, more) = reader.chunk().await.map_err(|error| reader.request.problem(error))?;
    let body = reader.into_body(first, more);
    let mut response = (StatusCode::OK, body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, format.media_type());
    response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// The format that the parameters name, and the parameters of the list.
fn format(query: &str) -> Result<(Format, String), Problem> {
    let (mut name, mut raw) = (None, None);
    let mut errors = FieldErrors::default();
    let mut list: Vec<&str> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let Some((Ok(parameter), value)) = pairs(part).next() else {
            list.push(part);
            continue;
        };
        let value = value.unwrap_or(Cow::Borrowed("\u{FFFD}"));
        let mut reject = |code, detail: String| errors.push(FieldError::parameter(&*parameter, code, detail));
        match &*parameter {
            "format" if name.is_some() => reject("duplicate", "must be given only once".to_owned()),
            "raw" if raw.is_some() => reject("duplicate", "must be given only once".to_owned()),
            "format" if ["ndjson", "csv"].contains(&&*value) => name = Some(value.into_owned()),
            "format" => reject("value", "must be `ndjson` or `csv`".to_owned()),
            "raw" => match scalar::boolean(&value) {
                Ok(value) => raw = Some(value),
                Err(error) => reject("type", error.message().to_owned()),
            },
            _ => list.push(part),
        }
    }
    let is_csv = name.as_deref() == Some("csv");
    if raw.is_some() && !is_csv {
        errors.push(FieldError::parameter("raw", "value", "is for `format=csv`"));
    }
    let format = if is_csv { Format::Csv { raw: raw.unwrap_or(false) } } else { Format::Ndjson };
    errors.into_result((format, list.join("&")))
}

/// Reads the records chunk by chunk, each after the last one's sort keys.
struct ChunkReader {
    request: ResourceRequest,
    query: ListQuery,
    format: Format,
    /// Number of records that the next query reads.
    at_once: u64,
    started: bool,
}

impl Chunked for ChunkReader {
    fn is_head(&self) -> bool {
        self.request.is_head()
    }

    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let resource = self.request.resource();
        let mut out = Vec::with_capacity(64 * 1024);
        if self.format != Format::Ndjson && !std::mem::replace(&mut self.started, true) {
            csv::write_header(&mut out, resource, &self.request.identity.view);
        }
        self.query.limit = Some(self.at_once);
        let (query, view) = (&self.query, &self.request.identity.view);
        let mut sink =
            FileSink { resource, query, view, format: self.format, out, rows: 0, left: false, last: Vec::new() };
        let limit = self.request.state.limits().request;
        let read = tokio::time::timeout(limit, self.request.adapter().list(resource, &self.query, &mut sink)).await;
        read.map_err(|_| AdapterError::Timeout)??;
        let FileSink { out, rows, left, last, .. } = sink;
        self.query.after = Some(last);
        let more = left || rows == self.at_once;
        // About as many as fit.
        self.at_once = if left { rows } else { self.at_once * 2 }.clamp(1, CHUNK_ROWS);
        // What a list skips, it skips once.
        self.query.skip = 0;
        Ok((out.into(), more))
    }
}

/// Writes records as lines, and keeps the sort keys of the last one.
struct FileSink<'a> {
    resource: &'static Descriptor,
    query: &'a ListQuery,
    view: &'a FieldVisibility,
    format: Format,
    out: Vec<u8>,
    /// The number of records written.
    rows: u64,
    /// Whether a record is left: those before it are a chunk.
    left: bool,
    last: Vec<Value>,
}

impl RowSink for FileSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if self.out.len() >= CHUNK {
            self.left = true;
            return Ok(());
        }
        self.rows += 1;
        match self.format {
            Format::Csv { raw } => csv::write_record(&mut self.out, self.resource, self.view, row, raw)?,
            Format::Ndjson => {
                render::write_record(&mut self.out, self.resource, self.view, row)?;
                self.out.push(b'\n');
            }
        }
        if Some(self.rows) == self.query.limit || self.out.len() >= CHUNK {
            self.last = self.query.sort_values(self.resource, row)?;
        }
        Ok(())
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let mut answer = answer::empty("The file. A failure midway closes the connection before its end.", &[]);
    answer["content"] = json!({
        "application/x-ndjson": { "schema": { "type": "string" } },
        "text/csv": { "schema": { "type": "string" } },
    });
    json!({
        "tags": options.tags,
        "summary": format!("Export {}", resource.plural()),
        "description": "Every record of the list, as a file with a line for each.",
        "operationId": names.export_operation_id(),
        "parameters": parameter::export(options, &names.condition()),
        "responses": answer::with_database_problems([(StatusCode::OK, answer)], &resource.list_problems()),
    })
}
