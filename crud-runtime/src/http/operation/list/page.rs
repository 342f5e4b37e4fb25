//! Pages: their envelope, and the headers of a list's size.

use std::io::Write;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::http::handler::chunked::Chunked;
use crate::http::handler::unread::{PageReader, Unread};
use crate::http::handler::{ResourceRequest, response};
use crate::http::param::list::ListRequest;
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink};
use crate::model::descriptor::Count;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::query::Total;
use crate::store::mounted::options::ResourceOptions;

/// The beginning of a page.
pub(crate) const DATA: &[u8] = b"{\"data\":[";

static X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// The page of this number in its envelope.
pub(super) async fn page(
    request: ResourceRequest,
    list: ListRequest,
    limit: u64,
    count: Count,
) -> Result<Response, Problem> {
    let ListRequest { query, expand, .. } = list;
    let resource = request.resource();
    let mut out = Vec::with_capacity(4096);
    out.extend_from_slice(DATA);
    let json = JsonSink::new(resource, &request.identity.view, out);
    let mut sink = ExpandingSink::new(json, &expand).within(request.budget());
    let page = request.adapter().page(resource, &query, count, &mut sink).await;
    let total = page.map_err(|error| request.problem(error))?;
    let rows = sink.rows();
    let Assembled { json: out, remaining, .. } = request.expanded(sink).await?;

    let (mounted, range) = (request.mounted.clone(), Range { skip: query.skip, rows });
    let mut end = Vec::new();
    PageEnd { page: Some(query.skip / limit + 1), skip: query.skip, limit, total }.write(&mut end);
    let body =
        page_body(out, end, remaining, |unread, end| PageReader { request, query, expand, unread, started: true, end });
    Ok(sized_response(body, Some(mounted.options()), Some(range), total))
}

/// The body of a page: the records that fit, and the end, before which `rest` reads those with the remaining keys.
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
    /// The page's number, from 1; none where it is not known.
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
    /// The number of records before them.
    pub(crate) skip: u64,
    /// Their number.
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
    let mut response = response::json(StatusCode::OK, body);
    let headers = response.headers_mut();
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
    let range = match rows {
        0 => "*".to_owned(),
        rows => format!("{skip}-{}", skip + rows - 1),
    };
    let total = exact(total).map_or_else(|| "*".to_owned(), |total| total.to_string());
    HeaderValue::from_str(&format!("{unit} {range}/{total}")).ok()
}
