//! The page for people, and that of the screen at a door.

use crud_runtime::access::Access;
use crud_runtime::axum::response::Redirect;
use crud_runtime::routing::{Routes, StaticFiles, get};

/// Scripts, styles and requests go to the service itself only, and no text becomes a script or markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";

macro_rules! embedded {
    ($($path:literal)+) => { [$(($path, include_str!(concat!("../web/", $path)))),+] };
}

pub(crate) fn routes() -> Routes {
    let files = embedded! {
        "actions.js" "app.js" "display.js" "dom.js" "drag.js" "form.js" "icon.svg" "more.js" "panel.js" "service.js" "store.js"
        "style.css" "time.js" "vendor/crud.js" "week.js"
    };
    let page = page(include_str!("../web/index.html"));
    let page = files.into_iter().fold(page, |page, (path, text)| page.file(path, text));
    Routes::new()
        .route("/", get(async || Redirect::to("/app")).access(Access::Public))
        .files("/app", page)
        .files("/display/{key}", self::page(include_str!("../web/display.html")))
}

fn page(html: &'static str) -> StaticFiles {
    StaticFiles::new().content_security_policy(POLICY).index(HTML, html)
}
