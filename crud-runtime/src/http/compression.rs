//! Compressed responses.

use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, DefaultPredicate, Predicate as _};

/// Whether a response may be compressed.
type MayCompress = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Compresses responses of clients that accept gzip. A response that caches must not store has a secret, such as a token:
/// its compressed size would tell of it to those who choose what is beside it (BREACH).
pub(super) fn layer() -> CompressionLayer<And<DefaultPredicate, MayCompress>> {
    CompressionLayer::new().gzip(true).compress_when(DefaultPredicate::new().and(is_storable as MayCompress))
}

fn is_storable(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let rules = headers.get_all(header::CACHE_CONTROL).iter();
    !rules.filter_map(|rules| rules.to_str().ok()).any(|rules| rules.contains("no-store"))
}
