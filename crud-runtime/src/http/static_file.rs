//! [`StaticFile`]: an embedded file, with its entity tags.

use std::io::{Read, Write};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use xxhash_rust::xxh3::xxh3_64;

use super::param::header::accept::takes_gzip;
use super::param::header::etag::EtagCondition;

/// A file, as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct StaticFile {
    pub(crate) path: String,
    media_type: &'static str,
    bytes: Bytes,
    is_gzip: bool,
    etag: HeaderValue,
    /// The entity tag of the file without gzip.
    expanded_etag: HeaderValue,
}

impl StaticFile {
    /// A file that is kept uncompressed.
    pub(crate) fn plain(path: impl Into<String>, media_type: &'static str, plain: Bytes) -> Self {
        let tag = etag(&format!("{:016x}", xxh3_64(&plain)));
        Self { path: path.into(), media_type, bytes: plain, is_gzip: false, etag: tag.clone(), expanded_etag: tag }
    }

    /// A file that is gzip already, with a hash of its uncompressed bytes.
    pub(crate) fn gzipped(path: impl Into<String>, media_type: &'static str, gzip: Bytes, hash: u64) -> Self {
        let (etag, expanded_etag) = (etag(&format!("{hash:016x}-gzip")), etag(&format!("{hash:016x}")));
        Self { path: path.into(), media_type, bytes: gzip, is_gzip: true, etag, expanded_etag }
    }

    /// A file that is compressed once, where that shortens it.
    pub(crate) fn compressed(path: String, media_type: &'static str, plain: Bytes) -> Self {
        match gzip(&plain).filter(|gzip| gzip.len() < plain.len()) {
            Some(gzip) => Self::gzipped(path, media_type, gzip.into(), xxh3_64(&plain)),
            None => Self::plain(path, media_type, plain),
        }
    }

    /// The bytes without gzip; empty where the file is damaged.
    pub(crate) fn expanded(&self) -> Bytes {
        if !self.is_gzip {
            return self.bytes.clone();
        }
        let mut bytes = Vec::new();
        GzDecoder::new(&*self.bytes).read_to_end(&mut bytes).map(|_| bytes.into()).unwrap_or_default()
    }

    /// The response to a request with these headers, under a content security policy.
    pub(crate) fn respond(&self, request: &HeaderMap, policy: &HeaderValue) -> Response {
        // Each form has an entity tag (RFC 9110, section 8.8.3).
        let sends_gzip = self.is_gzip && takes_gzip(request);
        let etag = if sends_gzip { &self.etag } else { &self.expanded_etag };
        let is_known = EtagCondition::if_none_match(request).is_some_and(|known| known.matches_weakly(etag));
        let mut response = match (is_known, sends_gzip) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, true) => Body::from(self.bytes.clone()).into_response(),
            (false, false) => Body::from(self.expanded()).into_response(),
        };
        let headers = response.headers_mut();
        let mut set = |name: HeaderName, value: HeaderValue| headers.insert(name, value);
        set(header::ETAG, etag.clone());
        // Browsers revalidate every file, which costs a 304: a new release of the program takes effect at once.
        set(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        // With 304 too: its headers replace those of the browser's copy (RFC 9111, section 3.2).
        set(header::CONTENT_SECURITY_POLICY, policy.clone());
        if self.is_gzip {
            set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if !is_known {
            set(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
            if sends_gzip {
                set(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
        }
        response
    }
}

fn gzip(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

fn etag(tag: &str) -> HeaderValue {
    // Hexadecimal digits in quotes are always a header value.
    HeaderValue::from_str(&format!("\"{tag}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'");

    fn file() -> StaticFile {
        StaticFile::compressed("app.js".to_owned(), "text/javascript", Bytes::from("let a = 1;\n".repeat(100)))
    }

    fn with(name: HeaderName, value: &HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(name, value.clone())])
    }

    #[test]
    fn each_form_of_a_file_has_its_entity_tag() {
        let file = file();
        let plain = file.respond(&HeaderMap::new(), &POLICY);
        let gzip = file.respond(&with(header::ACCEPT_ENCODING, &HeaderValue::from_static("gzip")), &POLICY);
        assert_eq!(plain.headers().get(header::CONTENT_ENCODING), None);
        assert_eq!(gzip.headers()[header::CONTENT_ENCODING], "gzip");
        assert_ne!(plain.headers()[header::ETAG], gzip.headers()[header::ETAG]);
        assert_eq!(plain.headers()[header::VARY], "Accept-Encoding");
        assert_eq!(file.expanded().len(), 1100);
    }

    #[test]
    fn known_version_is_304_with_its_policy() {
        let policy = HeaderValue::from_static("default-src 'self'");
        let tag = file().respond(&HeaderMap::new(), &policy).headers()[header::ETAG].clone();
        let known = file().respond(&with(header::IF_NONE_MATCH, &tag), &policy);
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(known.headers()[header::CONTENT_SECURITY_POLICY], policy);
    }

    #[test]
    fn file_that_gzip_does_not_shorten_is_stored_as_it_is() {
        let file = StaticFile::compressed("a.txt".to_owned(), "text/plain", Bytes::from_static(b"a"));
        assert!(!file.is_gzip && file.respond(&HeaderMap::new(), &POLICY).headers().get(header::VARY).is_none());
    }
}
