//! List: `GET {prefix}`, `QUERY {prefix}` and `POST {prefix}/search`, a page or a streamed array.

pub(crate) mod cursor;
pub(super) mod stream;

use std::fmt::Write as _;
use std::io::Write as _;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;

use super::route::{Body as RequestBody, OperationRoute, handler};
use crate::http::body::malformed;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::description::page::has_cursors;
use crate::http::handler::chunked::{Chunked, PageReader, Unread};
use crate::http::handler::{ResourceRequest, require_access, response};
use crate::http::list_header::ListHeaders;
use crate::http::param;
use crate::http::param::header::prefer::{self, Prefer};
use crate::http::param::list::{Json as SearchBody, LIST, ListRequest, parse, parse_search};
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink, check_storage};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor, Operation};
use crate::model::key::Key;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::query::{Comparison, Predicate, Scope, Total};
use crate::store::mounted::options::ResourceOptions;

/// The path of a resource's records.
pub(super) const PATH: &str = "";

/// The beginning of a page.
pub(crate) const DATA: &[u8] = b"{\"data\":[";

static X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        parameters: None,
        more_access: deleted,
        ..OperationRoute::new(Method::GET, PATH, Operation::List, "list{many}", handler!(list), document)
    }
}

/// The route of a list with a body: `POST {prefix}/search`.
pub(super) fn route_of_search() -> OperationRoute {
    OperationRoute {
        is_of: |resource| resource.has_filters() || resource.search.is_some(),
        parameters: None,
        body: RequestBody::Json,
        ..OperationRoute::new(Method::POST, "/search", Operation::List, "search{many}", handler!(list), document_search)
    }
}

/// The route of a list with a body, as a safe request: `QUERY {prefix}` (RFC 10008).
pub(super) fn route_of_query() -> OperationRoute {
    OperationRoute {
        method: Method::QUERY,
        path: PATH,
        id: "query{many}".into(),
        document: document_query,
        ..route_of_search()
    }
}

/// Whether requests of this method have the list's parameters in a body.
pub(crate) fn is_by_body(method: &Method) -> bool {
    *method == Method::POST || *method == Method::QUERY
}

/// The parameters of lists with deleted records, each with the further operation whose access it needs.
pub(crate) fn deleted(resource: &Descriptor) -> Vec<(String, Operation)> {
    let Some(soft_delete) = resource.soft_delete else { return Vec::new() };
    let included = (!soft_delete.include_deleted_by_default).then_some("include_deleted=true");
    let parameters = ["only_deleted=true"].into_iter().chain(included);
    parameters.map(|parameter| (parameter.to_owned(), Operation::Restore)).collect()
}

async fn list(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let prefer = request.prefer();
    let mut list = list_request(&mut request, prefer).await?;
    restrict(&request, &mut list).await?;
    let added = request.state.parts().list_headers.before(request.resource());
    let pagination = request.mounted.options().pagination;
    let (count, applied) = match (&list.cursor, prefer.count) {
        // A count takes longer with each record, and a page by a cursor does not.
        (Some(_), None) => (Count::None, None),
        _ => prefer.count(pagination.map_or(Count::Exact, |pagination| pagination.count)),
    };
    let mut response = match (list.query.limit, pagination.is_some_and(|pagination| pagination.cursor)) {
        // Boxed: pages by number do not reserve memory for these futures.
        (Some(limit), true) => Box::pin(cursor::page(request, list, limit, count)).await?,
        (Some(limit), false) => page(request, list, limit, count).await?,
        (None, _) => Box::pin(stream::stream(request, list.query, list.expand, count)).await?,
    };
    ListHeaders::add(added, response.headers_mut());
    if let Some(applied) = applied {
        Prefer::applied(response.headers_mut(), applied);
    }
    if prefer.lenient {
        Prefer::applied(response.headers_mut(), "handling=lenient");
    }
    Ok(response)
}

/// Reads the parameters of the list from the query string, or for a search from the body.
async fn list_request(request: &mut ResourceRequest, prefer: Prefer) -> Result<ListRequest, Problem> {
    let body = if is_by_body(&request.parts.method) {
        Some(request.json_body(request.state.limits().search_body()).await?)
    } else {
        None
    };
    let (context, query) = (request.list_context(LIST), request.query());
    let Some(body) = body else { return parse(context, query, prefer.lenient) };
    if !query.is_empty() && !prefer.lenient {
        let detail = "a search has no parameters: its body has them as members";
        return Err(Problem::validation([FieldError::parameter("query", "unknown_parameter", detail)]));
    }
    let body = SearchBody::read(&body).map_err(|error| malformed(&error))?;
    parse_search(context, &body)
}

