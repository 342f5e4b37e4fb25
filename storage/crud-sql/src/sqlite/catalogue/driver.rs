//! [`CatalogueDriver`] on both engines.

use std::future::ready;

use super::{described, is_taken, listed, tables, view_reads, views};
use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Listed, Named, Parts, Reads, Table, TableName};
use crate::driver::{Connection, Driven, Driver};
use crate::sqlite::argument::Argument;
use crate::sqlite::dialect::{Engine, Sqlite};

impl<E: Engine> CatalogueDriver for Sqlite<E>
where
    Self: Driver<Argument = Argument>,
{
    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(described::<Self>(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(tables::<Self>(connection))
    }

    fn listed<'a>(connection: &'a mut Connection<Self>, _: Option<&'a str>) -> Driven<'a, Vec<Listed>, Self> {
        Box::pin(listed::<Self>(connection))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(views::<Self>(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection<Self>, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads::<Self>(connection, views))
    }

    fn index_reads(_: &mut Connection<Self>) -> Driven<'_, IndexReads, Self> {
        Box::pin(ready(Ok(IndexReads { counts: E::COUNTS, ..IndexReads::default() })))
    }

    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(is_taken::<Self>(connection, name))
    }
}
