//! `GET {prefix}`

use std::io::Write;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures_util::{Stream, StreamExt, stream};

use super::admission::demand;
use super::reply;
use super::request::Incoming;
use crate::http::prefer::Prefer;
use crate::http::render::JsonSink;
use crate::model::adapter_error::AdapterError;
use crate::model::column::owned_value;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::parse::parse;
use crate::query::{ListQuery, Scope};
use crate::store::resource_options::ResourceOptions;

/// How many records of a whole list are read at a time. Between two reads no connection is held, so a
/// client that reads slowly holds up nobody.
const CHUNK: u64 = 500;

static X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

pub(super) async fn list(request: Incoming) -> Result<Response, Problem> {
    let prefer = request.prefer();
    let query = request.parts.uri.query().unwrap_or_default();
    let pagination = request.mounted.options().pagination;
    let (mut query, scope) = parse(request.resource(), pagination, &request.caller.view, query, prefer.lenient)?;
    if scope != Scope::default_of(request.resource()) {
        demand(&request.state, &request.caller, request.resource().access.restore)?;
    }
    query.filter = request.caller.predicate().and(query.filter);
    let mut response = match query.limit {
        Some(limit) => page(&request, &query, limit, prefer).await?,
        None => whole(request, query, prefer).await?,
    };
    if prefer.lenient {
        Prefer::applied(response.headers_mut(), "handling=lenient");
    }
    Ok(response)
}

/// One page in its envelope.
async fn page(request: &Incoming, query: &ListQuery, limit: u64, prefer: Prefer) -> Result<Response, Problem> {
    let resource = request.resource();
    let mut out = Vec::with_capacity(4096);
    out.extend_from_slice(b"{\"data\":[");
    let mut sink = JsonSink::new(resource, &request.caller.view, out);
    request.adapter().list(resource, query, &mut sink).await.map_err(|error| request.problem(error))?;
    let JsonSink { mut out, rows, .. } = sink;
    let total = if prefer.no_count { None } else { Some(total(request, query, limit, rows).await?) };

    end_page(&mut out, query.skip, limit, total);
    let mut response = reply::json(StatusCode::OK, out);
    let range = content_range(request.mounted.options(), query.skip, rows, total);
    say_size(&mut response, total, range, prefer);
    Ok(response)
}

/// What follows the records of a page.
pub(super) fn end_page(out: &mut Vec<u8>, skip: u64, limit: u64, total: Option<u64>) {
    let page = skip / limit + 1;
    let (total, pages) = match total {
        Some(total) => (total.to_string(), total.div_ceil(limit).to_string()),
        None => ("null".to_owned(), "null".to_owned()),
    };
    // Writing to memory does not fail.
    let _ = write!(out, "],\"total\":{total},\"page\":{page},\"pages\":{pages},\"limit\":{limit},\"skip\":{skip}}}");
}

/// The headers that tell a list's size.
fn say_size(response: &mut Response, total: Option<u64>, range: Option<HeaderValue>, prefer: Prefer) {
    let headers = response.headers_mut();
    if let Some(total) = total {
        headers.insert(&X_TOTAL_COUNT, total.into());
    }
    if let Some(range) = range {
        headers.insert(header::CONTENT_RANGE, range);
    }
    if prefer.no_count {
        Prefer::applied(headers, "count=none");
    }
}

/// How many records satisfy the filter. A page that is not full is the last one and tells by itself.
async fn total(request: &Incoming, query: &ListQuery, limit: u64, rows: u64) -> Result<u64, Problem> {
    if rows < limit && (rows > 0 || query.skip == 0) {
        return Ok(query.skip + rows);
    }
    count(request, query).await
}

async fn count(request: &Incoming, query: &ListQuery) -> Result<u64, Problem> {
    let resource = request.resource();
    request.adapter().count(resource, &query.filter).await.map_err(|error| request.problem(error))
}

