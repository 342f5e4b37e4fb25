//! [`Loading`]: what inserting records as they are asks of a database.

use super::driver::Connection;
use super::schema::driver::SchemaDriver;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

/// A database into which records are inserted with their keys.
pub(crate) trait Loading: SchemaDriver {
    /// Begins a transaction whose reads are all of one snapshot.
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

    /// Prepares the transaction: keys are taken as they are, and the references of these tables are not checked until it
    /// ends. Returns the statements that end this, before the commit.
    fn prepare<'a>(
        connection: &'a mut Connection<Self>,
        deferred: &'a [&'static Descriptor],
    ) -> impl Future<Output = Result<Vec<String>, AdapterError>> + Send + 'a;
}
