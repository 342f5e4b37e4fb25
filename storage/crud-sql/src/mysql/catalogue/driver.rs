//! MySQL and MariaDB as a [`CatalogueDriver`].

use super::{described, has_schema, index_reads, listed, rights, tables, view_reads, views};
use crate::catalogue::driver::CatalogueDriver;
use crate::catalogue::index_reads::IndexReads;
use crate::catalogue::table::{Listed, Named, Parts, Reads, Table, TableName};
use crate::driver::{Connection, Driven};
use crate::model::descriptor::Descriptor;
use crate::mysql::dialect::MySql;
use crate::storage::rights::Rights;

impl CatalogueDriver for MySql {
    const INDEXES_BELONG_TO_TABLES: bool = true;

    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(described(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(tables(connection))
    }

    fn listed<'a>(connection: &'a mut Connection<Self>, schema: Option<&'a str>) -> Driven<'a, Vec<Listed>, Self> {
        Box::pin(listed(connection, schema))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(views(connection, names))
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
        Box::pin(has_schema(connection, schema))
    }
}
