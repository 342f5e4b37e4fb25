//! The smallest service: one struct without query attributes, so its list is a plain array.

use std::env;

use crud_runtime::prelude::*;

/// An item with a name and a price.
#[derive(Debug, Clone, Resource)]
struct Item {
    id: i64,
    name: String,
    description: Option<String>,
    price: f64,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let database = env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://item.db".to_owned());
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    Service::connect(&database).await?.title("Item API").resource::<Item>().migrate().await?.serve(&address).await
}
