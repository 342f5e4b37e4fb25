//! PostgreSQL as a [`CatalogueDriver`].

use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Listed, Named, Parts, Reads, Table, TableName};
use crate::driver::{Connection, Driven};
use crate::model::descriptor::Descriptor;
use crate::postgres::catalogue::{index_reads, listed, reader, rights, view_reads};
use crate::postgres::dialect::Postgres;
use crate::storage::rights::Rights;

impl CatalogueDriver for Postgres {
    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(reader::described(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(listed::tables(connection))
    }

    fn listed<'a>(connection: &'a mut Connection<Self>, schema: Option<&'a str>) -> Driven<'a, Vec<Listed>, Self> {
        Box::pin(listed::listed(connection, schema))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(reader::views(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection<Self>, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads(connection, views))
    }

    fn index_reads(connection: &mut Connection<Self>) -> Driven<'_, IndexReads, Self> {
        Box::pin(index_reads::index_reads(connection))
    }

    fn rights<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Rights, Self> {
        Box::pin(rights::rights(connection, resources))
    }

    fn has_schema<'a>(connection: &'a mut Connection<Self>, schema: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(listed::has_schema(connection, schema))
    }

    fn elsewhere<'a>(
        connection: &'a mut Connection<Self>,
        tables: Vec<&'static str>,
    ) -> Driven<'a, Vec<(&'static str, String)>, Self> {
        Box::pin(listed::elsewhere(connection, tables))
    }

    fn is_taken<'a>(connection: &'a mut Connection<Self>, name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(listed::is_taken(connection, name))
    }
}
