//! The routes of events.

use std::sync::Arc;

use bytes::Bytes;
use crud_runtime::access::Access;
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::response::Response;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::routing::{Context, Route, Routes, plain};
use crud_runtime::{Model, ViewConditions};
use serde_json::{Map, Value};

use super::request::{EventsRequest, Parameters, alone, with_name};
use super::subscription::NamedView;
use super::{document, ticket};
use crate::core::Core;

/// The lowest average rate at which a client must read, in bytes a second.
const RATE: u32 = 1 << 10;

/// Largest body of a request.
const BODY: usize = 64 << 10;

/// Limit of subscriptions of one stream.
const SUBSCRIPTIONS: usize = 50;

/// Resources with events, by the last part of their paths and by their paths.
type Resources = Arc<Vec<(String, &'static Descriptor)>>;

/// Adds the routes of all resources with events.
pub(crate) fn all(core: &Core, model: &Model, resources: &[&'static Descriptor], path: &str) -> Routes {
    let mut routes = Routes::new();
    let mut named = Vec::new();
    for resource in resources {
        let Some(served) = model.resource(resource) else { continue };
        let prefix = served.prefix();
        named.push((prefix.trim_start_matches('/').to_owned(), *resource));
        routes = of_resource(routes, core, resource, prefix);
    }
    of_service(routes, core, &Arc::new(named), path)
}

fn of_resource(routes: Routes, core: &Core, resource: &'static Descriptor, prefix: &str) -> Routes {
    let (list, one, search) = (core.clone(), core.clone(), core.clone());
    let list = plain::get(move |ctx, head| by_query(list.clone(), resource, ctx, head));
    let one = plain::get(move |ctx, head| of_one(one.clone(), resource, ctx, head));
    let search = plain::post(move |ctx, head, body| by_body(search.clone(), resource, ctx, head, body));
    routes
        .route(format!("{prefix}/events"), document::list(stream(list), resource))
        .route(format!("{prefix}/events"), document::search(stream(search).body_limit(BODY), resource))
        .route(format!("{prefix}/{{id}}/events"), document::one(stream(one), resource))
}

fn of_service(routes: Routes, core: &Core, resources: &Resources, path: &str) -> Routes {
    let (all, several) = (core.clone(), core.clone());
    let (of_all, of_several) = (resources.clone(), resources.clone());
    let all = plain::get(move |ctx, head| of_resources(all.clone(), of_all.clone(), ctx, head));
    let several = plain::post(move |ctx, head, body| of_views(several.clone(), of_several.clone(), ctx, head, body));
    let tickets = core.clone();
    let tickets = plain::post(move |ctx, head| ticket::make(tickets.clone(), ctx, head));
    let tickets = tickets.access(Access::Public).no_store();
    routes
        .route(format!("{path}/ticket"), document::ticket(tickets))
        .route(path, document::all(stream(all)))
        .route(path, document::several(stream(several).body_limit(BODY)))
}

/// A route of streams. It is public: the handler checks the sender's access to events.
fn stream(route: Route) -> Route {
    route.access(Access::Public).identifies_sender().streams(RATE).no_store()
}

async fn by_query(core: Core, of: &'static Descriptor, ctx: Context, head: Parts) -> Result<Response, Problem> {
    let (parameters, conditions) = split(head.uri.query().unwrap_or_default());
    let request = EventsRequest::new(core, ctx, head).await?;
    let view = request.view(of, ViewConditions::Query(&conditions))?;
    request.answer(alone(view), parameters).await
}

async fn of_one(core: Core, of: &'static Descriptor, ctx: Context, head: Parts) -> Result<Response, Problem> {
    let (parameters, conditions) = split(head.uri.query().unwrap_or_default());
    let request = EventsRequest::new(core, ctx, head).await?;
    let view = request.view(of, ViewConditions::Query(&conditions))?.only(&request.ctx.key()?)?;
    request.answer(alone(view), parameters).await
}

async fn by_body(
    core: Core,
    of: &'static Descriptor,
    ctx: Context,
    head: Parts,
    body: Bytes,
) -> Result<Response, Problem> {
    let request = EventsRequest::new(core, ctx, head).await?;
    let mut body = object(&body)?;
    let parameters = parameters(&mut body)?;
    let conditions = serde_json::to_vec(&body).map_err(Problem::internal)?;
    let view = request.view(of, ViewConditions::Body(&conditions))?;
    request.answer(alone(view), parameters).await
}

/// `GET /events?resources=products,orders`
async fn of_resources(core: Core, all: Resources, ctx: Context, head: Parts) -> Result<Response, Problem> {
    let (parameters, conditions) = split(head.uri.query().unwrap_or_default());
    let names = ctx.query("resources").unwrap_or_default();
    let others = conditions.split('&').filter_map(|pair| pair.split('=').next());
    let unknown = others.filter(|name| !matches!(*name, "" | "resources")).map(str::to_owned).next();
    let request = EventsRequest::new(core, ctx, head).await?;
    if let Some(name) = unknown {
        return Err(refused(&name, "is no parameter of several resources: filters are for the events of one"));
    }
    let mut views = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        let resource = find(&all, name).ok_or_else(|| refused("resources", &no_events(&all, name)))?;
        views.extend(alone(request.view(resource, ViewConditions::None)?));
    }
    check_number(views.len(), "resources")?;
    request.answer(views, parameters).await
}

/// `POST /events`, of several views.
async fn of_views(core: Core, all: Resources, ctx: Context, head: Parts, body: Bytes) -> Result<Response, Problem> {
    let request = EventsRequest::new(core, ctx, head).await?;
    let mut body = object(&body)?;
    let parameters = parameters(&mut body)?;
    let Some(Value::Array(subscriptions)) = body.remove("subscriptions") else {
        return Err(refused("subscriptions", "must be an array of objects with `name` and `resource`"));
    };
    if let Some(name) = body.keys().next() {
        return Err(refused(name, "is not a member; members are `after`, `wait` and `subscriptions`"));
    }
    check_number(subscriptions.len().min(SUBSCRIPTIONS), "subscriptions")?;
    let (mut views, mut problems) = (Vec::new(), Vec::new());
    for (index, subscription) in subscriptions.into_iter().enumerate() {
        // A client whose tabs share a stream learns which of its views are too many: the others go on.
        let view = if index < SUBSCRIPTIONS { of_subscription(&request, &all, subscription) } else { Err(too_many()) };
        match view {
            Ok(view) => views.push(view),
            Err(problem) => problems.push((format!("/subscriptions/{index}"), problem)),
        }
    }
    if !problems.is_empty() {
        return Err(Problem::from_pointers(problems));
    }
    request.answer(views, parameters).await
}

/// The view of one of several subscriptions.
fn of_subscription(request: &EventsRequest, all: &Resources, subscription: Value) -> Result<NamedView, Problem> {
    let member = |name: &str, detail: &str| Problem::validation([FieldError::field(name, "value", detail)]);
    let Value::Object(mut of) = subscription else {
        return Err(Problem::validation([FieldError::pointer("", "value", "must be an object")]));
    };
    let name = text(&mut of, "name")?.ok_or_else(|| member("name", "is missing"))?;
    let resource = text(&mut of, "resource")?.ok_or_else(|| member("resource", "is missing"))?;
    let resource = find(all, &resource).ok_or_else(|| member("resource", &no_events(all, &resource)))?;
    let conditions = serde_json::to_vec(&of).map_err(Problem::internal)?;
    Ok(with_name(&name, request.view(resource, ViewConditions::Body(&conditions))?))
}

fn check_number(views: usize, parameter: &str) -> Result<(), Problem> {
    if (1..=SUBSCRIPTIONS).contains(&views) {
        return Ok(());
    }
    Err(refused(parameter, &format!("must name 1 to {SUBSCRIPTIONS}")))
}

fn too_many() -> Problem {
    let detail = format!("is one too many: a stream has at most {SUBSCRIPTIONS} subscriptions");
    Problem::validation([FieldError::pointer("", "too_many", detail)])
}

fn find(all: &Resources, name: &str) -> Option<&'static Descriptor> {
    let name = name.trim_start_matches('/');
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default() == name;
    let of_path = all.iter().find(|(path, _)| path == name);
    of_path.or_else(|| all.iter().find(|(path, _)| last(path))).map(|(_, resource)| *resource)
}

