//! A list without pages: an array that is streamed in chunks.

use axum::body::Bytes;
use axum::response::Response;

use super::{Range, exact, sized_response};
use crate::http::handler::ResourceRequest;
use crate::http::handler::chunked::{Chunked, Unread, read_records};
use crate::http::render::expand::Assembled;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::problem::Problem;
use crate::query::expansion::{Expansion, child_rows};
use crate::query::{ListQuery, Total};
use crate::storage::adapter;

/// Limit of records that one query of a list without pages reads: fewer where many are expanded with each. No connection is
/// held between two queries, so a slow client does not occupy one.
const CHUNK_ROWS: u64 = 500;

/// Every record, as a plain array streamed in chunks by keyset. The headers carry the count at the start.
pub(super) async fn stream(
    request: Box<ResourceRequest>,
    query: ListQuery,
    expand: Vec<Expansion>,
    count: Count,
) -> Result<Response, Problem> {
    let chunk = match child_rows(&expand) {
        0 => CHUNK_ROWS,
        beside => (request.state.limits().query.expand_rows / beside).clamp(1, CHUNK_ROWS),
    };
    let unread = Unread::new(Vec::new(), chunk);
    let mut reader = ChunkReader { request, query, expand, chunk, unread, is_read: false, started: false, rows: 0 };
    let (first, more) = reader.chunk().await.map_err(|error| reader.request.problem(error))?;
    let total = match (count, more) {
        (Count::None, _) => None,
        (_, false) => Some(Total::Exactly(reader.rows)),
        (count, true) => {
            let request = &reader.request;
            let total = adapter::total(request.adapter(), request.resource(), &reader.query.filter, count).await;
            total.map_err(|error| request.problem(error))?
        }
    };
    let range = exact(total).map(|rows| Range { skip: 0, rows });
    let mounted = reader.request.mounted.clone();
    let body = reader.into_body(first, more);
    Ok(sized_response(body, Some(mounted.options()), range, total))
}

/// Reads an unpaginated list chunk by chunk.
struct ChunkReader {
    request: Box<ResourceRequest>,
    query: ListQuery,
    expand: Vec<Expansion>,
    /// Number of records that one query reads.
    chunk: u64,
    /// Records among them that did not fit.
    unread: Unread,
    /// Whether the last query read the end of the list.
    is_read: bool,
    started: bool,
    /// The number of records found.
    rows: u64,
}

impl Chunked for ChunkReader {
    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let records = if self.unread.is_empty() {
            self.next_records().await?
        } else {
            self.unread.read(&self.request, &self.query, &self.expand).await?
        };
        let more = !self.is_read || !self.unread.is_empty();
        let mut out = Vec::with_capacity(records.len() + 2);
        if !self.started {
            out.push(b'[');
        } else if !records.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(&records);
        if !more {
            out.push(b']');
        }
        self.started = true;
        Ok((out.into(), more))
    }
}

impl ChunkReader {
    /// Reads the next records after those that were found.
    async fn next_records(&mut self) -> Result<Vec<u8>, AdapterError> {
        self.query.limit = Some(self.chunk);
        let read = read_records(&self.request, &self.query, &self.expand).await?;
        let (Assembled { json, remaining, .. }, rows, last) = read;
        self.is_read = rows < self.chunk;
        self.rows += rows;
        self.query.continue_after(last.filter(|_| !self.request.resource().keyless), rows);
        if !remaining.is_empty() {
            let fitting = rows - remaining.len() as u64;
            self.unread = Unread::new(remaining, fitting);
            // The next query finds fewer that do not fit.
            self.chunk = (fitting * 2).clamp(1, self.chunk);
        }
        Ok(json)
    }
}
