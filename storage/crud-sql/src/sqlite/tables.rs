//! Creates the tables of a SQLite database, and finds what does not fit.

use super::argument::Argument;
use super::catalogue::rows::cells;
use super::dialect::{Engine, Sqlite};
use super::samples::misspelt;
use crate::dialect::Dialect;
use crate::driver::{Driver, Execution as _};
use crate::model::descriptor::Descriptor;
use crate::schema::driver::SchemaDriver;
use crate::schema::plan::plan;
use crate::schema::view;
use crate::scope::Scope;
use crate::statement::{Statement, Text};
use crate::storage::migrate_error::MigrateError;

impl<E: Engine> SchemaDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    async fn create(connection: &mut Self::Connection, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let mut transaction =
            Scope::<Self>::begin(connection, <Self as Dialect>::BEGIN).await.map_err(Self::general)?;
        // Another process may have created a part since.
        for statement in plan::<Self>(&mut transaction, resources, Vec::new()).await?.statements {
            let text = Text::Assembled(statement.clone());
            let created = Self::all(&mut transaction, Statement { text, arguments: Vec::new(), then: None }).await;
            created.map_err(|error| view::failure::<Sqlite>(&statement, resources, Self::general(error)))?;
        }
        view::check_created::<Self>(&mut transaction, resources).await?;
        transaction.commit().await.map_err(Self::general)?;
        Ok(())
    }

    /// Unsupported conditions: disabled foreign keys, the encoding, and values that are spelt differently than their
    /// fields say.
    async fn unfit(
        connection: &mut Self::Connection,
        resources: &[&'static Descriptor],
    ) -> Result<Vec<String>, Self::Error> {
        let mut lines = Vec::new();
        let checked = cells::<Self, _>(connection, "PRAGMA foreign_keys", None, |row| row.number(0)).await?;
        if checked != [1] {
            lines.push("connection: `foreign_keys` is off, must be on in every connection of the pool".to_owned());
        }
        let encoding = cells::<Self, _>(connection, "PRAGMA encoding", None, |row| row.text(0)).await?;
        if encoding != ["UTF-8"] {
            lines.push(format!("database: its encoding is {}, must be UTF-8", encoding.concat()));
        }
        lines.extend(misspelt::<Self>(connection, resources).await?);
        Ok(lines)
    }
}
