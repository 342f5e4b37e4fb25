//! List: `GET {prefix}` and `POST {prefix}/search`, a page or a streamed array.

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::route::Route;
use crate::http::body::malformed;
use crate::http::expand::{Assembled, ExpandingSink, check_storage};
use crate::http::handler::chunked::Chunked;
use crate::http::handler::page::{PageEnd, content_range, exact, preferred_count, set_size_headers, write_page_end};
use crate::http::handler::unread::{PageReader, Unread};
use crate::http::handler::{ResourceRequest, cursor_page, require_access, response, unknown_texts};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::schema::has_cursors;
use crate::http::openapi::words::{Answer, Words};
use crate::http::param;
use crate::http::param::list::{Json as SearchBody, LIST, ListRequest, parse, parse_search};
use crate::http::prefer::Prefer;
use crate::http::render::JsonSink;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor, Operation};
use crate::model::problem::{FieldError, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::expansion::{Expansion, child_rows};
use crate::query::{ListQuery, Predicate, Scope, Total};
use crate::storage::adapter;

/// The path of a resource's records.
pub(super) const PATH: &str = "";

pub(super) fn route() -> Route {
    Route {
        parameters: None,
        more_access: deleted,
        ..Route::new(Method::GET, PATH, Operation::List, "list{many}", |request| Box::pin(list(request)), document)
    }
}

/// The access of lists with deleted records.
pub(super) fn deleted(resource: &Descriptor) -> Vec<(String, Operation)> {
    let Some(soft_delete) = resource.soft_delete else { return Vec::new() };
    let included = (!soft_delete.include_deleted_by_default).then_some("include_deleted=true");
    let parameters = ["only_deleted=true"].into_iter().chain(included);
    parameters.map(|parameter| (parameter.to_owned(), Operation::Restore)).collect()
}

/// The number of records of an unpaginated list that one query reads at most: less where many are beside each. No connection is held between two queries, so
/// a slow client does not occupy one.
const CHUNK_ROWS: u64 = 500;

pub(super) async fn list(mut request: ResourceRequest) -> Result<Response, Problem> {
    let prefer = request.prefer();
    let mut list = list_request(&mut request, prefer).await?;
    check_storage(&list.query.joined, &list.expand, request.adapter()).map_err(|error| request.problem(error))?;
    let scope = list.scope;
    if scope != Scope::Active && scope != Scope::default_of(request.resource()) {
        require_access(&request.state, &request.identity, Operation::Restore, request.resource())?;
    }
    unknown_texts::check(&request, &list).await?;
    let filter = std::mem::replace(&mut list.query.filter, Predicate::All);
    list.query.filter = request.resolved(request.identity.records.predicate().and(filter)).await?;
    let has_cursors = request.mounted.options().pagination.is_some_and(|pagination| pagination.cursor);
    let mut response = match list.query.limit {
        Some(limit) if has_cursors => cursor_page::page(request, list, limit, prefer).await?,
        Some(limit) => page_response(request, list, limit, prefer).await?,
        None => stream_response(request, list.query, list.expand, prefer).await?,
    };
    if prefer.lenient {
        Prefer::applied(response.headers_mut(), "handling=lenient");
    }
    Ok(response)
}

/// Reads what the list is to have: from the query string, or of a search from the body.
async fn list_request(request: &mut ResourceRequest, prefer: Prefer) -> Result<ListRequest, Problem> {
    let is_search = request.parts.method == Method::POST;
    let body = if is_search { Some(request.json_body(request.state.limits().search_body()).await?) } else { None };
    let (context, query) = (request.list_context(LIST), request.query());
    let Some(body) = body else { return parse(context, query, prefer.lenient) };
    if !query.is_empty() && !prefer.lenient {
        let detail = "a search has no parameters: its body has them as members";
        return Err(Problem::validation([FieldError::parameter("query", "unknown_parameter", detail)]));
    }
    let body = SearchBody::read(&body).map_err(|error| malformed(&error))?;
    parse_search(context, &body)
}

/// One page in its envelope.
async fn page_response(
    request: ResourceRequest,
    list: ListRequest,
    limit: u64,
    prefer: Prefer,
) -> Result<Response, Problem> {
    let ListRequest { query, expand, .. } = list;
    let resource = request.resource();
    let mut out = Vec::with_capacity(4096);
    out.extend_from_slice(b"{\"data\":[");
    let json = JsonSink::new(resource, &request.identity.view, out);
    let mut sink = ExpandingSink::new(json, &expand).within(request.room());
    let (count, applied) = preferred_count(&request, prefer);
    let page = request.adapter().page(resource, &query, count, &mut sink).await;
    let total = page.map_err(|error| request.problem(error))?;
    let rows = sink.rows();
    let Assembled { json: mut out, left, .. } = request.expanded(sink).await?;

    let page = Some(query.skip / limit + 1);
    let end = PageEnd { page, skip: query.skip, limit, total };
    let range = content_range(request.mounted.options(), query.skip, rows, total);
    let body = if left.is_empty() {
        write_page_end(&mut out, &end);
        out.into()
    } else {
        let unread = Unread::new(left, 1);
        let mut reader = PageReader { request, query, expand, unread, started: true, end: Vec::new() };
        write_page_end(&mut reader.end, &end);
        reader.into_body(out.into(), true)
    };
    let mut response = response::json(StatusCode::OK, body);
    set_size_headers(&mut response, total, range, applied);
    Ok(response)
}

/// Every record, as a plain array streamed in chunks by keyset. The headers carry the count at the start.
async fn stream_response(
    request: ResourceRequest,
    query: ListQuery,
    expand: Vec<Expansion>,
    prefer: Prefer,
) -> Result<Response, Problem> {
    let chunk = match child_rows(&expand) {
        0 => CHUNK_ROWS,
        beside => (request.state.limits().query.expand_rows / beside).clamp(1, CHUNK_ROWS),
    };
    let unread = Unread::new(Vec::new(), chunk);
    let mut reader = ChunkReader { request, query, expand, chunk, unread, is_read: false, started: false, rows: 0 };
    let (first, more) = reader.chunk().await.map_err(|error| reader.request.problem(error))?;
    let (count, applied) = preferred_count(&reader.request, prefer);
    let total = match (count, more) {
        (Count::None, _) => None,
        (_, false) => Some(Total::Exactly(reader.rows)),
        (count, true) => {
            let request = &reader.request;
            let total = adapter::total(request.adapter(), request.resource(), &reader.query.filter, count).await;
            total.map_err(|error| request.problem(error))?
        }
    };
    let of_all = exact(total);
    let range = of_all.and_then(|rows| content_range(reader.request.mounted.options(), 0, rows, total));
    let body = reader.into_body(first, more);
    let mut response = response::json(StatusCode::OK, body);
    set_size_headers(&mut response, total, range, applied);
    Ok(response)
}

/// Reads an unpaginated list chunk by chunk.
struct ChunkReader {
    request: ResourceRequest,
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
    fn is_head(&self) -> bool {
        self.request.is_head()
    }

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
        let resource = self.request.resource();
        self.query.limit = Some(self.chunk);
        let json = JsonSink::new(resource, &self.request.identity.view, Vec::with_capacity(64 * 1024));
        let records = ExpandingSink::new(json, &self.expand).within(self.request.room());
        let mut sink = ChunkSink { records, query: &self.query, last: Vec::new() };
        let (adapter, reach) = (self.request.adapter(), self.request.reach());
        let read = async {
            adapter.list(resource, &self.query, &mut sink).await?;
            let ChunkSink { records, last, .. } = sink;
            let rows = records.rows();
            Ok((records.finish(adapter, reach).await?, rows, last))
        };
        let limit = self.request.state.limits().request;
        let read = tokio::time::timeout(limit, read).await.map_err(|_| AdapterError::Timeout)?;
        let (Assembled { json, left, .. }, rows, last) = read?;
        self.is_read = rows < self.chunk;
        self.rows += rows;
        self.query.after = Some(last);
        if !left.is_empty() {
            let fitting = rows - left.len() as u64;
            self.unread = Unread::new(left, fitting);
            // The next query finds fewer that do not fit.
            self.chunk = (fitting * 2).clamp(1, self.chunk);
        }
        Ok(json)
    }
}

