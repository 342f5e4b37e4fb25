//! [`SchemaDriver`] on both engines.

use super::argument::Argument;
use super::dialect::{Engine, Sqlite};
use super::tables;
#[cfg(feature = "migrations")]
use super::{alter, unreadable_views};
use crate::driver::{Connection, Driven, Driver};
use crate::model::descriptor::Descriptor;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::driver::SchemaDriver;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;

impl<E: Engine> SchemaDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    fn unfit<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Vec<String>, Self> {
        Box::pin(tables::unfit::<Self>(connection, resources))
    }

    fn create<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create::<Self>(connection, resources))
    }

    #[cfg(feature = "migrations")]
    fn further_reason<'a>(connection: &'a mut Connection<Self>, message: &'a str) -> Driven<'a, Option<String>, Self> {
        Box::pin(unreadable_views::further_reason::<Self>(connection, message))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Connection<Self>, Self::Error> = alter::alteration::<Self>();
}
