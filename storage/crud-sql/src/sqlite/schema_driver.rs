//! [`SchemaDriver`] on both engines.

use std::future::ready;

use super::argument::Argument;
use super::dialect::{Engine, Sqlite};
#[cfg(feature = "migrations")]
use super::{alter, unreadable_views};
use super::{inspect, tables, view_reads};
use crate::driver::{Connection, Driven, Driver};
use crate::model::descriptor::Descriptor;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::driver::SchemaDriver;
use crate::schema::index_reads::IndexReads;
use crate::schema::table::{Named, Parts, Reads, Table, TableName};
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;

impl<E: Engine> SchemaDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(inspect::described::<Self>(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(inspect::tables::<Self>(connection))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(inspect::views::<Self>(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection<Self>, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads::<Self>(connection, views))
    }

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

    fn index_reads(_: &mut Connection<Self>) -> Driven<'_, IndexReads, Self> {
        Box::pin(ready(Ok(IndexReads { counts: E::COUNTS, ..IndexReads::default() })))
    }

    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(inspect::is_taken::<Self>(connection, name))
    }

    #[cfg(feature = "migrations")]
    fn further_reason<'a>(connection: &'a mut Connection<Self>, message: &'a str) -> Driven<'a, Option<String>, Self> {
        Box::pin(unreadable_views::further_reason::<Self>(connection, message))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Connection<Self>, Self::Error> = alter::alteration::<Self>();
}
