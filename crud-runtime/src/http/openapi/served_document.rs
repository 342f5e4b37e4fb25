//! [`ServedDocument`]: the OpenAPI document as `/openapi.json` serves it.

#[cfg(feature = "docs")]
use std::io::Write;
use std::panic::resume_unwind;
use std::sync::Arc;
#[cfg(feature = "docs")]
use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
#[cfg(feature = "docs")]
use flate2::Compression;
#[cfg(feature = "docs")]
use flate2::write::GzEncoder;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use super::Document;
use super::document_version::DocumentVersion;
#[cfg(feature = "docs")]
use crate::http::param::header::accept;

/// The header of the document.
const JSON: [(HeaderName, HeaderValue); 1] = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];

/// A document that is built when a client first asks for it: most processes, above all those of tests, are never asked.
///
/// Building and compressing it takes milliseconds, on a blocking thread.
#[derive(Clone)]
pub(crate) struct ServedDocument {
    build: Arc<dyn Fn() -> Document + Send + Sync>,
    document: Arc<OnceCell<Arc<Document>>>,
    /// The compressed document of the path that the service is mounted under, which is known with the first request.
    #[cfg(feature = "docs")]
    compressed: Arc<OnceLock<(String, Bytes)>>,
    /// The compressed document of OpenAPI 3.2.
    #[cfg(feature = "docs")]
    compressed_3_2: Arc<OnceLock<(String, Bytes)>>,
}

impl ServedDocument {
    pub(crate) fn new(build: impl Fn() -> Document + Send + Sync + 'static) -> Self {
        Self {
            build: Arc::new(build),
            document: Arc::default(),
            #[cfg(feature = "docs")]
            compressed: Arc::default(),
            #[cfg(feature = "docs")]
            compressed_3_2: Arc::default(),
        }
    }

    async fn document(&self) -> Arc<Document> {
        let build = || {
            let build = self.build.clone();
            on_a_blocking_thread(move || Arc::new(build()))
        };
        self.document.get_or_init(build).await.clone()
    }

    /// The document for a service mounted under this path; compressed for clients that accept gzip.
    #[cfg(feature = "docs")]
    pub(crate) async fn response(&self, version: DocumentVersion, mount: &str, headers: &HeaderMap) -> Response {
        let compressed = if accept::takes_gzip(headers) { self.compressed(version, mount).await } else { None };
        let is_gzip = compressed.is_some();
        let mut response = match compressed {
            Some(bytes) => (JSON, bytes).into_response(),
            None => (JSON, self.json(version, mount).await).into_response(),
        };
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if is_gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }

    /// The document for a service mounted under this path.
    #[cfg(not(feature = "docs"))]
    pub(crate) async fn response(&self, version: DocumentVersion, mount: &str, _: &HeaderMap) -> Response {
        (JSON, self.json(version, mount).await).into_response()
    }

    async fn json(&self, version: DocumentVersion, mount: &str) -> Bytes {
        let document = self.document().await;
        match version {
            DocumentVersion::V3_1 => document.json(mount),
            DocumentVersion::V3_2 => document.json_3_2(mount),
        }
    }

    /// The document for this mount as gzip: kept for the first mount, made anew for others.
    #[cfg(feature = "docs")]
    async fn compressed(&self, version: DocumentVersion, mount: &str) -> Option<Bytes> {
        let slot = match version {
            DocumentVersion::V3_1 => &self.compressed,
            DocumentVersion::V3_2 => &self.compressed_3_2,
        };
        if let Some((_, bytes)) = slot.get().filter(|(kept, _)| kept == mount) {
            return Some(bytes.clone());
        }
        let json = self.json(version, mount).await;
        let bytes = on_a_blocking_thread(move || compress(&json)).await?;
        // The document of one of two concurrent first requests is kept.
        drop(slot.set((mount.to_owned(), bytes.clone())));
        Some(bytes)
    }
}

/// The bytes as gzip; `None` when they cannot be compressed.
#[cfg(feature = "docs")]
fn compress(bytes: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// Runs work on a blocking thread and returns its result; a panic in it continues in the request.
async fn on_a_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    spawn_blocking(work).await.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    use super::*;
    use crate::http::openapi::Info;
    use crate::storage::capabilities::Capabilities;

    #[tokio::test]
    async fn the_document_is_built_once_and_only_for_a_client() {
        let built = Arc::new(AtomicUsize::new(0));
        let counted = built.clone();
        let document = ServedDocument::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Document::new(&Info::new("Shop", "1"), &[], None, false, Capabilities::new())
        });
        assert_eq!(built.load(Ordering::Relaxed), 0);
        let headers = HeaderMap::new();
        let responses = join_all((0..8).map(|_| document.response(DocumentVersion::V3_1, "", &headers))).await;
        assert!(responses.iter().all(|response| response.status() == 200));
        assert_eq!(built.load(Ordering::Relaxed), 1);
    }
}
