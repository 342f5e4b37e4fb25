//! Cost of the parts of a request, without a socket or a log. Each case is a whole request to the service's router; the
//! parts are the differences:
//!
//! - query parsing: `list/conditions` less `list/plain`, both of an empty table in memory;
//! - body checking: `body/…`, a create that is refused after all of its fields are checked;
//! - rendering: `render/100` less `list/plain`, a hundred records in memory;
//! - memberships: `tenant/membership` less `tenant/claim`, the same read of a tenant's record;
//! - facts of tables: `facts/DATABASE/before` and `…/after` less `…/plain`, the same change of a table with a trigger, which does
//!   nothing: one before the change, and one after it, whose table is read again in the transaction of the change. On SQLite and
//!   MariaDB, it is read again for either;
//! - session variables: `session/variables` less `session/plain`, the same read in a transaction that sets one;
//! - SQL assembly, with SQLite's own work on an empty table: `sql/…` less the same list in memory.

use std::hint::black_box;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use criterion::Criterion;
use crud_runtime::SessionVariables;
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database};
use own_adapter::Memory;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// A product in the catalogue.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name, price, stock, category_id),
    sort(name, price, created_at),
    pagination(default_limit = 20, max_limit = 100)
)]
struct Product {
    id: i64,
    #[crud(length(min = 1, max = 200))]
    name: String,
    description: Option<String>,
    #[crud(range(min = 0))]
    price: f64,
    stock: i32,
    category_id: i64,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    #[crud(updated_at)]
    updated_at: DateTime<Utc>,
}

/// A record of a tenant.
#[derive(Debug, Clone, Resource)]
struct Task {
    id: i64,
    #[crud(tenant)]
    team_id: i64,
}

/// A membership.
#[derive(Debug, Clone, Resource)]
struct Member {
    id: i64,
    #[crud(tenant(members(user_id, role)))]
    team_id: i64,
    #[crud(unique)]
    user_id: i64,
    role: String,
}

const PLAIN: &str = "/products?limit=100";
const FILTERS: &str = "/products?category_id=7&price__gt=10.5&sort=-price&limit=20";
/// `where={"category_id":7,"or":[{"price__lt":20.5},{"stock__gt":800}]}`.
const CONDITIONS: &str = "/products?where=%7B%22category_id%22:7,%22or%22:%5B%7B%22price__lt%22:20.5%7D,\
                          %7B%22stock__gt%22:800%7D%5D%7D&sort=-price&limit=20";

/// Valid but for the price.
const BODY: &str = r#"{"name":"Oak Lamp 00001","description":"A lamp of oak","price":-1,"stock":7,"category_id":1}"#;

fn main() -> anyhow::Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let empty = runtime.block_on(memory(0))?;
    let full = runtime.block_on(memory(100))?;
    let sqlite = runtime.block_on(sqlite())?;
    for (name, router, target) in [
        ("list/plain", &empty, PLAIN),
        ("list/filters", &empty, FILTERS),
        ("list/conditions", &empty, CONDITIONS),
        ("render/1", &full, "/products/1"),
        ("render/100", &full, PLAIN),
        ("sql/plain", &sqlite, PLAIN),
        ("sql/filters", &sqlite, FILTERS),
        ("sql/conditions", &sqlite, CONDITIONS),
    ] {
        measure(&mut criterion, &runtime, name, router, &(Method::GET, target, ""), StatusCode::OK)?;
    }
    for (name, has_members) in [("tenant/claim", false), ("tenant/membership", true)] {
        let router = runtime.block_on(tenants(has_members))?;
        measure(&mut criterion, &runtime, name, &router, &(Method::GET, "/tasks/1", ""), StatusCode::OK)?;
    }
    let refused = StatusCode::UNPROCESSABLE_ENTITY;
    measure(&mut criterion, &runtime, "body/one", &empty, &(Method::POST, "/products", BODY), refused)?;
    let with_triggers = [Backend::Sqlite, Backend::Postgres, Backend::MySql];
    for backend in with_triggers.into_iter().filter(|one| Backend::available().contains(one)) {
        // MariaDB's triggers after a change do not change its table.
        let kinds: &[&str] =
            if backend == Backend::MySql { &["plain", "before"] } else { &["plain", "before", "after"] };
        for kind in kinds {
            let database = backend.fresh();
            let router = runtime.block_on(triggered(&database, kind))?;
            measure_changes(&mut criterion, &runtime, &format!("facts/{}/{kind}", backend.name()), &router)?;
        }
    }
    if Backend::available().contains(&Backend::Postgres) {
        for (name, has_variables) in [("session/plain", false), ("session/variables", true)] {
            let database = Backend::Postgres.fresh();
            let router = runtime.block_on(under_variables(&database, has_variables))?;
            measure(&mut criterion, &runtime, name, &router, &(Method::GET, "/products/1", ""), StatusCode::OK)?;
        }
    }
    criterion.final_summary();
    Ok(())
}

/// A method, a target and a body.
type Sent<'a> = (Method, &'a str, &'a str);

