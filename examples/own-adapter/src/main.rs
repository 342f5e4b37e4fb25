//! Serves notes from memory.

use std::env;

use crud_runtime::prelude::*;
use own_adapter::Memory;

/// A note, kept until the program stops.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, soft_delete, batch, audit)]
struct Note {
    id: i64,
    text: String,
    done: bool,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    Service::from_adapter(Memory::new()).title("Notes").resource::<Note>().migrate().await?.serve(&address).await
}
