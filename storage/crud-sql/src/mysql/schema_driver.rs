//! MySQL and MariaDB as a [`SchemaDriver`].

#[cfg(feature = "migrations")]
use sqlx::mysql::MySqlConnection;

use super::dialect::MySql;
#[cfg(feature = "migrations")]
use super::error;
use super::{index_reads, inspect, rights, tables, view_reads};
use crate::driver::{Connection, Driven};
use crate::model::descriptor::Descriptor;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::driver::SchemaDriver;
use crate::schema::index_reads::IndexReads;
use crate::schema::table::{Named, Parts, Reads, Table, TableName};
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::rights::Rights;

impl SchemaDriver for MySql {
    const INDEXES_BELONG_TO_TABLES: bool = true;

    fn described<'a>(
        connection: &'a mut Connection<Self>,
        names: Vec<&'a str>,
        parts: Parts,
    ) -> Driven<'a, Vec<Option<Table>>, Self> {
        Box::pin(inspect::described(connection, names, parts))
    }

    fn tables(connection: &mut Connection<Self>) -> Driven<'_, Vec<TableName>, Self> {
        Box::pin(inspect::tables(connection))
    }

    fn views<'a>(connection: &'a mut Connection<Self>, names: Vec<&'a str>) -> Driven<'a, Vec<Option<Named>>, Self> {
        Box::pin(inspect::views(connection, names))
    }

    fn reads<'a>(connection: &'a mut Connection<Self>, views: Vec<&'a str>) -> Driven<'a, Vec<Reads>, Self> {
        Box::pin(view_reads::reads(connection, views))
    }

    fn unfit<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> Driven<'a, Vec<String>, Self> {
        Box::pin(tables::unfit(connection, resources))
    }

    fn create<'a>(
        connection: &'a mut Connection<Self>,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create(connection, resources))
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
        Box::pin(inspect::has_schema(connection, schema))
    }

    #[cfg(feature = "migrations")]
    fn is_done(error: &sqlx::Error) -> bool {
        error::is_done(error)
    }

    #[cfg(feature = "migrations")]
    fn is_locked(error: &sqlx::Error) -> bool {
        error::is_locked(error)
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<MySqlConnection, sqlx::Error> = super::alter::ALTERATION;

    // A view's own text is compared as that of tables.
    #[cfg(feature = "migrations")]
    const PREPARE_MIGRATION: &'static str = "SET SESSION lock_wait_timeout = 1, \
        SESSION innodb_lock_wait_timeout = 1 \
        /*!80017 , SESSION collation_connection = utf8mb4_0900_bin */ \
        /*M!, SESSION collation_connection = utf8mb4_nopad_bin, SESSION max_statement_time = 0 */";

    #[cfg(feature = "migrations")]
    const LOCK_HISTORY: Option<&'static str> =
        Some("SELECT GET_LOCK(LEFT(CONCAT('crud migrations ', DATABASE()), 64), 0)");

    #[cfg(feature = "migrations")]
    const TRANSACTIONAL_DDL: bool = false;

    #[cfg(feature = "migrations")]
    const TEXT_OF_ANY: &'static str = "CHAR";
}
