//! [`CatalogueDriver`]: a driver whose database describes its tables.

use std::future::ready;

use super::index_reads::IndexReads;
use super::table::{Listed, Named, Parts, Reads, Table, TableName};
use crate::driver::{Driven, Driver};
use crate::model::descriptor::Descriptor;
use crate::storage::rights::Rights;

/// A driver whose database describes its tables.
pub(crate) trait CatalogueDriver: Driver {
    /// Reads the tables of these names, in their order; `None` for one that is not there. A statement for each kind of thing
    /// reads those of all tables; other parts are left empty.
    fn described<'a>(
        connection: &'a mut Self::Connection,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self>;

    /// Reads the table of this name, if there is one.
    fn table<'a>(connection: &'a mut Self::Connection, name: &'a str) -> Driven<'a, Option<Table>, Self> {
        Box::pin(async move { Ok(Self::described(connection, vec![name], Parts::Schema).await?.pop().flatten()) })
    }

    /// Names the tables of the database's own schema, without the parts of others and without indexes of words.
    fn tables(connection: &mut Self::Connection) -> Driven<'_, Vec<TableName>, Self>;

    /// Lists the tables and views of a schema by name; of the connection's own, where none is named.
    fn listed<'a>(connection: &'a mut Self::Connection, schema: Option<&'a str>) -> Driven<'a, Vec<Listed>, Self>;

    /// Whether there is a schema of this name, where the database has schemas.
    fn has_schema<'a>(_: &'a mut Self::Connection, _schema: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(ready(Ok(true)))
    }

    /// Names the tables of other schemas that have the names of these tables, each after the name that it has here, as far as
    /// their records can be read and the schemas are parts of one database.
    fn elsewhere<'a>(
        _: &'a mut Self::Connection,
        _tables: Vec<&'static str>,
    ) -> Driven<'a, Vec<(&'static str, String)>, Self> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// Whether the name of an index is one of its table alone, and a statement names both.
    const INDEXES_BELONG_TO_TABLES: bool = false;

    /// Counts the reads of tables and indexes, where the database has counted them.
    fn index_reads(_: &mut Self::Connection) -> Driven<'_, IndexReads, Self> {
        Box::pin(ready(Ok(IndexReads::default())))
    }

    /// Rights that the connection's user lacks, of the tables of these resources that are there.
    fn rights<'a>(_: &'a mut Self::Connection, _: &'a [&'static Descriptor]) -> Driven<'a, Rights, Self> {
        Box::pin(ready(Ok(Rights::default())))
    }

    /// Reads what has the name of each of these views, in their order, if there is anything.
    fn views<'a>(connection: &'a mut Self::Connection, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self>;

    /// Names the tables and views that each of these views reads, through other views too.
    fn reads<'a>(connection: &'a mut Self::Connection, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self>;

    /// Whether the name of an index is taken, where such names are unique among all tables.
    fn is_taken<'a>(_: &'a mut Self::Connection, _name: &'a str) -> Driven<'a, bool, Self> {
        Box::pin(ready(Ok(false)))
    }
}
