//! `GET /admin/schema`: the service, as far as the caller may see it. The page shows nothing else.

mod field;
mod file;
mod relation;
mod resource;

use crud_runtime::access::{AccessTable, NameKind};
use crud_runtime::axum::Json;
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::routing::Context;
use serde::Serialize;
use serde_json::Value;

use self::resource::SeenResource;
use crate::link::Link;

/// The parts of the page that the program adds.
#[derive(Debug, Clone)]
pub(crate) struct ProgramParts {
    pub(crate) links: Vec<Link>,
    pub(crate) modules: Vec<String>,
}

/// A service, as far as a caller may see it.
#[derive(Serialize)]
struct SeenService<'a> {
    title: &'a str,
    description: &'a str,
    version: &'a str,
    user: Option<User<'a>>,
    /// Whether the service has authentication.
    secured: bool,
    resources: Vec<SeenResource<'a>>,
    /// Paths of the service's own routes that the caller may use.
    paths: Paths,
    /// The roles and permissions in rules, for a caller who manages users.
    names: Option<Names>,
    links: &'a [Link],
    modules: &'a [String],
}

/// The sender of the request.
#[derive(Serialize)]
struct User<'a> {
    subject: &'a str,
    roles: &'a [String],
    permissions: &'a [String],
    tenant: Option<&'a Value>,
}

/// The roles and permissions that the service's access rules name.
#[derive(Serialize)]
struct Names {
    roles: Vec<String>,
    permissions: Vec<String>,
}

impl Names {
    fn of(table: &AccessTable) -> Self {
        let of_kind = |kind: NameKind| -> Vec<String> {
            let names = table.names().iter().filter(|name| name.kind == kind);
            names.map(|name| name.name.clone()).collect()
        };
        Self { roles: of_kind(NameKind::Role), permissions: of_kind(NameKind::Permission) }
    }
}

/// Paths of the service's built-in routes; `None` if a route is missing, or the caller may not use it.
#[derive(Serialize)]
struct Paths {
    users: Option<String>,
    /// The path of API keys, from a plugin.
    keys: Option<String>,
    jobs: Option<String>,
    /// The path for retrying a job. Callers who may use it may cancel jobs too.
    retry: Option<String>,
    log: Option<String>,
    docs: Option<String>,
    password: Option<String>,
    tenant: Option<String>,
    profile: Option<String>,
    /// The path of streams with events of several resources, from a plugin.
    events: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The answer to a caller.
pub(crate) fn of_caller(ctx: &Context, page: &ProgramParts) -> Response {
    let (model, caller) = (ctx.model(), ctx.principal());
    let table = model.access_table_of(caller);
    let reached = |method: &str, default: &str| {
        let path = model.path(default)?;
        let mut routes = table.routes().iter();
        let is_reached =
            routes.any(|route| route.method == method && route.path == path && route.is_reached == Some(true));
        is_reached.then(|| path.into_owned())
    };
    let user = caller.map(|caller| User {
        subject: caller.subject(),
        roles: caller.roles(),
        permissions: caller.permissions(),
        tenant: caller.tenant(),
    });
    let seen = model.resources().filter_map(|resource| SeenResource::of(model, resource, &table, caller));
    let users = reached("GET", "/auth/users");
    let service = SeenService {
        title: model.title(),
        description: model.description(),
        version: model.version(),
        user,
        secured: model.has_principals(),
        resources: seen.collect(),
        names: users.is_some().then(|| Names::of(&table)),
        paths: Paths {
            users,
            keys: reached("GET", "/auth/keys"),
            jobs: reached("GET", "/_service/jobs"),
            retry: reached("POST", "/_service/jobs/{id}/retry"),
            log: reached("GET", "/audit-logs"),
            docs: reached("GET", "/docs"),
            password: reached("POST", "/auth/password"),
            tenant: reached("POST", "/auth/tenant"),
            profile: reached("GET", "/profile"),
            events: reached("POST", "/events"),
        },
        links: &page.links,
        modules: &page.modules,
    };
    Json(service).into_response()
}
