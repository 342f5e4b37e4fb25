//! The records that own routes, hooks and jobs read and write, with an issue of a shop and callers that see some of them.
//!
//! | Topic | Module |
//! |---|---|
//! | Stores of routes | `routes` |
//! | Stores of hooks and jobs | `hooks` |
//! | Bodies, records and pages of routes | `bodies` |
//! | Access of routes without a rule | `access` |
//! | Records by the name of their resource | `by_name` |
//!
//! Cases of routes run through the typed store and through the handle by a resource's name (`by_name`).

mod access;
mod bodies;
mod by_name;
mod hooks;
mod routes;

use std::collections::BTreeMap;

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::query::Aggregation;
use crud_runtime::routing::{Context, Created, ListParameters, Record, Route, get, post, put};
use crud_runtime::testing::Test;
use crud_runtime::{Page, Result};
use crud_tests::on_each_backend;

/// An issue of a shop: guests reach those with their claim, other callers that are not staff their own.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort,
    pagination,
    soft_delete,
    derive(ToSchema),
    access(all(authenticated), restore(role("admin"))),
    scope(role("guest"), guest_id(claim("guest")))
)]
struct Issue {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    guest_id: i64,
    #[crud(owner(except(any(role("staff"), role("guest"))), assign(role("staff"))))]
    author: String,
    title: String,
    #[crud(visible(role("staff")), default = 0)]
    cost: i32,
    deleted_at: Option<DateTime<Utc>>,
}

async fn cards(ctx: Context) -> Result<Json<Vec<i64>>> {
    let issues = ctx.store::<Issue>().list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

async fn all_cards(ctx: Context) -> Result<Json<Vec<i64>>> {
    let issues = ctx.unscoped_store::<Issue>().list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

/// Ways by which the caller's stores find an issue, deleted or not.
async fn roads(ctx: Context) -> Result<Json<BTreeMap<&'static str, bool>>> {
    let id: i64 = ctx.query("id").and_then(|id| id.parse().ok()).unwrap_or_default();
    let all = || Issue::FIELDS.id.eq(id).include_deleted();
    let store = ctx.store::<Issue>();
    Ok(Json(BTreeMap::from([
        ("find", store.find(id).await?.is_some()),
        ("find_deleted", store.find_deleted(id).await?.is_some()),
        ("is_soft_deleted", store.is_soft_deleted(id).await.is_ok()),
        ("list", !store.list(all()).await?.is_empty()),
        ("count", store.count(all()).await? > 0),
        ("count_up_to", store.count_up_to(all(), 5).await? > 0),
        ("page", store.page(all()).await?.total > 0),
        ("first", store.first(all()).await?.is_some()),
        ("get_where", store.get_where(all()).await.is_ok()),
        ("pluck", !store.pluck(Issue::FIELDS.title, all()).await?.is_empty()),
        ("aggregate", !store.aggregate(all(), Aggregation::new().group_by(Issue::FIELDS.title)).await?.is_empty()),
        ("tenant", store.tenant(1).count(all()).await? > 0),
        ("across_tenants", store.across_tenants().count(all()).await? > 0),
        ("handle", ctx.app().store::<Issue>().tenant(1).count(all()).await? > 0),
    ])))
}

async fn rename(ctx: Context) -> Result<Record<Issue>> {
    let id = ctx.id::<Issue>().unwrap_or_default();
    Ok(Record(ctx.store().update(id, IssuePatch::default().title("renamed")).await?))
}

async fn remove(ctx: Context) -> Result<()> {
    ctx.store::<Issue>().delete(ctx.id::<Issue>().unwrap_or_default()).await.map(drop)
}

async fn give(ctx: Context) -> Result<Record<Issue>> {
    let id = ctx.id::<Issue>().unwrap_or_default();
    Ok(Record(ctx.store().update(id, IssuePatch::default().author("another")).await?))
}

/// Opens an issue of a guest, in an author's name.
async fn open(ctx: Context) -> Result<Created<Issue>> {
    let guest: i64 = ctx.query("guest").and_then(|guest| guest.parse().ok()).unwrap_or_default();
    let sender = ctx.principal().map(|sender| sender.subject().to_owned()).unwrap_or_default();
    let author = ctx.query("author").unwrap_or(sender);
    Ok(Created(ctx.store().create(NewIssue::new(guest, author, "opened")).await?))
}

/// A list of the program's: its own condition is on a field that not every caller sees.
async fn cheap(ctx: Context, parameters: ListParameters<Issue>) -> Result<Page<Issue>> {
    ctx.store::<Issue>().page(parameters.select().filter(Issue::FIELDS.cost.lt(10))).await
}

async fn titled(ctx: Context, parameters: ListParameters<Issue>) -> Result<Vec<Issue>> {
    ctx.store::<Issue>().list(parameters.select()).await
}

/// The ways by which handlers reach records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Road {
    /// `ctx.store::<Issue>()`
    Typed,
    /// `ctx.records("issues")`
    ByName,
}

impl Road {
    const BOTH: [Self; 2] = [Self::Typed, Self::ByName];

    /// The route of this road.
    fn of(self, typed: Route, by_name: Route) -> Route {
        match self {
            Self::Typed => typed,
            Self::ByName => by_name,
        }
    }
}

fn with_routes(service: Service, road: Road) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop");
    service
        .auth(auth.build().expect("a long secret"))
        .resource::<Issue>()
        .route("/issues/cards", road.of(get(cards), get(by_name::cards)))
        .route("/issues/all-cards", get(all_cards))
        .route("/issues/roads", road.of(get(roads), get(by_name::roads)))
        .route("/issues/{id}/rename", road.of(put(rename), put(by_name::rename)))
        .route("/issues/{id}/give", road.of(put(give), put(by_name::give)))
        .route("/issues/{id}/remove", road.of(post(remove), post(by_name::remove)))
        .route("/issues/open", road.of(post(open), post(by_name::open)))
        .route("/issues/cheap", get(cheap))
        .route("/issues/titled", road.of(get(titled), get(by_name::titled)))
}

fn principal(subject: &str, roles: &[&str], shop: i64) -> Principal {
    Principal::new(subject).with_roles(roles.iter().copied()).with_tenant(shop).with_claim("shop", shop)
}

fn guest() -> Principal {
    principal("5", &["guest"], 1).with_claim("guest", 5)
}

/// Runs a test by both roads, of four issues: the first three of the guests 5, 6, 5 and the authors ann, bob, ann, the third in another
/// shop; the fourth is deleted, of the guest 5 and the author ann.
fn on_issues(test: impl AsyncFn(&Test) + Copy) {
    on_each_backend(async |database| {
        for road in Road::BOTH {
            let database = database.backend().fresh();
            test(&with_issues(with_routes(database.service().await, road)).await).await;
        }
    });
}

async fn with_issues(service: Service) -> Test {
    let service = service.test().await.expect("the tables");
    let issues = service.store::<Issue>();
    for (shop, guest, author, cost) in [(1, 5, "ann", 1), (1, 6, "bob", 20), (2, 5, "ann", 1), (1, 5, "ann", 1)] {
        let new = NewIssue::new(guest, author, format!("of {author}")).cost(cost);
        issues.tenant(shop).create(new).await.expect("an issue");
    }
    issues.tenant(1).delete(4).await.expect("the fourth");
    service
}

async fn ids(test: &Test, path: &str) -> Vec<i64> {
    let listed = test.get(path).await.expect(200).json();
    let records = listed.get("data").unwrap_or(&listed).as_array().expect("records").clone();
    records.iter().map(|record| record.get("id").unwrap_or(record).as_i64().expect("a key")).collect()
}
