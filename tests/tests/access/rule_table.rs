//! The table of access: each route by each way to state a rule or to leave it out, compared with what the service answers,
//! its document and the page of the book.

use std::collections::BTreeSet;
use std::fmt::Write;

use crud_runtime::access::Access;
use crud_runtime::access::RouteAccess;
use crud_runtime::auth::Auth;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Route, get, post};
use crud_runtime::{BoxError, Job};
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Database, on_each_transactional_backend};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::closed::{Board, Placard, Poster};
use crate::page;
use crate::support::{SECRET, caller, secured};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Review,
    Done,
}

/// A resource with every route, whose rules are stated in one way.
macro_rules! works {
    ($($module:ident($($access:tt)*))+) => { $(
        mod $module {
            use super::Stage;
            use crud_runtime::prelude::*;

            #[derive(Debug, Clone, Resource)]
            #[crud(
                filter, soft_delete, batch, audit, export, import, aggregate(group_by(stage)), upsert(sku), upsert(id)
                $($access)*
            )]
            pub(super) struct Work {
                id: String,
                #[crud(unique)]
                sku: String,
                #[crud(default(Stage::Draft), transitions(
                    submit(Draft, Review),
                    finish(Review, Done, role("finish"))
                ))]
                stage: Stage,
                deleted_at: Option<DateTime<Utc>>,
            }
        }
    )+ };
}

works! {
    omitted()
    all(, access(all(role("all"))))
    groups(, access(all(role("all")), read(role("read")), write(role("write"))))
    deletes(, access(all(role("all")), read(role("read")), write(role("write")), delete(role("delete"))))
    own(, access(
        all(role("all")),
        read(role("read")),
        write(role("write")),
        list(role("list")),
        get(role("get")),
        create(role("create")),
        update(role("update")),
        delete(role("delete")),
        restore(role("restore")),
        purge(role("purge")),
        batch(role("batch")),
        history(role("history")),
        aggregate(role("aggregate")),
    ))
    public(, access(all(public)))
}

async fn ping(_: Context) -> crud_runtime::Result<Json<bool>> {
    Ok(Json(true))
}

#[derive(Serialize, Deserialize)]
struct Work;

impl Job for Work {
    const KIND: &str = "work";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Adds a resource, an action of a record and of the collection, a route, and a job.
fn with_routes<R: Resource>(service: Service, access: Option<fn(&'static str) -> Access>) -> Service {
    let below = |route: Route, role: &'static str| match access {
        Some(rule) => route.access(rule(role)),
        None => route,
    };
    let report = access.map_or(Access::Authenticated, |rule| rule("reports"));
    service
        .resource::<R>()
        .route("/works/{id}/stamp", below(post(ping), "stamp"))
        .route("/works/count", below(get(ping), "count"))
        .route("/reports", get(ping).access(report))
        .job::<Work>()
}

fn authentication() -> Auth {
    Auth::builder().secret(SECRET).logout().build().expect("the authentication")
}

/// A service that states nothing but that a role manages users, without which there are no such routes.
async fn omitting(database: &Database) -> Service {
    let service = with_routes::<omitted::Work>(database.service().await, None);
    service.auth(authentication()).access(|access| access.metrics_role("metrics").users_role("users"))
}

/// A service that states a rule for everything.
async fn stating(database: &Database) -> Service {
    let service = with_routes::<own::Work>(database.service().await, Some(Access::Role)).auth(authentication());
    service
        .access(|access| access.audit_role("audit").metrics_role("metrics").users_role("users"))
        .openapi(|document| document.docs_role("docs"))
}

fn routes(service: &Service) -> Vec<RouteAccess> {
    service.model().expect("the table").access_table().routes().to_vec()
}

/// The access of a route in a table; empty where it has no such route.
fn access<'a>(table: &'a [RouteAccess], route: &RouteAccess) -> &'a str {
    let of = |route: &RouteAccess| (route.method.clone(), route.path.clone(), route.body.clone());
    let same = table.iter().find(|other| of(other) == of(route));
    same.map_or("", |route| &route.access)
}

