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

/// Limit of records that one query of a list without pages reads; it is lower where each record expands many. No
/// connection is held between two queries, so a slow client does not occupy one.
const CHUNK_ROWS: u64 = 500;

/// Every record, as a plain array streamed in chunks by keyset. The headers carry the count at the start.
pub(super) async fn stream(
    request: Box<ResourceRequest>,
    query: ListQuery,
    expand: Vec<Expansion>,
    count: Count,
) -> Result<Response, Problem> {
    let mut reader = ArrayReader { records: RecordReader::new(request, query, expand), started: false };
    let first = reader.chunk().await;
    let RecordReader { request, query, rows, .. } = &reader.records;
    let (first, more) = first.map_err(|error| request.problem(error))?;
    let total = match (count, more) {
        (Count::None, _) => None,
        (_, false) => Some(Total::Exactly(*rows)),
        (count, true) => {
            let total = adapter::total(request.adapter(), request.resource(), &query.filter, count).await;
            total.map_err(|error| request.problem(error))?
        }
    };
    let range = exact(total).map(|rows| Range { skip: 0, rows });
    let mounted = request.mounted.clone();
    let body = reader.into_body(first, more);
    Ok(sized_response(body, Some(mounted.options()), range, total))
}

/// Writes an unpaginated list as an array.
struct ArrayReader {
    records: RecordReader,
    started: bool,
}

impl Chunked for ArrayReader {
    fn resource(&self) -> &'static Descriptor {
        self.records.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let (records, more) = self.records.next().await?;
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

/// Reads the records of an unpaginated list, with their expanded ones, some at a time.
pub(in crate::http::operation) struct RecordReader {
    pub(in crate::http::operation) request: Box<ResourceRequest>,
    query: ListQuery,
    expand: Vec<Expansion>,
    /// Number of records that one query reads.
    chunk: u64,
    /// Records that were found but did not fit.
    unread: Unread,
    /// Whether the list is read to its end.
    is_read: bool,
    /// The number of records found.
    rows: u64,
}

impl RecordReader {
    /// A reader of the whole list.
    pub(in crate::http::operation) fn new(
        request: Box<ResourceRequest>,
        query: ListQuery,
        expand: Vec<Expansion>,
    ) -> Self {
        let chunk = match child_rows(&expand) {
            0 => CHUNK_ROWS,
            beside => (request.state.limits().query.expand_rows / beside).clamp(1, CHUNK_ROWS),
        };
        Self { request, query, expand, chunk, unread: Unread::new(Vec::new(), chunk), is_read: false, rows: 0 }
    }

    /// The JSON of the next records, separated by commas, and whether others may follow.
    ///
    /// # Errors
    /// Errors of storage.
    pub(in crate::http::operation) async fn next(&mut self) -> Result<(Vec<u8>, bool), AdapterError> {
        let records = if self.unread.is_empty() {
            self.next_records().await?
        } else {
            self.unread.read(&self.request, &self.query, &self.expand).await?
        };
        Ok((records, !self.is_read || !self.unread.is_empty()))
    }

    /// Reads the records after those found so far.
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
            // The next query finds fewer records that do not fit.
            self.chunk = (fitting * 2).clamp(1, self.chunk);
        }
        Ok(json)
    }
}
