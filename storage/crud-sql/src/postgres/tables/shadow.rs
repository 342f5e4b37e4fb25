//! Empty databases of the same server.

use sqlx::{AssertSqlSafe, Executor};

use crate::model::adapter_error::AdapterError;
use crate::postgres::PostgresAdapter;
use crate::postgres::server::connect;
use crate::shadow::{EmptyDatabase, name, refused, with_database};

impl PostgresAdapter {
    /// An empty database beside that of a URL.
    #[doc(hidden)]
    pub async fn shadow(url: &str) -> Result<EmptyDatabase, AdapterError> {
        let (name, url) = (name(), url.to_owned());
        run(&url, format!("CREATE DATABASE {name}")).await?;
        // The connections of a service close by themselves, after this.
        let remove = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        Ok(EmptyDatabase::new(with_database(&url, &name), move || Box::pin(async move { run(&url, remove).await })))
    }
}

/// Runs a statement outside of a transaction, on the primary.
async fn run(url: &str, statement: String) -> Result<(), AdapterError> {
    let pool = connect::connect(url).await?.pool;
    let ran = pool.execute(AssertSqlSafe(statement)).await;
    pool.close().await;
    ran.map(drop).map_err(|error| refused(&error))
}
