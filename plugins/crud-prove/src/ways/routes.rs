//! Requests without a token to every route: those that are not public must refuse them.

use crud_runtime::access::RouteAccess;
use crud_runtime::axum::http::Method;
use crud_runtime::testing::Test;

use super::tool;
use super::write::events;
use crate::client::{Client, Sent};
use crate::report::{Difference, Findings};
use crate::rules::Caller;

/// Sends a request without a token to every route.
pub(crate) async fn routes(test: &Test, nobody: &Caller, findings: &Findings) {
    let client = Client::of(test, nobody);
    let table = test.model().access_table();
    let is_whole = |route: &&RouteAccess| route.body.is_none() && !route.path.contains('?');
    for route in table.routes().iter().filter(is_whole) {
        if route.operation.is_none() && route.stated_by == "the route" && !is_asked(test, route) {
            let (method, path) = (&route.method, &route.path);
            findings.unreached(format!(
                "{method} {path}: a route of the program or of a plugin is asked without a token alone"
            ));
        }
        let Ok(method) = Method::from_bytes(route.method.as_bytes()) else { continue };
        if route.is_open || method == Method::OPTIONS {
            continue;
        }
        findings.request();
        let reply = client.send(Sent::new(method, filled(&route.path))).await;
        if reply.status != 401 {
            let sentence = format!("nobody gets {}, expected 401, for {} {}", reply.said(), route.method, route.path);
            findings.difference(Difference { way: "route", sentence, curl: reply.sent.curl(nobody) });
        }
    }
}

/// Whether another way tests this route of a plugin, with every caller.
fn is_asked(test: &Test, route: &RouteAccess) -> bool {
    let mut of_resource = test.model().resources().filter_map(|it| route.path.strip_prefix(it.prefix()));
    let is_read = route.path == events::OF_MANY && route.method == "GET";
    is_read || route.path == tool::PATH || of_resource.any(|rest| rest.ends_with("/events"))
}

/// A path with `1` for each parameter.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
    parts.collect::<Vec<_>>().join("/")
}
