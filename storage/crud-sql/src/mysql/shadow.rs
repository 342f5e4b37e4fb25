//! Empty databases of the same server.

use sqlx::{AssertSqlSafe, Executor};

use super::MySqlAdapter;
use super::connect;
use crate::model::adapter_error::AdapterError;
use crate::shadow::{EmptyDatabase, on_server, refused};

impl MySqlAdapter {
    /// An empty database on the server of a URL.
    #[doc(hidden)]
    pub async fn shadow(url: &str) -> Result<EmptyDatabase, AdapterError> {
        on_server(url, |url, statement| Box::pin(run(url, statement)), "").await
    }
}

async fn run(url: String, statement: String) -> Result<(), AdapterError> {
    let connect::Opened { pool, .. } = connect::connect(&url).await?;
    let ran = pool.execute(AssertSqlSafe(statement)).await;
    pool.close().await;
    ran.map(drop).map_err(|error| refused(&error))
}