/// Restricts a list to the records that the request may have.
///
/// # Errors
/// 401 and 403 where the request lacks the access to deleted records; `unsupported_here`; errors of [`check_texts`].
pub(super) async fn restrict(request: &ResourceRequest, list: &mut ListRequest) -> Result<(), Problem> {
    check_storage(&list.query.joined, &list.expand, request.adapter()).map_err(|error| request.problem(error))?;
    if list.scope != Scope::Active && list.scope != Scope::default_of(request.resource()) {
        require_access(&request.state, &request.identity, Operation::Restore, request.resource())?;
    }
    check_texts(request, list).await?;
    let filter = std::mem::replace(&mut list.query.filter, Predicate::All);
    list.query.filter = request.visible(filter).await?;
    Ok(())
}

/// Refuses filters by unknown texts of enums, unless a record of the list's scope has the text.
///
/// # Errors
/// `validation_failed`.
async fn check_texts(request: &ResourceRequest, list: &ListRequest) -> Result<(), Problem> {
    let mut errors = FieldErrors::default();
    for unknown in &list.unknown {
        let (column, value) = (unknown.column, unknown.value.clone());
        let has_text = Predicate::Compare { column, operator: Comparison::Eq, value };
        let filter = request.visible(list.scope.predicate(request.resource()).and(has_text)).await?;
        let found = match request.adapter().count_up_to(request.resource(), &filter, 1).await {
            // The database's type of the column does not have the value.
            Err(AdapterError::Constraint { .. }) => 0,
            found => found.map_err(|error| request.problem(error))?,
        };
        if found == 0 {
            errors.push(unknown.error.clone());
        }
    }
    errors.into_result(())
}

/// The page of this number in its envelope.
async fn page(request: Box<ResourceRequest>, list: ListRequest, limit: u64, count: Count) -> Result<Response, Problem> {
    let ListRequest { query, expand, .. } = list;
    let resource = request.resource();
    let mut out = Vec::with_capacity(8192);
    out.extend_from_slice(DATA);
    let json = JsonSink::new(resource, &request.identity.view, out);
    let mut sink = ExpandingSink::new(json, &expand).within(request.budget());
    let page = request.adapter().page(resource, &query, count, &mut sink).await;
    let total = page.map_err(|error| request.problem(error))?;
    let rows = sink.rows();
    let Assembled { json: out, remaining, .. } = request.expanded(sink).await?;

    let (mounted, range) = (request.mounted.clone(), Range { skip: query.skip, rows });
    let mut end = Vec::with_capacity(128);
    PageEnd { page: Some(query.skip / limit + 1), skip: query.skip, limit, total }.write(&mut end);
    let body =
        page_body(out, end, remaining, |unread, end| PageReader { request, query, expand, unread, started: true, end });
    Ok(sized_response(body, Some(mounted.options()), Some(range), total))
}

/// The body of a page: the records that fit, those with the remaining keys, which `rest` reads, and the end.
pub(crate) fn page_body<R: Chunked>(
    mut out: Vec<u8>,
    mut end: Vec<u8>,
    remaining: Vec<Key>,
    rest: impl FnOnce(Unread, Vec<u8>) -> R,
) -> Body {
    if remaining.is_empty() {
        out.append(&mut end);
        return out.into();
    }
    rest(Unread::new(remaining, 1), end).into_body(out.into(), true)
}

/// The end of the JSON of a page, after its records.
pub(crate) struct PageEnd {
    /// The page's number, from 1; `None` where it is not known.
    pub(crate) page: Option<u64>,
    pub(crate) skip: u64,
    pub(crate) limit: u64,
    pub(crate) total: Option<Total>,
}

