//! The headers of requests, a file each: name, parser, schema and sentence.

#[cfg(any(feature = "pages", feature = "metrics"))]
pub(crate) mod accept;
pub(crate) mod etag;
pub(crate) mod idempotency_key;
pub(crate) mod prefer;
pub(crate) mod session_token;
pub(crate) mod tenant;