fn no_events(all: &Resources, name: &str) -> String {
    let known: Vec<&str> = all.iter().map(|(path, _)| path.as_str()).collect();
    format!("`{name}` has no events; those that have are `{}`", known.join("`, `"))
}

fn refused(parameter: &str, detail: &str) -> Problem {
    Problem::validation([FieldError::parameter(parameter, "value", detail)])
}

/// The members of a body.
fn object(body: &Bytes) -> Result<Map<String, Value>, Problem> {
    let malformed = |error: serde_json::Error| Problem::new(Code::MalformedJson, error.to_string());
    if body.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(body).map_err(malformed)
}

/// Removes the parameters of events from a body, and returns them.
fn parameters(body: &mut Map<String, Value>) -> Result<Parameters, Problem> {
    Ok(Parameters { after: text(body, "after")?, wait: text(body, "wait")? })
}

fn text(body: &mut Map<String, Value>, name: &str) -> Result<Option<String>, Problem> {
    match body.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(refused(name, "must be a text")),
    }
}

/// Splits a query string into the parameters of events and the rest, which are conditions on records.
fn split(query: &str) -> (Parameters, String) {
    let (mut parameters, mut conditions) = (Parameters::default(), Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("after", value)) => parameters.after = Some(value.to_owned()),
            Some(("wait", value)) => parameters.wait = Some(value.to_owned()),
            Some(("ticket", _)) => {}
            _ => conditions.push(pair),
        }
    }
    (parameters, conditions.join("&"))
}
