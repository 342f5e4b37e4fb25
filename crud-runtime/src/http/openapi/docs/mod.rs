//! Swagger UI, served from the binary without a CDN.
//!
//! The page uses relative URLs, so it works under any mount, also behind a proxy that strips a path.

mod archive;
mod home;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

pub(crate) use self::home::Entry;

use super::Info;
use crate::http::static_file::StaticFile;

/// The script that starts Swagger UI, and the scripts that it imports. They are files, because the content security
/// policy forbids inline scripts.
const SCRIPTS: [(&str, &str); 5] = [
    ("start.js", include_str!("start.js")),
    ("choice.js", include_str!("choice.js")),
    ("fold.js", include_str!("fold.js")),
    ("login.js", include_str!("login.js")),
    ("part.js", include_str!("part.js")),
];

/// The icon of the pages.
const FAVICON: &str = "favicon-32x32.png";

/// The files of Swagger UI's archive that the page loads, with their media types.
const FILES: [(&str, &str); 4] = [
    (FAVICON, "image/png"),
    ("index.css", "text/css; charset=utf-8"),
    ("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("swagger-ui.css", "text/css; charset=utf-8"),
];

/// Banner on the page of a service that does not enforce its access rules.
const BANNER: &str = r#"  <p role="alert" style="background: #b00020; color: #fff; font: bold 1rem/1.5 sans-serif; margin: 0; padding: .75rem 1rem">This service is open to everyone: it runs without authentication, and no access rule is enforced.</p>
"#;

/// Scripts, styles and requests go to the service itself only. Swagger UI sets inline styles and has icons as `data:`
/// images.
const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);

/// The documentation pages of a service.
#[derive(Debug, Clone)]
pub struct Docs {
    info: Info,
    page: StaticFile,
    assets: Vec<StaticFile>,
}

impl Docs {
    /// The pages of a service with this title; with a banner where its rules are not enforced.
    pub fn new(info: &Info, is_waived: bool) -> Self {
        let banner = if is_waived { BANNER } else { "" };
        let page = include_str!("page.html").replace("{title}", &escape(&info.title)).replace("{banner}", banner);
        let script = |(name, text): (&'static str, &'static str)| {
            StaticFile::plain(name, "text/javascript; charset=utf-8", Bytes::from_static(text.as_bytes()))
        };
        let files =
            FILES.into_iter().filter_map(|(name, media_type)| archive::file(SWAGGER_UI_VENDORED, name, media_type));
        Self {
            info: info.clone(),
            page: StaticFile::plain("", "text/html; charset=utf-8", page.into()),
            assets: files.chain(SCRIPTS.map(script)).collect(),
        }
    }

    /// The response to `GET /docs` with these request headers.
    pub fn page(&self, headers: &HeaderMap) -> Response {
        self.page.respond(headers, &CONTENT_SECURITY_POLICY)
    }

    /// The page at `/` of a service that is mounted under this path, with its resources.
    pub(crate) fn home(&self, mount: &str, resources: &[Entry<'_>]) -> Response {
        let page = home::page(&self.info, mount, resources);
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        ];
        (headers, page).into_response()
    }

    /// The response to `GET /favicon.ico` with these request headers, if there is such a file.
    pub(crate) fn favicon(&self, headers: &HeaderMap) -> Option<Response> {
        self.asset(FAVICON, headers)
    }

    /// The response to `GET /docs/{name}` with these request headers, if there is such a file.
    pub fn asset(&self, name: &str, headers: &HeaderMap) -> Option<Response> {
        let asset = self.assets.iter().find(|asset| asset.path == name);
        asset.map(|asset| asset.respond(headers, &CONTENT_SECURITY_POLICY))
    }
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    fn docs() -> Docs {
        Docs::new(&Info::new("Nuts & <bolts>", "1"), false)
    }

    #[test]
    fn every_file_of_the_page_is_served() {
        let docs = docs();
        let page = String::from_utf8(docs.page.expanded().to_vec()).unwrap();
        let named: Vec<_> = page.split('"').filter_map(|part| part.strip_prefix("docs/")).collect();
        assert_eq!(named.len(), 5);
        for name in named {
            assert!(docs.asset(name, &HeaderMap::new()).is_some(), "{name}");
        }
        let imported =
            SCRIPTS.iter().flat_map(|(_, text)| text.lines()).filter_map(|line| line.split_once("from \"./"));
        for (_, name) in imported {
            let name = name.trim_end_matches("\";");
            assert!(docs.asset(name, &HeaderMap::new()).is_some(), "{name}");
        }
    }

    #[test]
    fn a_client_that_does_not_take_gzip_gets_the_file_itself() {
        let docs = docs();
        let plain = docs.asset("swagger-ui.css", &HeaderMap::new()).unwrap();
        let accepting = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"))]);
        let compressed = docs.asset("swagger-ui.css", &accepting).unwrap();
        assert_eq!(plain.headers().get(header::CONTENT_ENCODING), None);
        assert_eq!(compressed.headers()[header::CONTENT_ENCODING], "gzip");
        assert_ne!(plain.headers()[header::ETAG], compressed.headers()[header::ETAG]);
        for response in [plain, compressed] {
            assert_eq!(response.headers()[header::VARY], "Accept-Encoding");
        }
    }

    #[test]
    fn files_of_the_archive_are_complete() {
        for asset in docs().assets {
            // The decoder compares checksum and length.
            assert!(!asset.expanded().is_empty(), "{}", asset.path);
        }
    }

    #[test]
    fn the_title_is_escaped() {
        let page = String::from_utf8(docs().page.expanded().to_vec()).unwrap();
        assert!(page.contains("<title>Nuts &amp; &lt;bolts&gt;</title>"));
    }

    #[test]
    fn page_of_a_service_whose_rules_are_not_enforced_says_so() {
        let page = |is_waived| {
            let docs = Docs::new(&Info::new("Shop", "1"), is_waived);
            String::from_utf8(docs.page.expanded().to_vec()).unwrap()
        };
        assert!(page(true).contains("<p role=\"alert\"") && page(true).contains("open to everyone"));
        assert!(!page(false).contains("alert") && !page(false).contains("{banner}"));
    }

    #[test]
    fn only_the_services_scripts_run() {
        let response = docs().page(&HeaderMap::new());
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        let page = String::from_utf8(docs().page.expanded().to_vec()).unwrap();
        assert!(page.matches("<script").count() == page.matches("<script src=").count());
        assert!(!page.contains("http:") && !page.contains("https:"));
    }

    #[test]
    fn a_known_version_is_304() {
        let docs = docs();
        let first = docs.asset("swagger-ui.css", &HeaderMap::new()).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, first.headers()[header::ETAG].clone());
        let second = docs.asset("swagger-ui.css", &headers).unwrap();
        assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(second.headers()[header::CONTENT_SECURITY_POLICY], CONTENT_SECURITY_POLICY);
    }
}
