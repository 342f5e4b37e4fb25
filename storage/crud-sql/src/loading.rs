//! [`Loading`]: what a database must provide to insert records unchanged.

use super::driver::Connection;
use super::schema::driver::SchemaDriver;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

/// A database into which records are inserted with their keys.
pub(crate) trait Loading: SchemaDriver {
    /// Begins a transaction whose reads all see one snapshot.
    const SNAPSHOT: &'static str;

    /// See [`Transfer::last_key`](crate::storage::transfer::Transfer::last_key).
    fn last_key(
        connection: &mut Connection<Self>,
        resource: &'static Descriptor,
    ) -> impl Future<Output = Result<i64, AdapterError>> + Send;

    /// See [`Transfer::set_last_key`](crate::storage::transfer::Transfer::set_last_key).
    fn set_last_key(
        connection: &mut Connection<Self>,
        resource: &'static Descriptor,
        key: i64,
    ) -> impl Future<Output = Result<(), AdapterError>> + Send;

    /// Prepares the transaction: given keys are kept, and the references of the `deferred` tables are not checked until
    /// the commit. Returns the statements that restore the checks before the commit.
    fn prepare<'a>(
        connection: &'a mut Connection<Self>,
        deferred: &'a [&'static Descriptor],
    ) -> impl Future<Output = Result<Vec<String>, AdapterError>> + Send + 'a;
}
