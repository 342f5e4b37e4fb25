//! [`Loading`] on PostgreSQL.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::dialect::Postgres;
use super::error::general;
use crate::loading::Loading;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::ddl::{table_identifier, text_literal};

impl Loading for Postgres {
    const SNAPSHOT: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    async fn last_key(connection: &mut PgConnection, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        let sequence = sequence(resource);
        number(connection, format!("SELECT COALESCE(pg_sequence_last_value({sequence}), 0)")).await
    }

    async fn set_last_key(
        connection: &mut PgConnection,
        resource: &'static Descriptor,
        key: i64,
    ) -> Result<(), AdapterError> {
        let set = format!("SELECT COALESCE(setval({}, {key}), 0)", sequence(resource));
        if number(connection, set).await? == key {
            return Ok(());
        }
        let missing = format!("the key of table `{}` has no sequence that belongs to it", resource.table);
        Err(AdapterError::Other(missing.into()))
    }

    /// Makes the foreign keys of these tables deferrable, in the transaction.
    async fn prepare(
        connection: &mut PgConnection,
        deferred: &[&'static Descriptor],
    ) -> Result<Vec<String>, AdapterError> {
        const FOREIGN_KEYS: &str = "SELECT quote_ident(conname) FROM pg_constraint \
            WHERE conrelid = $1::regclass AND contype = 'f' AND NOT condeferrable";
        let mut finish = vec!["SET CONSTRAINTS ALL IMMEDIATE".to_owned()];
        for resource in deferred {
            let table = table_identifier::<Postgres>(resource.table);
            let rows = sqlx::query(FOREIGN_KEYS).bind(&table).fetch_all(&mut *connection).await.map_err(general)?;
            for row in rows {
                let name: String = row.try_get(0).map_err(general)?;
                let alter = format!("ALTER TABLE {table} ALTER CONSTRAINT {name}");
                let defer = AssertSqlSafe(format!("{alter} DEFERRABLE INITIALLY DEFERRED"));
                connection.execute(defer).await.map_err(general)?;
                finish.push(format!("{alter} NOT DEFERRABLE"));
            }
        }
        Ok(finish)
    }
}

/// The sequence that a table's key is assigned from.
fn sequence(resource: &Descriptor) -> String {
    let table = text_literal(&table_identifier::<Postgres>(resource.table));
    format!("pg_get_serial_sequence({table}, {})::regclass", text_literal(resource.id_column().column))
}

async fn number(connection: &mut PgConnection, text: String) -> Result<i64, AdapterError> {
    let row = sqlx::query(AssertSqlSafe(text)).fetch_one(connection).await.map_err(general)?;
    row.try_get(0).map_err(general)
}
