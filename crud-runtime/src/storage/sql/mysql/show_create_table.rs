//! `SHOW CREATE TABLE`: the definition of a table as the server writes it.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

use crate::storage::sql::schema::search_index::quoted;

/// The definition of a table.
pub(super) async fn show_create_table(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<String> {
    let show = format!("SHOW CREATE TABLE {}", quoted(crud_shared::dialect::MYSQL, table));
    sqlx::query(AssertSqlSafe(show)).fetch_one(connection).await?.try_get_unchecked(1)
}
