//! Empty databases of the same server.

use sqlx::{AssertSqlSafe, Executor};

use super::MySqlAdapter;
use super::connect;
use crate::model::adapter_error::AdapterError;
use crate::shadow::{EmptyDatabase, name, refused, with_database};

impl MySqlAdapter {
    /// An empty database beside that of a URL.
    #[doc(hidden)]
    pub async fn shadow(url: &str) -> Result<EmptyDatabase, AdapterError> {
        let (name, url) = (name(), url.to_owned());
        run(&url, format!("CREATE DATABASE {name}")).await?;
        let remove = format!("DROP DATABASE IF EXISTS {name}");
        Ok(EmptyDatabase::new(with_database(&url, &name), move || Box::pin(async move { run(&url, remove).await })))
    }
}

async fn run(url: &str, statement: String) -> Result<(), AdapterError> {
    let (pool, _) = connect::connect(url).await?;
    let ran = pool.execute(AssertSqlSafe(statement)).await;
    pool.close().await;
    ran.map(drop).map_err(|error| refused(&error))
}
