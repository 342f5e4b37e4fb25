//! A library without authentication whose books agents read and change: `BIND=127.0.0.1:8000 cargo run --example library`.

use std::env;

use crud_mcp::Mcp;
use crud_runtime::prelude::*;

/// A book of the library.
#[derive(Debug, Clone, Resource)]
#[crud(filter(title, is_lent), sort(title), search(title), pagination, soft_delete)]
struct Book {
    id: i64,
    #[crud(length(min = 1, max = 200))]
    title: String,
    #[crud(default = false)]
    is_lent: bool,
    deleted_at: Option<DateTime<Utc>>,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let service = Service::connect("sqlite::memory:").await?.without_auth().plugin(Mcp::new().writes())?;
    let service = service.resource::<Book>().migrate().await?;
    service.serve(env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned())).await
}
