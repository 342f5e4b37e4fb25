//! The tables of a SQLite database: what does not fit, and what is missing.

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Executor, Row};

use super::dialect::Sqlite;
use super::error::general;
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::driver::Driver;
use crate::storage::sql::schema::plan::plan;
use crate::storage::sql::statement::Text;

/// See [`Driver::create`].
pub(super) async fn create(
    connection: &mut SqliteConnection,
    resources: &[&'static Descriptor],
) -> Result<(), MigrateError> {
    let mut transaction = connection.begin_with(Sqlite::BEGIN).await.map_err(general)?;
    // Another process may have created it since.
    for statement in plan::<Sqlite>(&mut transaction, resources, Vec::new()).await? {
        transaction.execute(Text::Assembled(statement)).await.map_err(general)?;
    }
    transaction.commit().await.map_err(general)?;
    Ok(())
}

/// What does not fit: foreign keys that are off, and the encoding.
pub(super) async fn unfit(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let mut lines = Vec::new();
    let checked: i64 = sqlx::query("PRAGMA foreign_keys").fetch_one(&mut *connection).await?.try_get(0)?;
    if checked != 1 {
        lines.push("connection: `foreign_keys` is off, must be on in every connection of the pool".to_owned());
    }
    let encoding: String = sqlx::query("PRAGMA encoding").fetch_one(connection).await?.try_get(0)?;
    if encoding != "UTF-8" {
        lines.push(format!("database: its encoding is {encoding}, must be UTF-8"));
    }
    Ok(lines)
}
