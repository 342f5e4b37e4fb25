//! MySQL and MariaDB as a [`SchemaDriver`].

#[cfg(feature = "migrations")]
use sqlx::mysql::MySqlConnection;

use super::dialect::MySql;
#[cfg(feature = "migrations")]
use super::error;
use super::tables;
use crate::driver::{Connection, Driven};
use crate::model::descriptor::Descriptor;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::driver::SchemaDriver;
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;

impl SchemaDriver for MySql {
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
