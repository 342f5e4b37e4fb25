//! Creating what is missing, and refusing what contradicts the resources.

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Executor, Row};

use super::dialect::Sqlite;
use super::error::general;
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::driver::Driver;
use crate::storage::sql::schema::plan::plan;
use crate::storage::sql::statement::Text;

/// See [`Adapter::plan`](crate::storage::adapter::Adapter::plan).
pub(super) async fn planned(
    connection: &mut SqliteConnection,
    resources: &[&'static Descriptor],
) -> Result<Vec<String>, MigrateError> {
    let unfit = unfit(connection).await.map_err(general)?;
    plan::<Sqlite>(connection, resources, unfit).await
}

/// See [`Adapter::migrate`](crate::storage::adapter::Adapter::migrate).
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    resources: &[&'static Descriptor],
) -> Result<(), MigrateError> {
    // Where nothing is missing, nothing is locked: a file that can only be read will do.
    if planned(connection, resources).await?.is_empty() {
        return Ok(());
    }
    let mut transaction = connection.begin_with(Sqlite::BEGIN).await.map_err(general)?;
    // Another process may have created it since.
    for statement in plan::<Sqlite>(&mut transaction, resources, Vec::new()).await? {
        transaction.execute(Text::Assembled(statement)).await.map_err(general)?;
    }
    transaction.commit().await.map_err(general)?;
    Ok(())
}

/// What does not fit: foreign keys that are off, and the encoding.
async fn unfit(connection: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
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
