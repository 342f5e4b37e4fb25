//! [`SchemaDriver`]: a driver whose database creates tables.

use std::future::Future;

use crate::catalogue::driver::CatalogueDriver;
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;

/// A driver whose database creates tables.
pub(crate) trait SchemaDriver: CatalogueDriver {
    /// Finds what does not fit about the database itself, and the names that are too long for it.
    fn unfit(
        connection: &mut Self::Connection,
        resources: &[&'static Descriptor],
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>> + Send;

    /// Creates what is missing, under a lock that other processes wait for. Called when nothing is unfit.
    fn create(
        connection: &mut Self::Connection,
        resources: &[&'static Descriptor],
    ) -> impl Future<Output = Result<(), MigrateError>> + Send;
}
