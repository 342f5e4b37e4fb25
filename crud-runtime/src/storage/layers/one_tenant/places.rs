//! [`ShardedTables`]: which tables of a sharded service have the records of tenants.

use std::collections::{HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

use super::home::Home;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;

/// The tables of a sharded service. Descriptors are known by their addresses.
#[derive(Debug, Default)]
pub(crate) struct ShardedTables(RwLock<Tables>);

#[derive(Debug, Default)]
struct Tables {
    /// Resources whose records are the tenants.
    roots: HashSet<usize>,
    /// The service's own tables whose rows belong to tenants, with their descriptions in a sharded service.
    own: HashMap<usize, &'static Descriptor>,
}

/// Placement of a table's records.
#[derive(Debug, Clone, Copy)]
pub(super) enum TablePlacement {
    /// Each record is in the shard of the tenant that this column has.
    Tenant(usize),
    /// Each record is a tenant, in its own shard.
    Root,
    /// The service's own rows are in the shard of their transaction, whose tenant they have as text. Storage knows the table by
    /// this description.
    Own(&'static Descriptor),
    /// Records are outside of all tenants' shards.
    Outside,
}

fn address(resource: &'static Descriptor) -> usize {
    std::ptr::from_ref(resource).addr()
}

/// The resource whose records are the tenants of this one's records: the target of the tenant's reference.
pub(crate) fn root_of(resource: &'static Descriptor) -> Option<&'static Descriptor> {
    let reference = resource.columns[resource.tenant?.column].references?;
    reference.by.is_empty().then(|| (reference.target)())
}

impl ShardedTables {
    /// Learns the tables of a service: those of its resources, and its own, each with its description in a sharded service.
    pub(crate) fn learn(&self, resources: &[&'static Descriptor], own: &[(&'static Descriptor, &'static Descriptor)]) {
        let roots = resources.iter().copied().filter_map(root_of).map(address).collect();
        let own = own.iter().map(|&(table, sharded)| (address(table), sharded)).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Tables { roots, own };
    }

    pub(super) fn place(&self, resource: &'static Descriptor) -> TablePlacement {
        if let Some(tenant) = resource.tenant {
            return TablePlacement::Tenant(tenant.column);
        }
        let tables = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match tables.own.get(&address(resource)) {
            Some(sharded) => TablePlacement::Own(sharded),
            None if tables.roots.contains(&address(resource)) => TablePlacement::Root,
            None => TablePlacement::Outside,
        }
    }
}

impl TablePlacement {
    /// The column of the tenant, in the description that storage has of a resource.
    pub(super) fn tenant_column(self, resource: &'static Descriptor) -> Option<(&'static Descriptor, usize)> {
        match self {
            Self::Tenant(column) => Some((resource, column)),
            Self::Own(sharded) => Some((sharded, sharded.tenant?.column)),
            Self::Root | Self::Outside => None,
        }
    }

    /// Home of all soft-deleted records of a resource, of one tenant if it is given.
    ///
    /// # Errors
    /// [`AdapterError::Unsupported`] without a tenant, where the records have tenants.
    pub(super) fn home_of_all(
        self,
        resource: &'static Descriptor,
        tenant: Option<&Value>,
    ) -> Result<Home, AdapterError> {
        match (self, tenant) {
            (Self::Outside, _) => Ok(Home::outside(resource)),
            (_, Some(tenant)) => Ok(Home::tenant(tenant)),
            _ => Err(AdapterError::Unsupported {
                what: "changes of the deleted records of all tenants at once, as it is sharded: send one for each tenant",
            }),
        }
    }
}