impl PageEnd {
    /// Writes the end, after the records.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Self { page, skip, limit, total } = *self;
        let page = page.map_or_else(|| "null".to_owned(), |page| page.to_string());
        // Writing to memory cannot fail.
        let _ = match total {
            Some(Total::Exactly(total)) => {
                let pages = total.div_ceil(limit);
                write!(out, "],\"total\":{total},\"total_relation\":\"eq\",\"page\":{page},\"pages\":{pages}")
            }
            Some(total) => {
                let (number, relation) = (total.number(), total.relation());
                write!(out, "],\"total\":{number},\"total_relation\":\"{relation}\",\"page\":{page},\"pages\":null")
            }
            None => write!(out, "],\"total\":null,\"total_relation\":null,\"page\":{page},\"pages\":null"),
        };
        let _ = write!(out, ",\"limit\":{limit},\"skip\":{skip}}}");
    }
}

/// The total, if it is exact.
pub(crate) fn exact(total: Option<Total>) -> Option<u64> {
    total.filter(|total| total.is_exact()).map(Total::number)
}

/// The records of a list that a response has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The number of records before the range.
    pub(crate) skip: u64,
    /// The number of records in the range.
    pub(crate) rows: u64,
}

/// The response with records of a list, and the headers of its size: `X-Total-Count`, and `Content-Range` where the range is
/// known.
pub(crate) fn sized_response(
    body: impl Into<Body>,
    options: Option<&ResourceOptions>,
    range: Option<Range>,
    total: Option<Total>,
) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    // With the headers of layers there are more than six, for which a map has room at first.
    headers.reserve(8);
    headers.insert(header::CONTENT_TYPE, response::JSON);
    if let Some(total) = exact(total) {
        headers.insert(&X_TOTAL_COUNT, total.into());
    }
    if let Some(range) = options.zip(range).and_then(|(options, range)| content_range(options, range, total)) {
        headers.insert(header::CONTENT_RANGE, range);
    }
    response
}

/// `Content-Range`: `products 20-39/1234`, as react-admin's and refine's data providers parse it; `*` for an empty page,
/// and for a total that is not exact.
fn content_range(options: &ResourceOptions, Range { skip, rows }: Range, total: Option<Total>) -> Option<HeaderValue> {
    let unit = options.prefix.rsplit('/').next().unwrap_or_default();
    let mut text = format!("{unit} ");
    // Writing to memory cannot fail.
    let _ = match rows {
        0 => text.write_char('*'),
        rows => write!(text, "{skip}-{}", skip + rows - 1),
    };
    let _ = match exact(total) {
        Some(total) => write!(text, "/{total}"),
        None => text.write_str("/*"),
    };
    HeaderValue::try_from(text).ok()
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let options = resource.options;
    let description = if options.pagination.is_some() {
        "A page of the records that satisfy all filters."
    } else {
        "Every record that satisfies all filters."
    };
    let mut headers = HEADERS.to_vec();
    headers.extend(has_cursors(options).then_some("Link"));
    OperationDoc::about(format!("List {}", resource.plural()), description)
        .parameters(param::list::document(resource, LIST))
        .parameters([prefer::document_list()])
        .answer(StatusCode::OK, answer(resource).headers(&headers))
        .problems(&resource.list_problems())
}

fn document_search(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let description = "The same list as by GET, of a condition that is too long for a URL.";
    document_by_body(resource, format!("Search {}", resource.plural()), description)
}

fn document_query(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let description = "The same list as by GET, of the condition in the body. Safe and idempotent (RFC 10008).";
    document_by_body(resource, format!("Query {}", resource.plural()), description)
}

fn document_by_body(resource: &DocumentedResource<'_>, summary: String, description: &str) -> OperationDoc {
    OperationDoc::about(summary, description)
        .parameters([prefer::document_list()])
        .json("The list.", Schema::reference(&resource.names.schema("Search")))
        .answer(StatusCode::OK, answer(resource).headers(&HEADERS))
        .problems(&resource.list_problems())
}

/// The headers of a list.
const HEADERS: [&str; 3] = ["X-Total-Count", "Content-Range", "Preference-Applied"];

/// The page or the array of records.
fn answer(resource: &DocumentedResource<'_>) -> Answer {
    let DocumentedResource { options, names, .. } = resource;
    let schema = match options.pagination {
        Some(_) => Schema::reference(&names.schema("List")),
        None => Schema::array(resource.record()),
    };
    let own = resource.service.list_headers.iter().filter(|header| (header.is_of)(options.descriptor));
    Answer {
        own_headers: own.map(|header| (header.title(), header.about)).collect(),
        ..Answer::json("The records.", schema)
    }
}
