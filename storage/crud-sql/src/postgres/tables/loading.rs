//! [`Loading`] on PostgreSQL.

use sqlx::Row;
use sqlx::postgres::PgConnection;

use crate::identifier::table_identifier;
use crate::loading::Loading;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::postgres::catalogue::{self, text};
use crate::postgres::dialect::Postgres;
use crate::postgres::error::general;
use crate::schema::ddl::text_literal;
use crate::statement::Text;

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

    async fn prepare(
        connection: &mut PgConnection,
        deferred: &[&'static Descriptor],
    ) -> Result<Vec<String>, AdapterError> {
        prepare(connection, deferred).await
    }
}

/// Makes the foreign keys of these tables deferred for the transaction.
async fn prepare(connection: &mut PgConnection, deferred: &[&'static Descriptor]) -> Result<Vec<String>, AdapterError> {
    const FOREIGN_KEYS: &str = "SELECT quote_ident(conname) FROM pg_constraint \
        WHERE conrelid = $1::text::regclass AND contype = 'f' AND NOT condeferrable";
    let mut finish = vec!["SET CONSTRAINTS ALL IMMEDIATE".to_owned()];
    for resource in deferred {
        let table = table_identifier::<Postgres>(resource.table);
        let names =
            catalogue::rows(connection, FOREIGN_KEYS, vec![text(table.clone())], |row| row.try_get::<String, _>(0));
        for name in names.await.map_err(general)? {
            let alter = format!("ALTER TABLE {table} ALTER CONSTRAINT {name}");
            let defer = format!("{alter} DEFERRABLE INITIALLY DEFERRED");
            catalogue::batch(connection, defer).await.map_err(general)?;
            finish.push(format!("{alter} NOT DEFERRABLE"));
        }
    }
    Ok(finish)
}

/// The sequence that a table's key is assigned from.
fn sequence(resource: &Descriptor) -> String {
    let table = text_literal(&table_identifier::<Postgres>(resource.table));
    format!("pg_get_serial_sequence({table}, {})::regclass", text_literal(resource.id_column().column))
}

async fn number(connection: &mut PgConnection, statement: String) -> Result<i64, AdapterError> {
    catalogue::one::<i64>(connection, Text::Assembled(statement), Vec::new()).await.map_err(general)
}
