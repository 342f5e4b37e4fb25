//! The paths of the documentation pages.

use super::{FILES, START};
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::service::operation;
use crate::http::openapi::words::{Answer, OwnParameter, Place, Words};
use crate::model::problem::Code;

/// The paths.
pub(in crate::http::openapi) fn paths() -> [(&'static str, Words); 3] {
    [("/docs", page()), ("/docs/{asset}", asset()), ("/favicon.ico", favicon())]
}

fn favicon() -> Words {
    operation("getFavicon", "Get the icon of the pages", "An image.", file("The icon.", &["image/png"]))
}

fn page() -> Words {
    let answer = file("The page.", &["text/html"]);
    operation("getDocs", "Get this document as a page", "Swagger UI, with this document.", answer)
}

fn asset() -> Words {
    let answer = file("The file.", &["text/css", "text/javascript", "image/png"]);
    let names = Schema::choice(FILES.map(|(name, _)| name).into_iter().chain([START]));
    operation("getDocsAsset", "Get a file of the page", "A script, a style or an image.", answer)
        .parameters([OwnParameter::new(Place::Path, "asset", "The file's name.", names).into()])
        .problems(&[Code::RouteNotFound])
}

/// A response that is not JSON.
fn file(description: &str, media_types: &[&'static str]) -> Answer {
    let content = media_types.iter().map(|name| (*name, None)).collect();
    Answer { content, ..Answer::empty(description) }.headers(&["ETag"])
}
