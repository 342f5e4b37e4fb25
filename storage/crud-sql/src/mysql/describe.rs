//! Descriptions of the tables of a database.

use crud_shared::catalogue::Catalogue;
use sqlx::Row;

use super::dialect::MySql;
use super::error::general;
use super::{MySqlAdapter, MySqlConnections};
use crate::catalogue::export::export;
use crate::connections::Connections as _;
use crate::model::adapter_error::AdapterError;

impl MySqlAdapter {
    /// Describes the tables and views of a database, or only those with these names. `schema` is the database, by
    /// default that of the URL. The server shows only tables that the user may use.
    ///
    /// # Errors
    /// When the server cannot be reached or lacks the database.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        let adapter = Self::connect(url).await?;
        let mut lease = adapter.connections.reader().await?;
        let row = sqlx::query("SELECT DATABASE()").fetch_one(&mut *lease).await.map_err(general)?;
        let own: Option<String> = row.try_get_unchecked(0).map_err(general)?;
        let Some(name) = schema.map(str::to_owned).or_else(|| own.clone()) else {
            return Err(AdapterError::Other("the URL names no database: name one by `--schema`".into()));
        };
        let described = export::<MySql>(&mut lease, Some(&name), tables).await?;
        MySqlConnections::release(lease);
        let schema = (own.as_deref() != Some(&*name)).then_some(name);
        Ok(Catalogue { database: "mysql".to_owned(), schema, ..described })
    }
}
