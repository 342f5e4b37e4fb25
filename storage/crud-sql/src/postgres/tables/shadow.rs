//! Empty databases of the same server.

use sqlx::{AssertSqlSafe, Executor};

use crate::model::adapter_error::AdapterError;
use crate::postgres::PostgresAdapter;
use crate::postgres::server::connect;
use crate::shadow::{EmptyDatabase, on_server, refused};

impl PostgresAdapter {
    /// An empty database on the server of a URL.
    #[doc(hidden)]
    pub async fn shadow(url: &str) -> Result<EmptyDatabase, AdapterError> {
        // Forced: the service's connections close by themselves, but only after this.
        on_server(url, |url, statement| Box::pin(run(url, statement)), " WITH (FORCE)").await
    }
}

/// Runs a statement outside of a transaction, on the primary.
async fn run(url: String, statement: String) -> Result<(), AdapterError> {
    let pool = connect::connect(&url).await?.pool;
    let ran = pool.execute(AssertSqlSafe(statement)).await;
    pool.close().await;
    ran.map(drop).map_err(|error| refused(&error))
}
