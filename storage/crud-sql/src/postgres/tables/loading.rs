//! [`Loading`] on PostgreSQL.

use crate::driver::Connection;
use crate::loading::Loading;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::postgres::catalogue::{self, PgDriver, text};
use crate::postgres::dialect::Over;
use crate::postgres::error::general;
use crate::schema::ddl::{table_identifier, text_literal};
use crate::statement::Text;

impl<W: 'static> Loading for Over<W>
where
    Self: PgDriver,
{
    const SNAPSHOT: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    async fn last_key(connection: &mut Connection<Self>, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        let sequence = sequence::<Self>(resource);
        number::<Self>(connection, format!("SELECT COALESCE(pg_sequence_last_value({sequence}), 0)")).await
    }

    async fn set_last_key(
        connection: &mut Connection<Self>,
        resource: &'static Descriptor,
        key: i64,
    ) -> Result<(), AdapterError> {
        let set = format!("SELECT COALESCE(setval({}, {key}), 0)", sequence::<Self>(resource));
        if number::<Self>(connection, set).await? == key {
            return Ok(());
        }
        let missing = format!("the key of table `{}` has no sequence that belongs to it", resource.table);
        Err(AdapterError::Other(missing.into()))
    }

    async fn prepare(
        connection: &mut Connection<Self>,
        deferred: &[&'static Descriptor],
    ) -> Result<Vec<String>, AdapterError> {
        prepare::<Self>(connection, deferred).await
    }
}

/// Makes the foreign keys of these tables deferrable, in the transaction.
async fn prepare<D: PgDriver>(
    connection: &mut Connection<D>,
    deferred: &[&'static Descriptor],
) -> Result<Vec<String>, AdapterError> {
    const FOREIGN_KEYS: &str = "SELECT quote_ident(conname) FROM pg_constraint \
        WHERE conrelid = $1::text::regclass AND contype = 'f' AND NOT condeferrable";
    let mut finish = vec!["SET CONSTRAINTS ALL IMMEDIATE".to_owned()];
    for resource in deferred {
        let table = table_identifier::<D>(resource.table);
        let names = catalogue::rows::<D, String>(connection, FOREIGN_KEYS, vec![text(table.clone())], |row| row.get(0));
        for name in names.await.map_err(general)? {
            let alter = format!("ALTER TABLE {table} ALTER CONSTRAINT {name}");
            let defer = format!("{alter} DEFERRABLE INITIALLY DEFERRED");
            D::batch(connection, defer).await.map_err(general)?;
            finish.push(format!("{alter} NOT DEFERRABLE"));
        }
    }
    Ok(finish)
}

/// The sequence that a table's key is assigned from.
fn sequence<D: PgDriver>(resource: &Descriptor) -> String {
    let table = text_literal(&table_identifier::<D>(resource.table));
    format!("pg_get_serial_sequence({table}, {})::regclass", text_literal(resource.id_column().column))
}

async fn number<D: PgDriver>(connection: &mut Connection<D>, statement: String) -> Result<i64, AdapterError> {
    catalogue::one::<D, i64>(connection, Text::Assembled(statement), Vec::new()).await.map_err(general)
}
