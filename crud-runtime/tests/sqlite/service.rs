//! Reports of a service that does not serve: its plan and its document.

use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use serde_json::Value;

#[derive(Resource)]
#[crud(pagination(default_limit = 20, max_limit = 100))]
struct Shelf {
    id: i64,
    #[crud(index)]
    mark: String,
}

#[derive(Resource)]
struct Book {
    id: i64,
}

async fn service() -> Service {
    Service::connect("sqlite::memory:").await.expect("a service")
}

#[tokio::test]
async fn plan_lists_the_statements_of_a_migration() -> Result<()> {
    let service = service().await.resource::<Shelf>();
    let plan = service.plan().await?;
    assert!(plan[0].starts_with("CREATE TABLE `shelves`"), "{plan:?}");
    assert!(plan[1].starts_with("CREATE INDEX `ix_shelves__mark`"), "{plan:?}");
    assert_eq!(plan.len(), 2);
    assert_eq!(service.plan().await?, plan, "the plan was executed");
    assert!(service.migrate().await?.plan().await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn plan_reports_mismatches() {
    let pool = crud_runtime::sqlx::sqlite::SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect("sqlite::memory:").await.expect("a pool");
    sqlx::query("CREATE TABLE shelves (id INTEGER PRIMARY KEY, mark REAL)").execute(&pool).await.expect("a table");
    let error = Service::from_pool(pool).resource::<Shelf>().plan().await.expect_err("a contradiction");
    assert!(matches!(error, Error::Migrate(_)) && error.to_string().contains("column `mark`"), "{error}");
}

/// The default and the maximum `limit` of a path's list in the document; null without pagination.
fn limits(service: &Service, path: &str) -> (Value, Value) {
    let document = service.openapi_json().expect("a document");
    let parameters = document["paths"][path]["get"]["parameters"].as_array().cloned().unwrap_or_default();
    let shared = parameters.iter().filter_map(|parameter| document.pointer(&parameter["$ref"].as_str()?[1..]));
    let limit = shared.into_iter().find(|parameter| parameter["name"] == "limit").cloned().unwrap_or_default();
    (limit["schema"]["default"].clone(), limit["schema"]["maximum"].clone())
}

#[tokio::test]
async fn services_limits_apply_to_its_resources() {
    let plain = service().await.resource::<Shelf>();
    assert_eq!(limits(&plain, "/shelves"), (20.into(), 100.into()));
    let limited =
        service().await.limits(|limits| limits.default_limit(5).max_limit(10)).resource::<Shelf>().resource::<Book>();
    assert_eq!(limits(&limited, "/shelves"), (5.into(), 10.into()));
    assert_eq!(limits(&limited, "/books"), (Value::Null, Value::Null), "a list without pagination has no limits");
    let lowered = service().await.limits(|limits| limits.max_limit(10)).resource::<Shelf>();
    assert_eq!(limits(&lowered, "/shelves"), (10.into(), 10.into()));
    let chosen =
        service().await.limits(|limits| limits.max_limit(10)).resource_with::<Shelf>(|options| options.max_limit(50));
    assert_eq!(limits(&chosen, "/shelves"), (10.into(), 50.into()), "the resource's limit overrides the service's");
}

#[tokio::test]
async fn contradictory_limits_are_an_error() {
    let error = service()
        .await
        .limits(|limits| limits.default_limit(200))
        .resource::<Shelf>()
        .openapi_json()
        .expect_err("more than the largest");
    assert!(error.to_string().contains("they are 200 and 100"), "{error}");
}
