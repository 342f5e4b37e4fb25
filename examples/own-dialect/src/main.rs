//! Serves notes from PostgreSQL.

use std::env;

use crud_runtime::postgres_driver::PostgresOver;
use crud_runtime::prelude::*;
use own_dialect::TokioPostgres;

/// A note.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, search(text), soft_delete, batch, audit)]
struct Note {
    id: i64,
    text: String,
    done: bool,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = env::var("BIND").unwrap_or_else(|_| "127.0.0.1:8000".to_owned());
    let url = env::var("DATABASE_URL").unwrap_or_else(|_| "postgres://localhost/notes".to_owned());
    let storage = PostgresOver::new(TokioPostgres::new(&url)?, 10);
    Service::from_adapter(storage).title("Notes").resource::<Note>().migrate().await?.serve(&address).await?;
    Ok(())
}
