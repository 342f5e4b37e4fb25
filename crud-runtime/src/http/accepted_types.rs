//! The media types of bodies, in the answer to `OPTIONS`.

use axum::http::{HeaderName, HeaderValue, Method};
use axum::response::Response;

use super::handler::body_reader::PATCHES;
use super::path_route::PathRoute;

/// The header of RFC 10008, section 3.
const ACCEPT_QUERY: HeaderName = HeaderName::from_static("accept-query");

/// The header of RFC 5789, section 3.1.
const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");

/// Adds the media types that the generated routes of a path take to the answer's headers.
pub(super) fn report(routes: &[PathRoute], response: &mut Response) {
    let takes = |method| routes.iter().any(|route| matches!(route, PathRoute::Generated(_, of) if of.method == method));
    let mut add = |name, types: &[&str]| {
        if let Ok(value) = HeaderValue::from_str(&[&["application/json"], types].concat().join(", ")) {
            response.headers_mut().insert(name, value);
        }
    };
    if takes(Method::QUERY) {
        add(ACCEPT_QUERY, &[]);
    }
    if takes(Method::PATCH) {
        add(ACCEPT_PATCH, PATCHES);
    }
}
