//! The rights of the connection's user.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::identifier::table_identifier;
use crate::model::descriptor::Descriptor;
use crate::mysql::dialect::MySql;
use crate::mysql::error::is_denied;
use crate::storage::rights::Rights;

/// The user, as statements name it, and whether the server takes no changes.
const USER: &str = "SELECT CURRENT_USER(), @@global.read_only";

/// The rights that the user lacks. The catalogue does not show a table to a user without any right on it: each is read.
pub(super) async fn rights(
    connection: &mut MySqlConnection,
    resources: &[&'static Descriptor],
) -> sqlx::Result<Rights> {
    let row = connection.fetch_one(USER).await?;
    let (user, is_read_only): (String, bool) = (row.try_get_unchecked(0)?, row.try_get_unchecked(1)?);
    let mut rights = Rights::of(user);
    let (name, host) = rights.user.rsplit_once('@').unwrap_or((&rights.user, "%"));
    let user = format!("'{}'@'{}'", name.replace('\'', "''"), host.replace('\'', "''"));
    let tables: Vec<String> = resources.iter().map(|resource| table_identifier::<MySql>(resource.table)).collect();
    // One statement where nothing lacks, whatever the number of tables.
    if reads(connection, &tables).await.is_err() {
        for table in &tables {
            if reads(connection, std::slice::from_ref(table)).await.is_err_and(|error| is_denied(&error)) {
                rights.grants.push(format!("GRANT SELECT ON {table} TO {user}"));
            }
        }
    }
    rights.read_only = is_read_only.then(|| "the server is read-only (`read_only` is on)".to_owned());
    Ok(rights)
}

/// Reads no row of each of these tables: `SELECT 1 FROM a WHERE 1 = 0 UNION ALL SELECT 1 FROM b WHERE 1 = 0`.
async fn reads(connection: &mut MySqlConnection, tables: &[String]) -> sqlx::Result<()> {
    let selects: Vec<String> = tables.iter().map(|table| format!("SELECT 1 FROM {table} WHERE 1 = 0")).collect();
    if !selects.is_empty() {
        connection.execute(AssertSqlSafe(selects.join(" UNION ALL "))).await?;
    }
    Ok(())
}
