//! [`Shards`]: storage whose records are in several databases, by their tenants.

use std::fmt;

use super::future::BoxFuture;
use crate::model::descriptor::Descriptor;

/// Place of the records of a table.
#[derive(Debug, Clone, Copy)]
pub struct PlacedTable {
    /// The table, as storage knows it.
    pub resource: &'static Descriptor,
    /// Column whose value is the tenant of a record, which is in the shard of that tenant. `None` for a table outside of shards.
    pub tenant: Option<usize>,
}

/// The databases of storage that spreads the records of tenants: each database has the records of some tenants.
///
/// Requests do not use this trait: storage finds the shard of a statement by the tenant that it names.
///
/// ```
/// use crud_core::adapter::Shards;
///
/// async fn report(shards: &dyn Shards) {
///     let (all, away) = (shards.names().len(), shards.away().await);
///     println!("{} of {all} databases do not answer: {away:?}", away.len());
/// }
/// ```
pub trait Shards: fmt::Debug + Send + Sync {
    /// The names of the shards, such as `app/-80`.
    fn names(&self) -> Vec<String>;

    /// Sets the tables of the service. Tables are created, compared and migrated in their places.
    fn place(&self, tables: Vec<PlacedTable>);

    /// The databases that do not answer now, by name.
    fn away(&self) -> BoxFuture<'_, Vec<String>>;
}