fn measure(
    criterion: &mut Criterion,
    runtime: &Runtime,
    name: &str,
    router: &Router,
    sent: &Sent<'_>,
    expected: StatusCode,
) -> anyhow::Result<()> {
    let (status, body) = runtime.block_on(answer(router, sent)).context("the router does not answer")?;
    anyhow::ensure!(status == expected, "{name}: {status} {body}");
    criterion.bench_function(name, |bencher| bencher.iter(|| black_box(runtime.block_on(answer(router, sent)))));
    Ok(())
}

/// Measures changes of the product, each to another value: a change to the value that is there writes nothing.
fn measure_changes(criterion: &mut Criterion, runtime: &Runtime, name: &str, router: &Router) -> anyhow::Result<()> {
    let mut stock = 1;
    let mut change = || {
        stock += 1;
        let body = format!(r#"{{"stock":{stock}}}"#);
        runtime.block_on(answer(router, &(Method::PATCH, "/products/1", body.as_str())))
    };
    let (status, body) = change().context("the router does not answer")?;
    anyhow::ensure!(status == StatusCode::OK, "{name}: {status} {body}");
    criterion.bench_function(name, |bencher| bencher.iter(|| black_box(change())));
    Ok(())
}

async fn answer(router: &Router, (method, target, body): &Sent<'_>) -> Option<(StatusCode, String)> {
    let request = Request::builder().method(method).uri(*target).header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from((*body).to_owned())).ok()?;
    let response = router.clone().oneshot(request).await.ok()?;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.ok()?;
    Some((status, String::from_utf8(body.into()).ok()?))
}

/// A service in memory with so many products.
async fn memory(records: i32) -> anyhow::Result<Router> {
    let service = Service::from_adapter(Memory::new()).resource::<Product>().migrate().await?;
    for number in 0..records {
        let name = format!("Oak Lamp {number:05}");
        let description = Some("A lamp of oak".to_owned());
        let new = NewProduct { name, description, price: 99.5, stock: number, category_id: 1 };
        service.app().store::<Product>().create(new).await?;
    }
    Ok(service.into_router()?)
}

/// A service in memory with a record of a tenant, of which its callers are; perhaps as memberships say.
async fn tenants(has_members: bool) -> anyhow::Result<Router> {
    let service = Service::from_adapter(Memory::new()).resource::<Task>();
    let service = if has_members { service.resource::<Member>() } else { service };
    let service = service
        .access(|access| access.authenticate_with(|_| async { Ok(Some(Principal::new("7").with_tenant(1))) }))
        .migrate()
        .await?;
    let app = service.app();
    app.store::<Task>().tenant(1).create(NewTask::new()).await?;
    if has_members {
        app.store::<Member>().tenant(1).create(NewMember::new(7, "owner")).await?;
    }
    Ok(service.into_router()?)
}

async fn sqlite() -> anyhow::Result<Router> {
    let service = Service::connect("sqlite::memory:").await?.resource::<Product>().migrate().await?;
    Ok(service.into_router()?)
}

/// A service on a database, without waiting for its disk.
async fn connected(database: &Database) -> anyhow::Result<Service> {
    if database.backend() != Backend::Sqlite {
        return Ok(database.service().await.resource::<Product>());
    }
    let options: SqliteConnectOptions = database.url().parse()?;
    let options = options.create_if_missing(true).foreign_keys(true).synchronous(SqliteSynchronous::Off);
    Ok(Service::from_pool(SqlitePool::connect_with(options).await?).resource::<Product>())
}

/// Creates the table on a database, with a product.
async fn with_product(database: &Database) -> anyhow::Result<()> {
    let service = connected(database).await?.migrate().await?;
    let (name, description) = ("Oak Lamp".to_owned(), None);
    service
        .app()
        .store::<Product>()
        .create(NewProduct { name, description, price: 99.5, stock: 1, category_id: 1 })
        .await?;
    Ok(())
}

/// A service with a product whose table has a trigger before each update, one after it, or none.
async fn triggered(database: &Database, kind: &str) -> anyhow::Result<Router> {
    with_product(database).await?;
    if kind != "plain" {
        let trigger = match database.backend() {
            Backend::Sqlite => format!("CREATE TRIGGER seen {kind} UPDATE ON products BEGIN SELECT 1; END"),
            Backend::MySql => format!("CREATE TRIGGER seen {kind} UPDATE ON products FOR EACH ROW SET @seen = 1"),
            _ => format!(
                "CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; \
                 CREATE TRIGGER seen {kind} UPDATE ON products FOR EACH ROW EXECUTE FUNCTION seen()"
            ),
        };
        database.execute(&trigger).await;
    }
    Ok(connected(database).await?.migrate().await?.into_router()?)
}

/// A service with a product, whose requests perhaps set a variable of their session.
async fn under_variables(database: &Database, has_variables: bool) -> anyhow::Result<Router> {
    with_product(database).await?;
    let service = connected(database).await?;
    let service = if has_variables {
        service.access(|access| access.session_variables(|_| SessionVariables::new().set("app.user", "ann")))
    } else {
        service
    };
    Ok(service.migrate().await?.into_router()?)
}
