//! The routes of the service itself: `/`, `/health`, `/ready`, `/openapi.json` and `/docs`, at the paths that it gives them.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
#[cfg(feature = "docs")]
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use serde_json::{Map, json};

use super::handler::{authorize_role, response};
use super::head::Head;
use super::layer::request_id;
use super::openapi::DocsAccess;
use super::openapi::document_version::DocumentVersion;
use super::openapi::served_document::ServedDocument;
use super::operation::audit_log;
#[cfg(feature = "docs")]
use super::param::header::accept;
use super::request_policy::not_allowed;
use super::schema_watch::SchemaWatch;
use super::service_paths::ServicePaths;
use super::state::ServiceState;
use crate::model::adapter_error::FULL_DISK;
use crate::model::problem::{Code, Problem, chain};
use crate::store::tables::write_probe::ProbeFailure;

/// The data that the service's own routes serve.
#[derive(Clone)]
pub(crate) struct ServiceRoutes {
    pub(crate) state: ServiceState,
    pub(crate) paths: ServicePaths,
    pub(crate) title: Arc<str>,
    pub(crate) document: ServedDocument,
    pub(crate) docs_access: DocsAccess,
    /// The metrics, if they are at `/metrics`, and the role that may read them.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<(super::layer::metrics::Metrics, Arc<str>)>,
    #[cfg(feature = "docs")]
    pub(crate) docs: Arc<super::openapi::docs::Docs>,
}

/// Adds the routes to a router.
pub(crate) fn add(mut router: Router, routes: &ServiceRoutes) -> Router {
    let (home, ready) = (routes.clone(), routes.clone());
    let health = |request: Request| async move {
        read_only(&request, |_| response::json(StatusCode::OK, json!({"status": "ok"}).to_string()))
    };
    let home = |request: Request| async move { read_only(&request, |mount| root(&home, mount, request.headers())) };
    let ready = |request: Request| async move {
        let response = readiness(&ready.state).await;
        read_only(&request, |_| response)
    };
    let paths = &routes.paths;
    let own: [(Option<&str>, MethodRouter); 3] =
        [(paths.home, any(home)), (paths.health, any(health)), (paths.ready, any(ready))];
    for (path, route) in own {
        if let Some(path) = path {
            router = router.route_service(path, route);
        }
    }
    let state = routes.state.clone();
    if state.mounted().iter().any(|mounted| mounted.resource().audit.is_some()) {
        let log = any(move |request: Request| async move { audit_log::list(state, request).await });
        router = router.route_service("/audit-logs", log);
    }
    #[cfg(feature = "metrics")]
    if let Some((metrics, role)) = routes.metrics.clone() {
        let state = routes.state.clone();
        let route = any(move |request: Request| async move {
            let allowed = authorize_role(&state, (&request).into(), &role).await;
            read_only(&request, |_| match allowed {
                Ok(_) => metrics.response(request.headers()),
                Err(problem) => problem.into_response(),
            })
        });
        router = router.route_service("/metrics", route);
    }
    if routes.docs_access == DocsAccess::Off {
        return router;
    }
    let document = routes.clone();
    let document = any(move |request: Request| async move {
        let response = match refusal(&document, (&request).into()).await {
            Some(refusal) => refusal,
            None => match DocumentVersion::parse(request.uri().query()) {
                Ok(version) => {
                    document.document.response(version, Head::from(&request).mount(), request.headers()).await
                }
                Err(problem) => problem.into_response(),
            },
        };
        read_only(&request, |_| response)
    });
    router = router.route_service("/openapi.json", document);
    #[cfg(feature = "docs")]
    let router = docs::add(router, routes);
    router
}

/// The response to a request that may not read the documentation.
async fn refusal(routes: &ServiceRoutes, head: Head<'_>) -> Option<Response> {
    match &routes.docs_access {
        DocsAccess::Role(role) if [Method::GET, Method::HEAD].contains(head.method) => {
            authorize_role(&routes.state, head, role).await.err().map(Problem::into_response)
        }
        _ => None,
    }
}

/// Responds to `GET` and `HEAD`; `respond` gets the path that the router is mounted under.
fn read_only(request: &Request, respond: impl FnOnce(&str) -> Response) -> Response {
    match *request.method() {
        Method::GET => respond(Head::from(request).mount()),
        Method::HEAD => response::without_body(respond(Head::from(request).mount())),
        ref other => not_allowed(&[Method::GET], other),
    }
}

/// The paths of the service. Browsers get a page, where everyone may read the documentation.
#[cfg(feature = "docs")]
fn root(routes: &ServiceRoutes, mount: &str, headers: &HeaderMap) -> Response {
    if routes.docs_access != DocsAccess::Public {
        return paths(routes, mount);
    }
    let mut response = if accept::prefers_html(headers) {
        let mounted = routes.state.mounted().iter().filter(|mounted| mounted.resource().is_offered());
        let entries = mounted.map(|mounted| (mounted.options().prefix.as_str(), mounted.resource().doc.trim()));
        routes.docs.home(mount, &entries.collect::<Vec<_>>())
    } else {
        paths(routes, mount)
    };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    response
}

