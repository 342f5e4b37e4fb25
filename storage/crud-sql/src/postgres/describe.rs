//! Descriptions of the tables of a schema.

use crud_shared::catalogue::Catalogue;
use sqlx::Row;
use sqlx::postgres::PgConnection;

use super::dialect::Postgres;
use super::error::general;
use super::{PostgresAdapter, PostgresConnections};
use crate::catalogue::export::export;
use crate::connections::Connections as _;
use crate::model::adapter_error::AdapterError;

impl PostgresAdapter {
    /// Describes the tables and views of a schema, or only those with these names. By default, the schema is the first
    /// one on the search path. What the connection's user may not read is left out.
    ///
    /// # Errors
    /// When the database cannot be reached, or lacks the schema.
    #[doc(hidden)]
    pub async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue, AdapterError> {
        let adapter = Self::connect(url).await?;
        let mut lease = adapter.connections.reader().await?;
        let Some(own) = own_schema(&mut lease, schema).await.map_err(general)? else {
            let reason = schema.map_or_else(
                || "no schema on the search path exists or may be used: name one by `--schema`".to_owned(),
                |schema| format!("there is no schema `{schema}` that the user may use"),
            );
            return Err(AdapterError::Other(reason.into()));
        };
        let described = export::<Postgres>(&mut lease, Some(&own.name), tables).await?;
        PostgresConnections::release(lease);
        let schema = (!own.is_current).then_some(own.name);
        Ok(Catalogue { database: "postgres".to_owned(), schema, ..described })
    }
}

struct Schema {
    name: String,
    /// Whether unqualified names belong to this schema.
    is_current: bool,
}

async fn own_schema(connection: &mut PgConnection, schema: Option<&str>) -> sqlx::Result<Option<Schema>> {
    const SCHEMA: &str = "SELECT nspname::text, nspname IS NOT DISTINCT FROM current_schema() FROM pg_namespace \
        WHERE nspname = COALESCE($1, current_schema()) AND has_schema_privilege(oid, 'USAGE')";
    let found = sqlx::query(SCHEMA).bind(schema).fetch_optional(connection).await?;
    found.map(|row| Ok(Schema { name: row.try_get(0)?, is_current: row.try_get(1)? })).transpose()
}
