//! [`StaticFiles`]: a folder of embedded files, as routes.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};
use bytes::Bytes;

use super::routing::route::plain;
use super::routing::route::routes::Routes;
use super::state::ServiceState;
use super::static_file::StaticFile;
use crate::model::access::Access;

/// The policy of files that state none: they load nothing, and no page may frame them.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");

/// A folder of files that are embedded in the program, such as a page with its scripts, for [`Routes::files`].
///
/// The files are public. Each is compressed once and kept, and has an `ETag` by its content. Browsers ask for each file
/// every time, which costs a 304, so that a new release of the program takes effect at once.
///
/// ```
/// use crud_runtime::routing::{Routes, StaticFiles};
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let files = StaticFiles::new()
///     .index("text/html", "<!doctype html><title>Board</title><script type=module src=board/app.js></script>")
///     .file("app.js", "document.title += '!'")
///     .content_security_policy(StaticFiles::PAGE_POLICY);
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
    /// Policy of a page with modules: its scripts, styles, pictures and requests are those of the service alone, and no text
    /// becomes a script or markup.
    pub const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'";

    /// A folder without files.
    pub const fn new() -> Self {
        Self { files: Vec::new(), policy: NOTHING }
    }

    /// Adds the file at the folder's own path.
    pub fn index(mut self, media_type: &'static str, content: impl Into<Bytes>) -> Self {
        self.files.push(StaticFile::compressed(String::new(), media_type, content.into()));
        self
    }

    /// Adds a file by its path in the folder, whose ending says its media type: `.js`, `.mjs`, `.css`, `.html`, `.json`,
    /// `.svg`, `.png`, `.ico`, `.woff2`, `.txt`; any other is `application/octet-stream`.
    pub fn file(mut self, path: impl Into<String>, content: impl Into<Bytes>) -> Self {
        let path = path.into();
        let media_type = media_type(&path);
        self.files.push(StaticFile::compressed(path, media_type, content.into()));
        self
    }

    /// Sets the `Content-Security-Policy` of the files, such as [`PAGE_POLICY`](Self::PAGE_POLICY). Without it, they load
    /// nothing.
    ///
    /// # Panics
    /// Where the text is not a legal header value.
    #[track_caller]
    pub fn content_security_policy(self, policy: &str) -> Self {
        let policy = HeaderValue::from_str(policy);
        assert!(policy.is_ok(), "a policy is visible ASCII");
        Self { policy: policy.unwrap_or(NOTHING), ..self }
    }
}

/// The [`StaticFiles`] of a folder beside the source, by their paths in it.
///
/// ```ignore
/// // Embeds `../web/app.js` and `../web/style.css`, seen from the source, as `app.js` and `style.css`.
/// let files = crud_runtime::static_files!("../web/": "app.js", "style.css");
/// let files = files.index("text/html", include_str!("../web/index.html"));
/// ```
#[macro_export]
macro_rules! static_files {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        $crate::routing::StaticFiles::new()
            $(.file($path, ::core::include_bytes!(::core::concat!($folder, $path)).as_slice()))+
    };
}

impl Routes {
    /// Adds a folder of files at a path: each is public, and the document leaves them out.
    ///
    /// A page at `/board` has relative URLs such as `board/app.js`; under a mount `/api`, that is `/api/board/app.js`.
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