/// `products 20-39/1234`, as react-admin's and refine's data providers read it; an empty page is `*`.
fn content_range(options: &ResourceOptions, skip: u64, rows: u64, total: Option<u64>) -> Option<HeaderValue> {
    let unit = options.prefix.rsplit('/').next().unwrap_or_default();
    let range = match rows {
        0 => "*".to_owned(),
        rows => format!("{skip}-{}", skip + rows - 1),
    };
    let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    HeaderValue::from_str(&format!("{unit} {range}/{total}")).ok()
}

/// Every record, as a plain array, in chunks that go on where the last one ended. What its headers say of its
/// size is the count at the start.
async fn whole(request: Incoming, query: ListQuery, prefer: Prefer) -> Result<Response, Problem> {
    let head = request.parts.method == Method::HEAD;
    let mut reader = Reader { request, query, opened: false, rows: 0 };
    let (first, more) = reader.chunk().await.map_err(|error| reader.request.problem(error))?;
    let total = match (prefer.no_count, more) {
        (true, _) => None,
        (false, false) => Some(reader.rows),
        (false, true) => Some(count(&reader.request, &reader.query).await?),
    };
    let range = total.and_then(|total| content_range(reader.request.mounted.options(), 0, total, Some(total)));
    let body = match (more, head) {
        (false, _) => Body::from(first),
        (true, false) => Body::from_stream(chunks(first, reader)),
        // As long as nobody knows.
        (true, true) => Body::from_stream(stream::empty::<Result<Bytes, AdapterError>>()),
    };
    let mut response = reply::json(StatusCode::OK, body);
    say_size(&mut response, total, range, prefer);
    Ok(response)
}

/// The pieces of an array whose first one is there.
fn chunks(first: Bytes, reader: Reader) -> impl Stream<Item = Result<Bytes, AdapterError>> {
    let rest = stream::try_unfold(Some(reader), |reader| async {
        let Some(mut reader) = reader else { return Ok(None) };
        // The answer's head is sent: all that can be done about an error is to break off, so that no
        // client takes a part for the whole.
        let (chunk, more) = reader.chunk().await.inspect_err(|error| {
            tracing::error!(error = %error, resource = reader.request.resource().name, "a list broke off");
        })?;
        Ok::<_, AdapterError>(Some((chunk, more.then_some(reader))))
    });
    stream::iter([Ok(first)]).chain(rest)
}

/// Reads a whole list chunk by chunk.
struct Reader {
    request: Incoming,
    query: ListQuery,
    opened: bool,
    /// How many records it has read.
    rows: u64,
}

impl Reader {
    /// The next piece of the array, and whether there is another.
    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let resource = self.request.resource();
        let mut out = Vec::with_capacity(64 * 1024);
        out.push(if self.opened { b',' } else { b'[' });
        self.query.limit = Some(CHUNK);
        let keys = self.query.sort.iter().map(|key| key.column).collect();
        let mut sink =
            ChunkSink { json: JsonSink::new(resource, &self.request.caller.view, out), keys, last: Vec::new() };
        let work = self.request.adapter().list(resource, &self.query, &mut sink);
        let limit = self.request.state.limits().request;
        tokio::time::timeout(limit, work).await.map_err(|_| AdapterError::Timeout)??;
        let ChunkSink { json, last, .. } = sink;
        let (mut out, more) = (json.out, json.rows == CHUNK);
        if json.rows == 0 && self.opened {
            // The comma announced a record that did not come.
            out.clear();
        }
        if !more {
            out.push(b']');
        }
        self.opened = true;
        self.rows += json.rows;
        self.query.after = Some(last);
        Ok((out.into(), more))
    }
}

/// Renders records and keeps the sort keys of the last one.
struct ChunkSink {
    json: JsonSink,
    keys: Vec<usize>,
    last: Vec<Value>,
}

impl RowSink for ChunkSink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if self.json.rows + 1 == CHUNK {
            let columns = self.json.resource().columns;
            let key = |&index: &usize| {
                let column = &columns[index];
                let corrupt = |error| AdapterError::Corrupt { column: column.column, error };
                owned_value(column.kind, row.value(index)?).map_err(corrupt)
            };
            self.last = self.keys.iter().map(key).collect::<Result<_, AdapterError>>()?;
        }
        self.json.row(row)
    }
}
