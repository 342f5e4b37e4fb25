//! [`Chunked`]: a body that is read chunk by chunk while it is sent; [`Unread`]: records that no longer fit into a
//! response's buffer, and are read by their keys while it is sent.

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use tokio::time::timeout;

use super::request::ResourceRequest;
use crate::http::layer::request_id;
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::expansion::Expansion;
use crate::query::{ListQuery, Predicate};
use crate::store::each_row::each_row;

/// The most records that one query reads by their keys.
const MAX_AT_ONCE: usize = 100;

/// Reads a body chunk by chunk.
pub(crate) trait Chunked: Send + Sized + 'static {
    /// The resource whose records are read.
    fn resource(&self) -> &'static Descriptor;

    /// The next chunk, and whether another follows.
    fn chunk(&mut self) -> impl Future<Output = Result<(Bytes, bool), AdapterError>> + Send;

    /// The body that begins with this chunk. The rest is read while it is sent, so never for a response without a body.
    fn into_body(self, first: Bytes, more: bool) -> Body {
        if !more {
            return Body::from(first);
        }
        // The task of the request has ended when the rest is read.
        let request_id = request_id::current();
        let rest = stream::try_unfold((Some(self), request_id), |(reader, request_id)| async {
            let Some(mut reader) = reader else { return Ok(None) };
            // The response's head is sent. An error can only abort the stream, so that the client does not take a part
            // for the whole.
            let (chunk, more) = reader.chunk().await.inspect_err(|error| {
                let resource = reader.resource().name;
                let request_id = request_id.as_deref();
                tracing::error!(request_id, error = %error, resource, "a stream of records was aborted");
            })?;
            Ok::<_, AdapterError>(Some((chunk, (more.then_some(reader), request_id))))
        });
        Body::from_stream(stream::iter([Ok(first)]).chain(rest))
    }
}

/// The keys of records that are not read yet, in the order of the response.
#[derive(Debug)]
pub(crate) struct Unread {
    keys: Vec<Key>,
    /// Number of records that the next query reads: about as many as fit.
    at_once: usize,
}

impl Unread {
    /// The records with these keys; `fitting` records filled the chunk before them.
    pub(crate) fn new(keys: Vec<Key>, fitting: u64) -> Self {
        let fitting = usize::try_from(fitting).unwrap_or(MAX_AT_ONCE);
        Self { keys, at_once: fitting.clamp(1, MAX_AT_ONCE) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys of the records that the next query reads.
    pub(crate) fn next(&mut self) -> Vec<Key> {
        let rest = self.keys.split_off(self.at_once.min(self.keys.len()));
        std::mem::replace(&mut self.keys, rest)
    }

    /// Puts back the keys of records that exceeded the budget, after `fitting` records that did not.
    pub(crate) fn put_back(&mut self, remaining: Vec<Key>, fitting: usize) {
        self.at_once = if remaining.is_empty() { self.at_once * 2 } else { fitting }.clamp(1, MAX_AT_ONCE);
        self.keys.splice(0..0, remaining);
    }

    /// Reads the next records of a list. Those that are gone, or no longer satisfy the list's condition, are left out.
    pub(crate) async fn read(
        &mut self,
        request: &ResourceRequest,
        query: &ListQuery,
        expand: &[Expansion],
    ) -> Result<Vec<u8>, AdapterError> {
        let keys = self.next();
        let limit = keys.len() as u64;
        let with_key = Predicate::of_keys(request.resource(), &keys);
        let mut query = query.clone().filter(with_key).skip(0).limit(limit);
        query.after = None;
        let (Assembled { json, remaining, .. }, rows, _) = read_records(request, &query, expand).await?;
        let fitting = usize::try_from(rows).unwrap_or(usize::MAX) - remaining.len();
        self.put_back(remaining, fitting);
        Ok(json)
    }
}

/// Reads the records of a list within the request's budget. Returns them, their number and, where the list's limit is
/// reached, the sort keys of the last one.
pub(crate) async fn read_records(
    request: &ResourceRequest,
    query: &ListQuery,
    expand: &[Expansion],
) -> Result<(Assembled, u64, Option<Vec<Value>>), AdapterError> {
    let resource = request.resource();
    let json = JsonSink::new(resource, &request.identity.view, Vec::with_capacity(64 * 1024));
    let mut records = ExpandingSink::new(json, expand).within(request.budget());
    let (adapter, visibility) = (request.adapter(), request.visibility());
    let read = async {
        let mut last = None;
        let mut sink = each_row(|row| {
            if Some(records.rows() + 1) == query.limit {
                last = query.place(resource, row)?;
            }
            records.row(row)
        });
        adapter.list(resource, query, &mut sink).await?;
        let rows = records.rows();
        Ok((records.finish(adapter, visibility).await?, rows, last))
    };
    timeout(request.state.limits().request, read).await.map_err(|_| AdapterError::Timeout)?
}

/// Reads the rest of a page.
pub(crate) struct PageReader {
    pub(crate) request: Box<ResourceRequest>,
    pub(crate) query: ListQuery,
    pub(crate) expand: Vec<Expansion>,
    pub(crate) unread: Unread,
    /// Whether a record is before the next one.
    pub(crate) started: bool,
    /// The end of the JSON, after the records.
    pub(crate) end: Vec<u8>,
}

impl Chunked for PageReader {
    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let mut out = self.unread.read(&self.request, &self.query, &self.expand).await?;
        if !out.is_empty() && std::mem::replace(&mut self.started, true) {
            out.insert(0, b',');
        }
        let more = !self.unread.is_empty();
        if !more {
            out.append(&mut self.end);
        }
        Ok((out.into(), more))
    }
}
