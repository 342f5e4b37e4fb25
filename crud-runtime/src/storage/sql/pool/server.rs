//! [`Server`]: what differs between the databases that are servers.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::future::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::driver::Connection;
use crate::storage::sql::schema::Schema;

/// What is done on a connection for the tables of these resources.
type OnTables<D, T> = for<'a> fn(&'a mut Connection<D>, &'a [&'static Descriptor]) -> BoxFuture<'a, T>;

/// A server: a database with concurrent writers from several processes.
pub(crate) struct Server<D: Schema> {
    /// Whether a write that failed with this error is retried: a concurrent writer was in its way, and it left nothing
    /// behind.
    pub(crate) is_conflict: fn(&AdapterError) -> bool,
    /// The statement that begins a group commit, in which no change waits long for a lock; none without group commit.
    pub(crate) begin_group: Option<&'static str>,
    /// Finds what does not fit about the database itself, and the names that are too long for it.
    pub(crate) unfit: OnTables<D, sqlx::Result<Vec<String>>>,
    /// Creates what is missing under a lock that other processes wait for. Called when nothing is unfit.
    pub(crate) create: OnTables<D, Result<(), MigrateError>>,
    /// The statement that takes a connection's timeouts away before it applies migrations, and waits for the lock on
    /// them where the migrator does not.
    #[cfg(feature = "migrations")]
    pub(crate) prepare_migration: &'static str,
}