/// A row sink that renders records and keeps the sort keys of the last one.
struct ChunkSink<'a> {
    records: ExpandingSink<'a>,
    query: &'a ListQuery,
    last: Vec<Value>,
}

impl RowSink for ChunkSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if Some(self.records.rows() + 1) == self.query.limit {
            self.last = self.query.sort_values(self.records.json.resource(), row)?;
        }
        self.records.row(row)
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let DocumentedResource { options, names, .. } = resource;
    let description = if options.pagination.is_some() {
        "A page of the records that satisfy all filters."
    } else {
        "Every record that satisfies all filters."
    };
    let mut headers = HEADERS.to_vec();
    headers.extend(has_cursors(options).then_some("Link"));
    Words::about(format!("List {}", resource.plural()), description)
        .parameters(param::list::document(options, LIST, &names.condition()))
        .shared(&["PreferList"])
        .answer(StatusCode::OK, answer(resource).headers(&headers))
        .problems(&resource.list_problems())
}

/// The headers of a list.
pub(super) const HEADERS: [&str; 3] = ["X-Total-Count", "Content-Range", "Preference-Applied"];

/// The page or the array of records.
pub(super) fn answer(resource: &DocumentedResource<'_>) -> Answer {
    let DocumentedResource { options, names, .. } = resource;
    let schema = match options.pagination {
        Some(_) => Schema::reference(&names.list()),
        None => Schema::array(Schema::reference(&names.record())),
    };
    Answer::json("The records.", schema)
}