#[cfg(not(feature = "docs"))]
fn root(routes: &ServiceRoutes, mount: &str, _: &HeaderMap) -> Response {
    paths(routes, mount)
}

fn paths(routes: &ServiceRoutes, mount: &str) -> Response {
    let endpoints: Map<String, serde_json::Value> = routes
        .state
        .mounted()
        .iter()
        .filter(|mounted| mounted.resource().is_offered())
        .map(|mounted| &mounted.options().prefix)
        .map(|prefix| (prefix.trim_start_matches('/').to_owned(), format!("{mount}{prefix}").into()))
        .collect();
    let mut body = json!({ "message": format!("Welcome to {}", routes.title) });
    if cfg!(feature = "docs") && routes.docs_access != DocsAccess::Off {
        body["docs"] = format!("{mount}/docs").into();
    }
    body["endpoints"] = endpoints.into();
    response::json(StatusCode::OK, body.to_string())
}

async fn readiness(state: &ServiceState) -> Response {
    if state.parts().drain.has_begun() {
        return Problem::new(Code::Unavailable, "the service is stopping").into_response();
    }
    let limit = state.limits().request.min(std::time::Duration::from_secs(5));
    match tokio::time::timeout(limit, state.adapter().ping()).await {
        // Unready only where no resource fits: otherwise every server of this version would be taken out.
        Ok(Ok(())) if state.schema().is_some_and(SchemaWatch::fits_nothing) => {
            let detail = "the database no longer fits this version of the service";
            Problem::new(Code::Unavailable, detail).into_response()
        }
        Ok(Ok(())) => writable(state).await,
        Ok(Err(error)) => {
            tracing::warn!(request_id = request_id::current().as_deref(), error = chain(&error), "not ready");
            let detail = if error.is_of_disk() { FULL_DISK } else { "the database does not respond" };
            Problem::new(Code::Unavailable, detail).into_response()
        }
        Err(_) => Problem::new(Code::Unavailable, "the database does not respond in time").into_response(),
    }
}

/// The answer of a service that is ready. With records in shards, it names them; one serving shard is enough.
async fn ready(state: &ServiceState) -> Response {
    let shards = match state.schema() {
        Some(schema) => schema.shards().await,
        None => None,
    };
    let mut body = json!({"status": "ready"});
    if let Some(shards) = shards {
        if shards.serving.is_empty() {
            return Problem::new(Code::Unavailable, "no shard of the database responds").into_response();
        }
        body["shards"] = json!({"serving": shards.serving, "away": shards.away});
    }
    response::json(StatusCode::OK, body.to_string())
}

/// The readiness of a database that answers reads. Where the service is configured so, a write checks it.
async fn writable(state: &ServiceState) -> Response {
    let probed = match &state.parts().write_probe {
        Some(probe) => probe.run(state.app(), state.limits().request).await,
        None => Ok(()),
    };
    match probed {
        Ok(()) => ready(state).await,
        Err(ProbeFailure::Failed { error, is_of_disk }) => {
            let detail = if is_of_disk { FULL_DISK } else { "the database takes no change" };
            let request_id = request_id::current();
            tracing::warn!(request_id = request_id.as_deref(), %error, "not ready: the database takes no change");
            Problem::new(Code::Unavailable, detail).into_response()
        }
        Err(ProbeFailure::Hangs) => {
            tracing::warn!(request_id = request_id::current().as_deref(), "not ready: a change hangs in the database");
            Problem::new(Code::Unavailable, "the database takes no change in time").into_response()
        }
    }
}

#[cfg(feature = "docs")]
mod docs {
    use axum::Router;
    use axum::extract::rejection::PathRejection;
    use axum::extract::{Path, Request};
    use axum::response::{IntoResponse, Response};
    use axum::routing::any;

    use super::{Code, Problem, ServiceRoutes, read_only, refusal};

    /// Adds the documentation pages.
    pub(super) fn add(router: Router, routes: &ServiceRoutes) -> Router {
        let (page, assets, icon) = (routes.clone(), routes.clone(), routes.clone());
        let icon = any(move |request: Request| async move {
            let file = icon.docs.favicon(request.headers());
            answer(&icon, request, file).await
        });
        let page = any(move |request: Request| async move {
            let file = page.docs.page(request.headers());
            answer(&page, request, Some(file)).await
        });
        let assets = any(move |name: Result<Path<String>, PathRejection>, request: Request| async move {
            // No file has a name that is not UTF-8.
            let file = name.ok().and_then(|Path(name)| assets.docs.asset(&name, request.headers()));
            answer(&assets, request, file).await
        });
        router.route_service("/favicon.ico", icon).route_service("/docs", page).route_service("/docs/{asset}", assets)
    }

    /// Answers with a file, if there is one and the request may read it.
    async fn answer(routes: &ServiceRoutes, request: Request, file: Option<Response>) -> Response {
        let refusal = refusal(routes, (&request).into()).await;
        let missing = || Problem::of(Code::RouteNotFound).into_response();
        read_only(&request, |_| refusal.or(file).unwrap_or_else(missing))
    }
}
