//! [`StaticFiles`]: a folder of embedded files, as routes.

use std::io::{Read, Write};
use std::sync::Arc;

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
use super::routing::route::plain;
use super::routing::route::routes::Routes;
use super::state::ServiceState;
use crate::model::access::Access;

/// The policy of files that state none: they load nothing, and no page may frame them.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

/// A folder of files that are embedded in the program, such as a page with its scripts, for [`Routes::files`].
///
/// They are public. Each is kept compressed once, and has an `ETag` by its content. Browsers ask for each every time, which
/// costs a 304, so that a new release of the program takes effect at once.
///
/// ```
/// use crud_runtime::routing::{Routes, StaticFiles};
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let files = StaticFiles::new()
///     .index("text/html", "<!doctype html><title>Board</title><script type=module src=board/app.js></script>")
///     .file("app.js", "document.title += '!'")
///     .content_security_policy("default-src 'none'; script-src 'self'");
/// // The page is at `/board`, and its script at `/board/app.js`.
/// let service = Service::connect("sqlite::memory:").await?.routes(Routes::new().files("/board", files));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use = "files are served by `Routes::files`"]
pub struct StaticFiles {
    files: Vec<StaticFile>,
    policy: HeaderValue,
}

impl Default for StaticFiles {
    fn default() -> Self {
        Self::new()
    }
}

impl StaticFiles {
    /// No files.
    pub const fn new() -> Self {
        Self { files: Vec::new(), policy: NOTHING }
    }

    /// Adds the file at the folder's own path.
    pub fn index(mut self, media_type: &'static str, content: impl Into<Bytes>) -> Self {
        self.files.push(StaticFile::new(String::new(), media_type, content.into()));
        self
    }

    /// Adds a file by its path in the folder, whose ending says its media type: `.js`, `.mjs`, `.css`, `.html`, `.json`,
    /// `.svg`, `.png`, `.ico`, `.woff2`, `.txt`; any other is `application/octet-stream`.
    pub fn file(mut self, path: impl Into<String>, content: impl Into<Bytes>) -> Self {
        let path = path.into();
        let media_type = media_type(&path);
        self.files.push(StaticFile::new(path, media_type, content.into()));
        self
    }

    /// Sets the `Content-Security-Policy` of the files. Without it, they load nothing.
    ///
    /// # Panics
    /// Where the text is no value of a header.
    #[track_caller]
    pub fn content_security_policy(self, policy: &str) -> Self {
        let policy = HeaderValue::from_str(policy);
        assert!(policy.is_ok(), "a policy is visible ASCII");
        Self { policy: policy.unwrap_or(NOTHING), ..self }
    }
}

impl Routes {
    /// Adds a folder of files at a path: each is public, and the document leaves them out.
    ///
    /// Relative URLs in a page at `/board` are below the path above it: `board/app.js`, or under a mount `/api/board/app.js`.
    pub fn files(self, path: &str, files: StaticFiles) -> Self {
        let StaticFiles { files, policy } = files;
        files.into_iter().fold(self, |routes, file| {
            let at = if file.path.is_empty() { path.to_owned() } else { format!("{path}/{}", file.path) };
            let (file, policy) = (Arc::new(file), policy.clone());
            let route = plain::get::<ServiceState, _>(move |headers: HeaderMap| {
                std::future::ready(file.respond(&headers, &policy))
            });
            routes.route(at, route.access(Access::Public).undocumented())
        })
    }
}

/// A file, as it is stored.
#[derive(Debug, Clone)]
struct StaticFile {
    path: String,
    media_type: &'static str,
    bytes: Bytes,
    is_gzip: bool,
    etag: HeaderValue,
    /// The entity tag of the file without gzip.
    expanded_etag: HeaderValue,
}

impl StaticFile {
    fn new(path: String, media_type: &'static str, plain: Bytes) -> Self {
        let hash = xxh3_64(&plain);
        let expanded_etag = etag(&format!("{hash:016x}"));
        match gzip(&plain).filter(|gzip| gzip.len() < plain.len()) {
            Some(gzip) => {
                let etag = etag(&format!("{hash:016x}-gzip"));
                Self { path, media_type, bytes: gzip.into(), is_gzip: true, etag, expanded_etag }
            }
            None => Self { path, media_type, bytes: plain, is_gzip: false, etag: expanded_etag.clone(), expanded_etag },
        }
    }

    /// The bytes without gzip.
    fn expanded(&self) -> Bytes {
        if !self.is_gzip {
            return self.bytes.clone();
        }
        let mut bytes = Vec::new();
        GzDecoder::new(&*self.bytes).read_to_end(&mut bytes).map(|_| bytes.into()).unwrap_or_default()
    }

    fn respond(&self, request: &HeaderMap, policy: &HeaderValue) -> Response {
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

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> StaticFile {
        StaticFile::new("app.js".to_owned(), media_type("app.js"), Bytes::from("let a = 1;\n".repeat(100)))
    }

    fn with(name: HeaderName, value: &HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(name, value.clone())])
    }

    #[test]
    fn each_form_of_a_file_has_its_entity_tag() {
        let file = file();
        let plain = file.respond(&HeaderMap::new(), &NOTHING);
        let gzip = file.respond(&with(header::ACCEPT_ENCODING, &HeaderValue::from_static("gzip")), &NOTHING);
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
        let file = StaticFile::new("a.txt".to_owned(), media_type("a.txt"), Bytes::from_static(b"a"));
        assert!(!file.is_gzip && file.respond(&HeaderMap::new(), &NOTHING).headers().get(header::VARY).is_none());
    }
}
