//! [`Loading`] on both engines.

use super::argument::Argument;
use super::dialect::{Engine, Sqlite};
use crate::driver::{Connection, DatabaseRow, Driver};
use crate::loading::Loading;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::statement::Statement;

/// Query for the table of sequences, which exists if the database has a key with AUTOINCREMENT.
const HAS_SEQUENCES: &str = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'";

impl<E: Engine> Loading for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    // The first read begins the snapshot.
    const SNAPSHOT: &'static str = "BEGIN DEFERRED";

    async fn last_key(connection: &mut Connection<Self>, resource: &'static Descriptor) -> Result<i64, AdapterError> {
        const LAST: &str = "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = ? COLLATE NOCASE";
        if number::<Self>(connection, HAS_SEQUENCES, Vec::new()).await? == 0 {
            return Ok(0);
        }
        number::<Self>(connection, LAST, vec![name(resource)]).await
    }

    async fn set_last_key(
        connection: &mut Connection<Self>,
        resource: &'static Descriptor,
        key: i64,
    ) -> Result<(), AdapterError> {
        const REMOVE: &str = "DELETE FROM sqlite_sequence WHERE name = ? COLLATE NOCASE";
        // The sequence has the table's name as the table spells it.
        const SET: &str = "INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_schema \
            WHERE type = 'table' AND name = ? COLLATE NOCASE";
        if number::<Self>(connection, HAS_SEQUENCES, Vec::new()).await? == 0 {
            return Ok(());
        }
        rows::<Self>(connection, REMOVE, vec![name(resource)]).await?;
        rows::<Self>(connection, SET, vec![Argument::Integer(key), name(resource)]).await.map(drop)
    }

    async fn prepare(
        connection: &mut Connection<Self>,
        deferred: &[&'static Descriptor],
    ) -> Result<Vec<String>, AdapterError> {
        if !deferred.is_empty() {
            // Until the commit, which checks the foreign keys.
            rows::<Self>(connection, "PRAGMA defer_foreign_keys = ON", Vec::new()).await?;
        }
        Ok(Vec::new())
    }
}

fn name(resource: &Descriptor) -> Argument {
    Argument::Text(resource.table.to_owned())
}

async fn rows<D: Driver>(
    connection: &mut Connection<D>,
    text: &'static str,
    arguments: Vec<D::Argument>,
) -> Result<Vec<DatabaseRow<D>>, AdapterError> {
    D::all(connection, Statement::fixed(text, arguments)).await.map_err(D::general)
}

async fn number<D: Driver>(
    connection: &mut Connection<D>,
    text: &'static str,
    arguments: Vec<D::Argument>,
) -> Result<i64, AdapterError> {
    let rows = rows::<D>(connection, text, arguments).await?;
    rows.first().map_or(Ok(0), |row| D::number_in(row, 0).map_err(D::general))
}
