//! Services that are sharded by tenant.

use std::sync::Arc;

use super::builder::Service;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::administration::Administration;
use crate::storage::error::{Error, Result};
use crate::storage::layers::one_tenant::{OneTenant, ShardedTables, root_of};
use crate::storage::shards::PlacedTable;
use crate::store::tables::sharded::own_tables_of_tenants;

/// # Shards
///
/// Services whose database is in several parts.
impl Service {
    /// Applies the rules of a service whose database is sharded by tenant: the records of a tenant are in one shard,
    /// and those of two tenants may be in two. `shard_by = "tenant"` in `crud.toml` calls it. It works on every
    /// database, so that a service can follow the rules before it needs shards.
    ///
    /// - A transaction belongs to the tenant of its first change. A change of another tenant's record, or of a record
    ///   without a tenant, is `unsupported_here` before any of it is sent; the error's cause names both.
    /// - The service does not start with declarations that shards cannot keep, such as `unique(global)`.
    ///
    /// Call it before [`auth`](Self::auth), which keeps the storage that the service has then.
    ///
    /// ```
    /// use crud_runtime::auth::Auth;
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Device {
    ///     id: i64,
    ///     #[crud(tenant)]
    ///     shop_id: i64,
    ///     name: String,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.shard_by_tenant().auth(auth);
    /// let service = service.resource::<Device>().migrate().await?;
    /// let app = service.app();
    /// let tx = app.begin().await?;
    /// tx.store::<Device>().tenant(1).create(NewDevice::new("drill")).await?;
    /// assert!(tx.store::<Device>().tenant(2).create(NewDevice::new("saw")).await.is_err());
    /// tx.commit().await?;
    /// # Ok(()) }
    /// ```
    pub fn shard_by_tenant(mut self) -> Self {
        if self.sharded.is_some() {
            return self;
        }
        for (table, sharded) in own_tables_of_tenants() {
            let sharded = self.own_schema.as_deref().map_or(sharded, |schema| sharded.in_schema(schema));
            self.overrides.insert(table, sharded);
        }
        let tables = Arc::<ShardedTables>::default();
        self.sharded = Some(tables.clone());
        self.storage_layer(|inner| OneTenant::new(inner, tables))
    }

    /// Tells storage which tables have the records of tenants.
    pub(super) fn learn_sharded_tables(&self) {
        if let Some(sharded) = &self.sharded {
            self.leave_users_unconstrained();
            let resources: Vec<_> = self.descriptors().collect();
            sharded.learn(&resources, &own_tables_of_tenants());
            if let Some(shards) = self.administration.shards() {
                shards.place(self.placed_tables());
            }
        }
    }

    /// Removes foreign keys to users, who are in no shard: a change reads the users that it refers to instead.
    fn leave_users_unconstrained(&self) {
        for users in self.elsewhere() {
            for table in self.tables() {
                let described = self.overrides.of(table);
                let mut constraints = described.columns.iter().filter_map(ColumnDescriptor::constraint);
                if constraints.any(|reference| std::ptr::eq((reference.target)(), users)) {
                    self.overrides.insert(table, described.unconstrained_to(users));
                }
            }
        }
    }

    /// The tables to which no foreign key leads: a sharded service has its users in no shard.
    pub(super) fn elsewhere(&self) -> Vec<&'static Descriptor> {
        let users: &[&'static Descriptor] = &[
            #[cfg(feature = "auth")]
            crate::auth::Auth::USERS_TABLE,
        ];
        if self.sharded.is_some() { users.to_vec() } else { Vec::new() }
    }

    /// Tells the target of a move which tables have records of tenants, if the target has shards.
    ///
    /// # Errors
    /// [`Error::Setup`] where the service does not say by what its records are sharded.
    pub(super) fn place_tables(&self, target: &dyn Administration) -> Result<()> {
        self.check_shards(target)?;
        if let Some(shards) = target.shards() {
            shards.place(self.placed_tables());
        }
        Ok(())
    }

    /// The tables of the service, as storage knows them, each with the column of its tenant.
    fn placed_tables(&self) -> Vec<PlacedTable> {
        let tables = self.tables();
        let roots: Vec<&'static Descriptor> = tables.iter().copied().filter_map(root_of).collect();
        let placed = |table: &'static Descriptor| {
            let resource = self.overrides.of(table);
            let is_root = roots.iter().any(|root| std::ptr::eq(*root, table));
            let tenant = resource.tenant.map(|tenant| tenant.column).or_else(|| is_root.then_some(table.id));
            PlacedTable { resource, tenant }
        };
        tables.into_iter().map(placed).collect()
    }

    /// Checks that a service whose storage has shards says by what its records are sharded.
    ///
    /// # Errors
    /// [`Error::Setup`] where it does not.
    pub(super) fn check_shards(&self, storage: &dyn Administration) -> Result<()> {
        match storage.shards() {
            Some(shards) if self.sharded.is_none() => {
                let names = shards.names();
                let keyspace = names.first().and_then(|name| name.split_once('/')).map_or("", |(keyspace, _)| keyspace);
                Err(Error::Setup(format!(
                    "the database `{keyspace}` has the shards {}: write `shard_by = \"tenant\"` into `crud.toml`, or call \
                     `Service::shard_by_tenant`",
                    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )))
            }
            _ => Ok(()),
        }
    }
}
