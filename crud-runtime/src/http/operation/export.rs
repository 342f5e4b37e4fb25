//! Export: `GET {prefix}/export`, every record of a list as a streamed file.

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::IgnoredAny;

use super::list;
use super::list::stream::RecordReader;
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::handler::ResourceRequest;
use crate::http::handler::chunked::Chunked;
use crate::http::param;
use crate::http::param::export::{self, Format};
use crate::http::param::list::{Group, ListRequest, parse};
use crate::http::render;
use crate::http::render::csv::{self, Cell};
use crate::http::server::memory_budget::CHUNK;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Problem;
use crate::query::ListQuery;
use crate::store::each_row::each_row;

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        is_of: |resource| resource.export,
        parameters: None,
        is_replaced: false,
        more_access: list::deleted,
        ..OperationRoute::new(Method::GET, "/export", Operation::List, "export{many}", handler!(export), document)
    }
}

/// The number of records that one query reads. No connection is held between two queries, so that a slow client does not
/// occupy one.
const CHUNK_ROWS: u64 = 500;

/// The parameters of the list that the file has.
const PARAMETERS: &[Group] = &[Group::Condition, Group::Order, Group::Expand, Group::Deleted];

/// The media type and the file name's extension of a format.
const fn file_type(format: Format) -> (HeaderValue, &'static str) {
    match format {
        Format::Ndjson => (HeaderValue::from_static("application/x-ndjson"), "ndjson"),
        Format::Csv { .. } => (HeaderValue::from_static("text/csv; charset=utf-8; header=present"), "csv"),
    }
}

async fn export(request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let (format, parameters) = export::parse(request.query())?;
    let mut list = parse(request.list_context(PARAMETERS), &parameters, false)?;
    list::restrict(&request, &mut list).await?;
    let ListRequest { query, expand, .. } = list;
    let name = request.mounted.options().prefix.rsplit('/').next().unwrap_or_default();
    let (media_type, extension) = file_type(format);
    let disposition = format!("attachment; filename=\"{name}.{extension}\"");
    let disposition = HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    let body = if expand.is_empty() {
        let mut reader = ChunkReader { request, query, format, at_once: CHUNK_ROWS, started: false };
        let (first, more) = reader.chunk().await.map_err(|error| reader.request.problem(error))?;
        reader.into_body(first, more)
    } else {
        let cells = csv::cells(request.resource(), &request.identity.view, &expand, request.visibility());
        let records = RecordReader::new(request, query, expand);
        let mut reader = ExpandedReader { records, format, cells, started: false };
        let (first, more) = reader.chunk().await.map_err(|error| reader.records.request.problem(error))?;
        reader.into_body(first, more)
    };
    let mut response = (StatusCode::OK, body).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// Reads the records chunk by chunk, each after the last one's sort keys.
struct ChunkReader {
    request: Box<ResourceRequest>,
    query: ListQuery,
    format: Format,
    /// Number of records that the next query reads.
    at_once: u64,
    started: bool,
}

impl Chunked for ChunkReader {
    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let (resource, format) = (self.request.resource(), self.format);
        let mut out = Vec::with_capacity(64 * 1024);
        if format != Format::Ndjson && !std::mem::replace(&mut self.started, true) {
            csv::write_header(&mut out, resource, &self.request.identity.view);
        }
        self.query.limit = Some(self.at_once);
        let (query, view) = (&self.query, &self.request.identity.view);
        // The number of records written, whether one remains after those of the chunk, and the sort keys of the last
        // one.
        let (mut rows, mut has_remaining, mut last) = (0, false, None);
        let mut sink = each_row(|row| {
            if out.len() >= CHUNK {
                has_remaining = true;
                return Ok(());
            }
            rows += 1;
            match format {
                Format::Csv { raw } => csv::write_record(&mut out, resource, view, row, raw)?,
                Format::Ndjson => {
                    render::write_record(&mut out, resource, view, row)?;
                    out.push(b'\n');
                }
            }
            if Some(rows) == query.limit || out.len() >= CHUNK {
                last = query.place(resource, row)?;
            }
            Ok(())
        });
        let limit = self.request.state.limits().request;
        let read = tokio::time::timeout(limit, self.request.adapter().list(resource, query, &mut sink)).await;
        read.map_err(|_| AdapterError::Timeout)??;
        // The offset applies to the first part alone.
        self.query.continue_after(last.filter(|_| !resource.keyless), rows);
        let more = has_remaining || rows == self.at_once;
        // The next query reads about as many records as fit.
        self.at_once = if has_remaining { rows } else { self.at_once * 2 }.clamp(1, CHUNK_ROWS);
        Ok((out.into(), more))
    }
}

/// Reads the records, with their expanded records, chunk by chunk.
struct ExpandedReader {
    records: RecordReader,
    format: Format,
    /// The columns of comma-separated values.
    cells: Vec<Cell>,
    started: bool,
}

impl Chunked for ExpandedReader {
    fn resource(&self) -> &'static Descriptor {
        self.records.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let (records, more) = self.records.next().await?;
        let mut out = Vec::with_capacity(records.len() + 1);
        if self.format != Format::Ndjson && !std::mem::replace(&mut self.started, true) {
            csv::write_names(&mut out, &self.cells);
        }
        for record in objects(&records) {
            match self.format {
                Format::Csv { raw } => csv::write_cells(&mut out, &self.cells, record, raw),
                Format::Ndjson => {
                    out.extend_from_slice(record);
                    out.push(b'\n');
                }
            }
        }
        Ok((out.into(), more))
    }
}

/// The objects of a comma-separated list.
fn objects(mut json: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let mut values = serde_json::Deserializer::from_slice(json).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let (object, rest) = json.split_at(values.byte_offset());
        json = rest.get(1..).unwrap_or_default();
        Some(object)
    })
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let file = Answer::empty("The file. A failure midway closes the connection before its end.");
    let file = Answer {
        content: vec![("application/x-ndjson", Schema::text()), ("text/csv", Schema::text())],
        items: vec![("application/x-ndjson", resource.record())],
        ..file
    };
    let description = "Every record of the list, as a file with a line for each.";
    OperationDoc::about(format!("Export {}", resource.plural()), description)
        .parameters(export::documented())
        .parameters(param::list::document(resource, PARAMETERS))
        .answer(StatusCode::OK, file)
        .problems(&resource.list_problems())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_separated_by_the_commas_between_them() {
        let found: Vec<_> = objects(br#"{"a":"},{"},{"b":{"c":1},"d":[1,2]},{}"#).collect();
        assert_eq!(found, [&br#"{"a":"},{"}"#[..], br#"{"b":{"c":1},"d":[1,2]}"#, b"{}"]);
        assert_eq!(objects(b"").count(), 0);
    }
}
