//! The numbers of `pagination`, `batch` and `idempotency`.

use std::time::Duration;

use crate::attr::Spanned;
use crate::attr::options::{BatchAttribute, IdempotencyAttribute, ImportAttribute};
use crate::attr::pagination::{Count, PaginationAttribute};
use crate::ctxt::Ctxt;
use crate::model::{Batch, Idempotency, Operations, Pagination};

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
const MAX_SIZE: u32 = 1000;
/// An import is one transaction, all or none: so many records hold SQLite's single writer for half a second.
const MAX_ROWS: u32 = 20_000;
const TTL: Duration = Duration::from_hours(24);

/// A year: stored answers are for repeated requests, and are no archive.
const MAX_TTL: Duration = Duration::from_hours(365 * 24);

/// The limits of a page.
pub(super) fn pagination(attribute: &PaginationAttribute, cx: &Ctxt) -> Pagination {
    let PaginationAttribute { default_limit, max_limit, clamp, count, cursor } = attribute;
    for limit in [default_limit, max_limit].into_iter().flatten().filter(|limit| limit.value == 0) {
        cx.error(limit.span, "expected a limit of at least `1`");
    }
    if let (Some(default), Some(max)) = (default_limit, max_limit)
        && max.value < default.value
    {
        let message =
            format!("`max_limit` is less than `default_limit`: expected `max_limit = {}` or more", default.value);
        cx.error(max.span, message);
    }
    if let Some(count) = count.as_ref().filter(|count| count.value == Count::Capped(0)) {
        cx.error(count.span, "expected a cap of at least `1`, such as `count(capped(10_000))`");
    }
    // Where one limit is given, the default of the other is adjusted to it.
    let value = |limit: &Option<Spanned<u32>>| limit.as_ref().map(|limit| limit.value);
    let max_limit = value(max_limit).unwrap_or_else(|| MAX_LIMIT.max(value(default_limit).unwrap_or(0)));
    let default_limit = value(default_limit).unwrap_or_else(|| DEFAULT_LIMIT.min(max_limit));
    let count = count.as_ref().map_or(Count::Exact, |count| count.value);
    Pagination { default_limit, max_limit, clamp: *clamp, count, cursor: cursor.is_some() }
}

/// The size and mode of a batch.
pub(super) fn batch(attribute: &BatchAttribute, cx: &Ctxt) -> Batch {
    let BatchAttribute { max_size, partial } = attribute;
    if let Some(size) = max_size.as_ref().filter(|size| size.value == 0) {
        cx.error(size.span, "expected a size of at least `1`, such as `max_size = 1000`");
    }
    Batch { max_size: max_size.as_ref().map_or(MAX_SIZE, |size| size.value), partial: *partial }
}

/// Maximum number of records in an import.
pub(super) fn import(attribute: &ImportAttribute, operations: &Operations, cx: &Ctxt) -> u32 {
    let ImportAttribute { key, max_rows } = attribute;
    if let Some(rows) = max_rows.as_ref().filter(|rows| rows.value == 0) {
        cx.error(rows.span, "expected at least `1` record, such as `max_rows = 100_000`");
    }
    if !operations.create() {
        cx.error(*key, "`import` creates records, which HTTP does not offer here: remove it, or offer `create`");
    }
    max_rows.as_ref().map_or(MAX_ROWS, |rows| rows.value)
}

/// Checked `idempotency`: the requirement of keys, and the time for which they are kept.
pub(super) fn idempotency(attribute: &IdempotencyAttribute, cx: &Ctxt) -> Idempotency {
    let IdempotencyAttribute { required, ttl } = attribute;
    if let Some(ttl) = ttl.as_ref().filter(|ttl| ttl.value > MAX_TTL) {
        cx.error(ttl.span, "expected at most `365d`, such as `ttl = \"24h\"`");
    }
    Idempotency { required: *required, ttl: ttl.as_ref().map_or(TTL, |ttl| ttl.value) }
}
