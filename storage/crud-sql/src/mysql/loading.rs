//! [`Loading`] on MySQL and MariaDB.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::catalogue::statement::definition;
use super::dialect::MySql;
use super::error::general;
use crate::identifier::table_identifier;
use crate::loading::Loading;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

impl Loading for MySql {
    const SNAPSHOT: &'static str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; \
        START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";

    async fn last_key(connection: &mut MySqlConnection, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        let definition = definition(connection, resource.table).await.map_err(general)?;
        Ok(next_key(&definition).map_or(0, |next| next - 1))
    }

    async fn set_last_key(
        connection: &mut MySqlConnection,
        resource: &'static Descriptor,
        key: i64,
    ) -> Result<(), AdapterError> {
        let (table, next) = (table_identifier::<MySql>(resource.table), key.saturating_add(1));
        let alter = AssertSqlSafe(format!("ALTER TABLE {table} AUTO_INCREMENT = {next}"));
        connection.execute(alter).await.map(drop).map_err(general)
    }

    async fn prepare(
        connection: &mut MySqlConnection,
        deferred: &[&'static Descriptor],
    ) -> Result<Vec<String>, AdapterError> {
        // Without this mode, MySQL replaces a key of 0 by a new key.
        const KEEP_ZERO: &str = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')";
        connection.execute(KEEP_ZERO).await.map_err(general)?;
        let mut finish = vec!["SET SESSION sql_mode = REPLACE(@@sql_mode, 'NO_AUTO_VALUE_ON_ZERO', '')".to_owned()];
        if !deferred.is_empty() {
            connection.execute("SET SESSION foreign_key_checks = 0").await.map_err(general)?;
            finish.push("SET SESSION foreign_key_checks = 1".to_owned());
        }
        Ok(finish)
    }
}

/// The next key of a table, from its definition's options: `) ENGINE=InnoDB AUTO_INCREMENT=8 DEFAULT …`.
fn next_key(definition: &str) -> Option<i64> {
    let (_, options) = definition.rsplit_once("\n)")?;
    let next = options.split_whitespace().find_map(|option| option.strip_prefix("AUTO_INCREMENT="))?;
    next.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::next_key;

    #[test]
    fn the_next_key_is_read_from_the_options_of_a_table() {
        let table = |options| format!("CREATE TABLE `a` (\n  `AUTO_INCREMENT=9` bigint\n) ENGINE=InnoDB{options}");
        assert_eq!(next_key(&table(" AUTO_INCREMENT=8 DEFAULT CHARSET=utf8mb4")), Some(8));
        assert_eq!(next_key(&table(" DEFAULT CHARSET=utf8mb4")), None);
    }
}
