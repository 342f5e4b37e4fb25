//! The table of access: each route by each way to state a rule or to leave it out, compared with what the service answers,
//! its document and the page of the book.

use std::collections::BTreeSet;
use std::fmt::Write;

use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Json};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::{App, RouteAccess};
use crud_tests::http::on_each_backend;
use crud_tests::{Api, Database, on_each_transactional_backend};
use reqwest::Method;
use serde_json::{Value, json};

use crate::page;
use crate::support::{SECRET, secured};

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
                filter, soft_delete, batch, audit, export, import, upsert(sku), upsert(id)
                $($access)*
            )]
            pub(super) struct Work {
                id: String,
                #[crud(unique)]
                sku: String,
                #[crud(default = Stage::Draft, transitions(
                    submit: Draft -> Review,
                    finish: Review -> Done : role("finish"),
                ))]
                stage: Stage,
                deleted_at: Option<DateTime<Utc>>,
            }
        }
    )+ };
}

works! {
    omitted()
    all(, access(all = role("all")))
    groups(, access(all = role("all"), read = role("read"), write = role("write")))
    deletes(, access(all = role("all"), read = role("read"), write = role("write"), delete = role("delete")))
    own(, access(
        all = role("all"),
        read = role("read"),
        write = role("write"),
        list = role("list"),
        get = role("get"),
        create = role("create"),
        update = role("update"),
        delete = role("delete"),
        restore = role("restore"),
        purge = role("purge"),
        batch = role("batch"),
        history = role("history"),
    ))
    public(, access(all = public))
}

async fn ping(_: Ctx) -> crud_runtime::Result<Json<bool>> {
    Ok(Json(true))
}

async fn work((): (), _: App) -> crud_runtime::Result<()> {
    Ok(())
}

/// Adds a resource, an action of a record and of the collection, a route, and a job.
fn with_routes<R: Resource>(service: Service, access: Option<fn(&'static str) -> Access>) -> Service {
    let action = |action: Action, role: &'static str| match access {
        Some(rule) => action.access(rule(role)),
        None => action,
    };
    service
        .resource::<R>()
        .action::<R>(action(Action::post("stamp").item(), "stamp").handler(ping))
        .action::<R>(action(Action::get("count"), "count").handler(ping))
        .route(action(Action::get("/reports"), "reports").handler(ping))
        .job("work", work)
}

fn authentication() -> Auth {
    Auth::builder().secret(SECRET).logout().build().expect("the authentication")
}

/// A service that states nothing but that a role manages users, without which there are no such routes.
async fn omitting(database: &Database) -> Service {
    let service = with_routes::<omitted::Work>(database.service().await, None);
    service.auth(authentication()).metrics_role("metrics").users_role("users")
}

/// A service that states a rule for everything.
async fn stating(database: &Database) -> Service {
    let service = with_routes::<own::Work>(database.service().await, Some(Access::Role)).auth(authentication());
    service.audit_role("audit").metrics_role("metrics").users_role("users").docs_role("docs")
}

fn routes(service: &Service) -> Vec<RouteAccess> {
    service.access_table().expect("the table").routes().to_vec()
}

/// The access of a route in a table; empty where it has no such route.
fn access<'a>(table: &'a [RouteAccess], route: &RouteAccess) -> &'a str {
    let same = table.iter().find(|other| (&other.method, &other.path) == (&route.method, &route.path));
    same.map_or("", |route| &route.access)
}

#[test]
fn books_table_states_the_rule_of_each_route_by_each_way_to_state_it() {
    on_each_backend(async |database| {
        let (omitted, own) = (routes(&omitting(database).await), routes(&stating(database).await));
        let by = async |add: fn(Service) -> Service| routes(&add(secured(database.service().await)));
        let all = by(Service::resource::<all::Work>).await;
        let groups = by(Service::resource::<groups::Work>).await;
        let deletes = by(Service::resource::<deletes::Work>).await;
        let head = ["nothing", "`all`", "`read`, `write` too", "`delete` too", "its own too"];
        let mut table = format!("| | {} |\n|---|{}\n", head.join(" | "), "---|".repeat(head.len()));
        for route in &own {
            write!(table, "| `{} {}` |", route.method, route.path).expect("a row");
            for column in [&omitted, &all, &groups, &deletes, &own] {
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
        for service in [omitting(database).await, stating(database).await, open] {
            let table = routes(&service);
            let api = Api::start(database, service.migrate().await.expect("the tables")).await;
            for route in &table {
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
            let document: Value = serde_json::to_value(service.openapi().expect("the document")).expect("JSON");
            let is_stated = |route: &&RouteAccess| route.path != "/metrics" && !route.path.contains('?');
            let listed: BTreeSet<(String, String, String)> = table
                .iter()
                .filter(is_stated)
                .map(|route| (route.path.clone(), route.method.to_lowercase(), route.access.clone()))
                .collect();
            let mut documented = BTreeSet::new();
            for (path, operations) in document["paths"].as_object().expect("the paths") {
                for (method, operation) in operations.as_object().expect("the operations") {
                    if operation.get("responses").is_some() {
                        let access = operation["x-access"].as_str().unwrap_or_default().to_owned();
                        documented.insert((path.clone(), method.clone(), access));
                    }
                }
            }
            assert_eq!(documented, listed);
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
