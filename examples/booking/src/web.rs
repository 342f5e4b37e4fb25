//! The page for people, and that of the screen at a door.

use crud_runtime::axum::response::Redirect;
use crud_runtime::routing::StaticFiles;
use crud_runtime::routing::prelude::*;
use crud_runtime::static_files;

const HTML: &str = "text/html; charset=utf-8";

pub(crate) fn routes() -> Routes {
    let page = static_files!("../web/":
        "actions.js", "app.js", "display.js", "dom.js", "drag.js", "form.js", "icon.svg", "more.js", "panel.js",
        "service.js", "store.js", "style.css", "time.js", "vendor/crud.js", "week.js",
    );
    let page = page.index(HTML, include_str!("../web/index.html"));
    let display = StaticFiles::new().index(HTML, include_str!("../web/display.html"));
    Routes::new()
        .route("/", get(async || Redirect::to("/app")).access(Access::Public))
        .files("/app", page.content_security_policy(StaticFiles::PAGE_POLICY))
        .files("/display/{key}", display.content_security_policy(StaticFiles::PAGE_POLICY))
}