#[test]
fn books_table_states_the_rule_of_each_route_by_each_way_to_state_it() {
    on_each_backend(async |database| {
        let (omitted, own) = (routes(&omitting(database).await), routes(&stating(database).await));
        let by = async |add: fn(Service) -> Service| routes(&add(secured(database.service().await)));
        let service = by(|service| {
            service.access(|access| access.default_access(Access::Role("service"))).resource::<omitted::Work>()
        })
        .await;
        let all = by(Service::resource::<all::Work>).await;
        let groups = by(Service::resource::<groups::Work>).await;
        let deletes = by(Service::resource::<deletes::Work>).await;
        let head = ["nothing", "`default_access`", "`all`", "`read`, `write` too", "`delete` too", "its own too"];
        let mut table = format!("| | {} |\n|---|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for route in &own {
            let body = route.body.as_ref().map(|body| format!(" with {body}")).unwrap_or_default();
            write!(table, "| `{} {}`{body} |", route.method, route.path).expect("a row");
            for column in [&omitted, &service, &all, &groups, &deletes, &own] {
                let access = access(column, route);
                let cell = if access.is_empty() { String::new() } else { format!("`{access}`") };
                write!(table, " {cell} |").expect("a cell");
            }
            table.push('\n');
        }
        page::compare("rules", &table.replace("|  |", "| |").replace("|  |", "| |"));
    });
}

/// A request for a route of the table without a token.
async fn request(api: &Api, route: &RouteAccess, id: &Value) -> u16 {
    let path = route.path.replace("{id}", &id.to_string()).replace("{asset}", "index.css");
    let method: Method = route.method.parse().expect("a method");
    let request = api.request(method.clone(), path);
    if method == Method::GET { request.await.status() } else { request.json(&json!({})).await.status() }
}

#[test]
fn stranger_is_refused_by_each_route_that_is_not_open() {
    // The service has jobs.
    on_each_transactional_backend(async |database| {
        let open =
            with_routes::<public::Work>(database.service().await, Some(|_| Access::Public)).auth(authentication());
        // Operations that the rules leave out are offered by parameters alone.
        let unauthenticated = database.service().await.resource::<Board>().resource::<Poster>().resource::<Placard>();
        for service in [omitting(database).await, stating(database).await, open, unauthenticated] {
            let table = routes(&service);
            let api = Api::start(database, service.migrate().await.expect("the tables")).await;
            // Rules that depend on the body need a record, or an item of a batch.
            for route in table.iter().filter(|route| route.body.is_none()) {
                let status = request(&api, route, &json!(1)).await;
                assert_eq!(
                    status == 401,
                    !route.is_open,
                    "{} {}: {status}, {}",
                    route.method,
                    route.path,
                    route.access
                );
            }
            api.stop().await;
        }
    });
}

