//! The paths of the documentation pages.

use serde_json::{Value, json};

use super::{FILES, START};
use crate::http::openapi::response;
use crate::http::openapi::service::operation;
use crate::model::problem::Code;

/// The paths.
pub(in crate::http::openapi) fn paths() -> [(&'static str, Value); 2] {
    [("/docs", page()), ("/docs/{asset}", asset())]
}

fn page() -> Value {
    let answer = file_response("The page.", &["text/html"]);
    operation("getDocs", "Get this document as a page", "Swagger UI, with this document.", answer, &[])
}

fn asset() -> Value {
    let answer = file_response("The file.", &["text/css", "text/javascript", "image/png"]);
    let mut operation = operation(
        "getDocsAsset",
        "Get a file of the page",
        "A script, a style or an image.",
        answer,
        &[Code::RouteNotFound],
    );
    operation["parameters"] = json!([{
        "name": "asset",
        "in": "path",
        "required": true,
        "description": "The file's name.",
        "schema": { "type": "string", "enum": FILES.map(|(name, _)| name).into_iter().chain([START]).collect::<Vec<_>>() },
    }]);
    operation
}

/// A response that is not JSON.
fn file_response(description: &str, media_types: &[&str]) -> Value {
    let mut response = response::empty(description, &["ETag"]);
    response["content"] = media_types.iter().map(|&name| (name.to_owned(), json!({}))).collect();
    response
}
