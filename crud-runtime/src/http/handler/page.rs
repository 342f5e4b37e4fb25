//! The parts of a page's response other than its records: the end of the envelope, and the headers.

use std::io::Write;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;

use super::request::ResourceRequest;
use crate::http::prefer::Prefer;
use crate::model::descriptor::Count;
use crate::query::Total;
use crate::store::resource_options::ResourceOptions;

static X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// The precision of the list's total, and the preference that it follows.
pub(crate) fn preferred_count(request: &ResourceRequest, prefer: Prefer) -> (Count, Option<&'static str>) {
    let pagination = request.mounted.options().pagination;
    prefer.count(pagination.map_or(Count::Exact, |pagination| pagination.count))
}

/// The end of the JSON of a page, after its records.
pub(crate) struct PageEnd {
    /// The page's number, from 1; none where it is not known.
    pub(crate) page: Option<u64>,
    pub(crate) skip: u64,
    pub(crate) limit: u64,
    pub(crate) total: Option<Total>,
}

/// Writes the end of a page.
pub(crate) fn write_page_end(out: &mut Vec<u8>, end: &PageEnd) {
    let PageEnd { page, skip, limit, total } = *end;
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

/// The total, if it is exact.
pub(crate) fn exact(total: Option<Total>) -> Option<u64> {
    total.filter(|total| total.is_exact()).map(Total::number)
}

/// Sets `X-Total-Count`, `Content-Range` and `Preference-Applied`.
pub(crate) fn set_size_headers(
    response: &mut Response,
    total: Option<Total>,
    range: Option<HeaderValue>,
    applied: Option<&'static str>,
) {
    let headers = response.headers_mut();
    if let Some(total) = exact(total) {
        headers.insert(&X_TOTAL_COUNT, total.into());
    }
    if let Some(range) = range {
        headers.insert(header::CONTENT_RANGE, range);
    }
    if let Some(applied) = applied {
        Prefer::applied(headers, applied);
    }
}

/// `Content-Range`: `products 20-39/1234`, as react-admin's and refine's data providers parse it; `*` for an empty page,
/// and for a total that is not exact.
pub(crate) fn content_range(
    options: &ResourceOptions,
    skip: u64,
    rows: u64,
    total: Option<Total>,
) -> Option<HeaderValue> {
    let unit = options.prefix.rsplit('/').next().unwrap_or_default();
    let range = match rows {
        0 => "*".to_owned(),
        rows => format!("{skip}-{}", skip + rows - 1),
    };
    let total = exact(total).map_or_else(|| "*".to_owned(), |total| total.to_string());
    HeaderValue::from_str(&format!("{unit} {range}/{total}")).ok()
}