#[test]
fn document_states_the_rule_of_each_operation() {
    // The service has jobs.
    on_each_transactional_backend(async |database| {
        for service in [omitting(database).await, stating(database).await] {
            let table = routes(&service);
            let document = service.openapi_json().expect("the document");
            // Parts of the page of the documentation are no routes for clients.
            let undocumented = ["/metrics", "/docs/{asset}", "/favicon.ico"];
            // OpenAPI 3.1 has no `QUERY`.
            let is_stated = |route: &&RouteAccess| {
                !undocumented.contains(&route.path.as_str()) && route.body.is_none() && route.method != "QUERY"
            };
            let rows = table.iter().filter(is_stated);
            let rows = rows.map(|route| (route.path.clone(), route.method.to_lowercase(), route.access.clone()));
            // Parameters are named.
            let rows = rows.map(|(path, method, access)| {
                let name = path.split_once('=').map_or(path.as_str(), |(name, _)| name);
                (name.to_owned(), method, access)
            });
            let listed: BTreeSet<(String, String, String)> = rows.collect();
            let mut documented = BTreeSet::new();
            for (path, operations) in document["paths"].as_object().expect("the paths") {
                for (method, operation) in operations.as_object().expect("the operations") {
                    if operation.get("responses").is_some() {
                        let access = operation["x-access"].as_str().unwrap_or_default().to_owned();
                        documented.insert((path.clone(), method.clone(), access));
                        let parameters = operation["parameters"].as_array().into_iter().flatten();
                        for parameter in parameters {
                            if let (Some(name), Some(access)) =
                                (parameter["name"].as_str(), parameter["x-access"].as_str())
                            {
                                let name = format!("{path}?{name}");
                                documented.insert((name, method.clone(), access.to_owned()));
                            }
                        }
                    }
                }
            }
            assert_eq!(documented, listed);
        }
    });
}

#[test]
fn bodies_that_need_more_than_their_route_are_refused_without_it() {
    on_each_transactional_backend(async |database| {
        let service = secured(database.service().await.resource::<own::Work>()).migrate().await.expect("the table");
        let api = Api::start(database, service).await;
        let work = json!({ "id": "1", "sku": "a" });
        caller(&api, "1", &["create"], &[]).post("/works", &work).await.created();
        let with = |roles: &[&str]| caller(&api, "1", roles, &[]);
        with(&["update"]).post("/works/1/submit", &json!({})).await.ok();
        let (done, fields) = (json!({ "stage": "Done" }), json!({ "sku": "b" }));
        let items = json!({ "items": [{ "id": "1", "stage": "Done" }] });
        with(&["update"]).put("/works/1", &done).await.problem("permission_denied");
        with(&["update"]).patch("/works/1", &done).await.problem("permission_denied");
        let batch = with(&["update", "batch"]).put("/works/batch", &items).await;
        batch.problem("permission_denied");
        with(&["finish"]).post("/works/1/finish", &fields).await.problem("permission_denied");
        with(&["finish", "update"]).post("/works/1/finish", &fields).await.ok();
        api.stop().await;
    });
}

#[test]
fn table_that_is_printed_names_merged_routers_and_fields_of_bodies() {
    on_each_backend(async |database| {
        let printed = |service: &Service| service.model().expect("the table").access_table().to_string();
        let plain = stating(database).await;
        assert!(!printed(&plain).contains("merged"));
        let text = printed(&plain.merge(axum::Router::new().route("/x", axum::routing::get(async || "x"))));
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = text.lines().map(words).collect();
        for line in [
            "* (merged router 1) its own handlers merge",
            "PUT /works/{id} (stage: Done) all(role(\"update\"), role(\"finish\")) Work: update, finish",
            "POST /works/{id}/finish (other fields) all(role(\"update\"), role(\"finish\")) Work: update, finish",
        ] {
            assert!(lines.iter().any(|printed| printed == line), "{line} in {text}");
        }
    });
}

#[test]
fn table_of_an_open_service_says_that_no_rule_is_enforced() {
    on_each_backend(async |database| {
        let waived = routes(&with_routes::<own::Work>(database.service().await, Some(Access::Role)).without_auth());
        assert!(waived.iter().all(|route| route.is_open));
        let delete = waived.iter().find(|route| (&*route.method, &*route.path) == ("DELETE", "/works/{id}"));
        let delete = delete.map(|route| (&*route.access, &*route.stated_by));
        assert_eq!(delete, Some(("everyone", "without_auth")));
        let unstated = routes(&with_routes::<omitted::Work>(database.service().await, None));
        let list = unstated.iter().find(|route| (&*route.method, &*route.path) == ("GET", "/works")).expect("a list");
        assert_eq!((&*list.access, &*list.stated_by), ("everyone", "no authentication"));
    });
}
