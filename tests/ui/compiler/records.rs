//! Records as JSON, whose hidden fields would leave: a route answers with `Record`, `Page` or a list of records.

use crud_runtime::Page;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Route, get, handler};
use serde::Serialize;

#[derive(Debug, Clone, Serialize, Resource)]
#[crud(derive(ToSchema))]
struct User {
    id: i64,
    #[crud(hidden, default(String::new()))]
    password_hash: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(derive(ToSchema, Serialize))]
struct Guest {
    id: i64,
    #[crud(visible(role("staff")))]
    room: Option<i32>,
}

async fn leak() -> Json<User> {
    unreachable!()
}

async fn page() -> Result<Json<Page<User>>, Problem> {
    unreachable!()
}

async fn guest() -> Json<Guest> {
    unreachable!()
}

fn uses() -> Route {
    get(leak)
}

fn pages() -> Route {
    get(page)
}

fn replaces(service: Service) -> Service {
    service.resource::<Guest>().replace::<Guest>(Operation::Get, handler(guest))
}
