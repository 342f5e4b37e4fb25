//! [`CatalogueDriver`]: a driver whose database describes its tables.

use std::future::{Future, ready};

use super::index_reads::IndexReads;
use super::table::{Listed, Named, Parts, Reads, Table};
use crate::driver::Driver;
use crate::model::descriptor::Descriptor;
use crate::storage::rights::Rights;

/// A driver whose database describes its tables.
pub(crate) trait CatalogueDriver: Driver {
    /// Reads the tables of these names, in their order; `None` for one that is not there. A statement for each kind of thing
    /// reads those of all tables; other parts are left empty.
    fn described(
        connection: &mut Self::Connection,
        names: Vec<&str>,
        parts: Parts,
    ) -> impl Future<Output = Result<Vec<Option<Table>>, Self::Error>> + Send;

    /// Reads the table of this name, if there is one.
    fn table(
        connection: &mut Self::Connection,
        name: &str,
    ) -> impl Future<Output = Result<Option<Table>, Self::Error>> + Send {
        async move { Ok(Self::described(connection, vec![name], Parts::Schema).await?.pop().flatten()) }
    }

    /// Lists the tables and views of a schema by name; of the connection's own, where none is named.
    fn listed(
        connection: &mut Self::Connection,
        schema: Option<&str>,
    ) -> impl Future<Output = Result<Vec<Listed>, Self::Error>> + Send;

    /// Lists the tables of the database's own schema, without the parts of others and without indexes of words.
    fn tables(connection: &mut Self::Connection) -> impl Future<Output = Result<Vec<Listed>, Self::Error>> + Send {
        async move {
            let listed = Self::listed(connection, None).await?.into_iter();
            Ok(listed.filter(|one| one.is_table && one.left_out.is_none()).collect())
        }
    }

    /// Whether there is a schema of this name, where the database has schemas.
    fn has_schema(_: &mut Self::Connection, _schema: &str) -> impl Future<Output = Result<bool, Self::Error>> + Send {
        ready(Ok(true))
    }

    /// Names the tables of other schemas that have the names of these tables, each after the name that it has here, as far as
    /// their records can be read and the schemas are parts of one database.
    fn elsewhere(
        _: &mut Self::Connection,
        _tables: Vec<&'static str>,
    ) -> impl Future<Output = Result<Vec<(&'static str, String)>, Self::Error>> + Send {
        ready(Ok(Vec::new()))
    }

    /// Whether the name of an index is one of its table alone, and a statement names both.
    const INDEXES_BELONG_TO_TABLES: bool = false;

    /// Counts the reads of tables and indexes, where the database has counted them.
    fn index_reads(_: &mut Self::Connection) -> impl Future<Output = Result<IndexReads, Self::Error>> + Send {
        ready(Ok(IndexReads::default()))
    }

    /// Rights that the connection's user lacks, of the tables of these resources that are there.
    fn rights(
        _: &mut Self::Connection,
        _: &[&'static Descriptor],
    ) -> impl Future<Output = Result<Rights, Self::Error>> + Send {
        ready(Ok(Rights::default()))
    }

    /// Reads what has the name of each of these views, in their order, if there is anything.
    fn views(
        connection: &mut Self::Connection,
        names: Vec<&str>,
    ) -> impl Future<Output = Result<Vec<Option<Named>>, Self::Error>> + Send;

    /// Names the tables and views that each of these views reads, through other views too.
    fn reads(
        connection: &mut Self::Connection,
        views: Vec<&str>,
    ) -> impl Future<Output = Result<Vec<Reads>, Self::Error>> + Send;

    /// Whether the name of an index is taken, where such names are unique among all tables.
    fn is_taken(_: &mut Self::Connection, _name: &str) -> impl Future<Output = Result<bool, Self::Error>> + Send {
        ready(Ok(false))
    }
}
