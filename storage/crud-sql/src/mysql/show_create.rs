//! `SHOW CREATE TABLE`: the definition of a table as the server spells it.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

use super::dialect::MySql;
use crate::schema::ddl::table_identifier;

/// The definition of a table.
pub(super) async fn definition(connection: &mut MySqlConnection, table: &str) -> sqlx::Result<String> {
    let show = format!("SHOW CREATE TABLE {}", table_identifier::<MySql>(table));
    sqlx::query(AssertSqlSafe(show)).fetch_one(connection).await?.try_get_unchecked(1)
}
