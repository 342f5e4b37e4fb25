//! Compressed responses.

use axum::Router;
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version, header};
use axum::middleware::map_response;
use axum::response::Response;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _};

/// Whether a response may be compressed.
type MayCompress = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Compresses responses of clients that accept gzip. A response that caches must not store has a secret, such as a
/// token: the compressed size would reveal it to an attacker who chooses the text beside it (BREACH). A response with
/// `no-transform`, such as a file, stays as it is: clients ask for ranges of its bytes.
pub(crate) fn around(router: Router) -> Router {
    let compression =
        CompressionLayer::new().gzip(true).compress_when(DefaultPredicate::new().and(may_change as MayCompress));
    router.layer(map_response(take_range)).layer(compression).layer(map_response(put_range))
}

fn may_change(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let rules = headers.get_all(header::CACHE_CONTROL).iter();
    !rules
        .filter_map(|rules| rules.to_str().ok())
        .any(|rules| rules.contains("no-store") || rules.contains("no-transform"))
}

/// The `Content-Range` of a page, which counts records.
#[derive(Clone)]
struct RecordRange(HeaderValue);

/// Keeps the range of a page from the layer, which takes any range for one of bytes and does not compress the response.
async fn take_range(mut response: Response) -> Response {
    if response.status() != StatusCode::PARTIAL_CONTENT
        && let Some(range) = response.headers_mut().remove(header::CONTENT_RANGE)
    {
        response.extensions_mut().insert(RecordRange(range));
    }
    response
}

async fn put_range(mut response: Response) -> Response {
    if let Some(RecordRange(range)) = response.extensions_mut().remove() {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}
