//! A record as JSON, whose hidden fields would leave.

use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Route, get};
use serde::Serialize;

#[derive(Debug, Clone, Serialize, Resource)]
#[crud(to_schema)]
struct User {
    id: i64,
    #[crud(hidden, default = String::new())]
    password_hash: String,
}

async fn leak() -> Json<User> {
    unreachable!()
}

fn uses() -> Route {
    get(leak)
}
