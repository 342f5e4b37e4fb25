//! A connection whose statements are prepared once and pipelined.

use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat, Utc};
use tokio::sync::RwLock;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use crate::best::record::Record;
use crate::twin::error::ApiError;

pub(super) struct Session {
    client: Client,
    statements: RwLock<HashMap<String, Statement>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    pub(super) async fn open(url: &str) -> anyhow::Result<Self> {
        // The URL names the socket beside the host, which would be tried first.
        let (client, connection) = tokio_postgres::connect(&url.replace("@localhost/", "@/"), NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::error!(%error, "the connection ended");
            }
        });
        Ok(Self { client, statements: RwLock::default() })
    }

    /// The rows of a statement. Concurrent calls are sent without waiting for each other's answers.
    pub(super) async fn rows(&self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, ApiError> {
        let known = self.statements.read().await.get(sql).cloned();
        let statement = match known {
            Some(statement) => statement,
            None => {
                let statement = self.client.prepare(sql).await?;
                self.statements.write().await.insert(sql.to_owned(), statement.clone());
                statement
            }
        };
        Ok(self.client.query(&statement, parameters).await?)
    }
}

/// An instant as JSON has it.
pub(super) fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Renders a row of [`COLUMNS`](crate::best::record::COLUMNS).
pub(super) fn write(row: &Row, out: &mut Vec<u8>) -> Result<(), ApiError> {
    let (created_at, updated_at): (DateTime<Utc>, DateTime<Utc>) = (row.try_get(6)?, row.try_get(7)?);
    let created = text(created_at);
    let updated = if updated_at == created_at { created.clone() } else { text(updated_at) };
    Record {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        description: row.try_get(2)?,
        price: row.try_get(3)?,
        stock: row.try_get::<_, i32>(4)?.into(),
        category_id: row.try_get(5)?,
        created_at: &created,
        updated_at: &updated,
    }
    .write(out)
}
