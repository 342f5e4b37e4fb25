//! The checks of a service that is sharded by tenant: what shards cannot keep is refused before it starts.

use crate::model::descriptor::{Descriptor, Uniqueness};
use crate::model::value::Kind;
use crate::service::builder::Service;
use crate::service::tables::is_internal;
use crate::storage::error::{Error, Result};
use crate::storage::layers::one_tenant::root_of;

/// Placement of a resource's records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResourcePlacement {
    Tenant,
    /// The records are the tenants.
    Root,
    Outside,
}

/// The resources of a service.
struct Sharded {
    resources: Vec<&'static Descriptor>,
    roots: Vec<&'static Descriptor>,
}

impl Service {
    /// Checks that shards can keep what resources state, where the service is sharded.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first resource that shards cannot keep.
    pub(super) fn check_sharding(&self) -> Result<()> {
        self.check_shards(&*self.administration)?;
        if self.sharded.is_none() {
            return Ok(());
        }
        self.learn_sharded_tables();
        let resources: Vec<_> = self.tables().into_iter().filter(|table| !is_internal(table)).collect();
        let roots = resources.iter().copied().filter_map(root_of).collect();
        let sharded = Sharded { resources, roots };
        let refusal = sharded.resources.iter().find_map(|resource| sharded.refusal(resource));
        match refusal {
            Some(refusal) => Err(Error::Setup(format!("{refusal} (the service is sharded by tenant)"))),
            None => Ok(()),
        }
    }
}

impl Sharded {
    fn place(&self, resource: &Descriptor) -> ResourcePlacement {
        if resource.tenant.is_some() {
            return ResourcePlacement::Tenant;
        }
        let is_root = self.roots.iter().any(|root| std::ptr::eq(*root, resource));
        if is_root { ResourcePlacement::Root } else { ResourcePlacement::Outside }
    }

    /// Reason why shards cannot keep what a resource states.
    fn refusal(&self, resource: &Descriptor) -> Option<String> {
        if resource.view.is_some() {
            return of_view(resource);
        }
        match self.place(resource) {
            ResourcePlacement::Outside => of_outside(resource).or_else(|| self.of_references_of_outside(resource)),
            place => of_unique(resource, place)
                .or_else(|| of_key(resource, place))
                .or_else(|| of_keyed_root(resource, place))
                .or_else(|| self.of_references(resource)),
        }
    }

    /// Foreign keys stay within a shard.
    fn of_references(&self, resource: &Descriptor) -> Option<String> {
        // The service's own users are read in place of a foreign key.
        let is_outside = |target: &Descriptor| self.place(target) == ResourcePlacement::Outside && !is_internal(target);
        resource.columns.iter().find_map(|column| {
            let target =
                column.constraint().map(|reference| (reference.target)()).filter(|target| is_outside(target))?;
            let (name, field, of) = (resource.name, column.name, target.name);
            Some(format!(
                "{name}.{field} refers to {of}, whose records are in no tenant's shard: write `references({of}, unconstrained)`, or \
                 give {of} a field with `tenant`"
            ))
        })
    }

    /// A table outside of tenants cannot have a foreign key to records in shards.
    fn of_references_of_outside(&self, resource: &Descriptor) -> Option<String> {
        resource.columns.iter().find_map(|column| {
            let target = column.constraint().map(|reference| (reference.target)())?;
            (self.place(target) != ResourcePlacement::Outside).then(|| {
                format!(
                    "{0}.{1} refers to {2}, whose records are in shards, and {0} has no tenant: give it a field with `tenant`, or \
                     write `references({2}, unconstrained)`",
                    resource.name, column.name, target.name
                )
            })
        })
    }
}

/// Values are unique within a shard.
fn of_unique(resource: &Descriptor, place: ResourcePlacement) -> Option<String> {
    let is_refused = |among: Uniqueness| place == ResourcePlacement::Root || among == Uniqueness::Global;
    let column = resource.columns.iter().find(|column| column.unique.is_some_and(is_refused));
    let group = resource.uniques.iter().find(|group| is_refused(group.among));
    let names = |columns: &[usize]| columns.iter().map(|column| resource.columns[*column].name).collect::<Vec<_>>();
    let fields = column.map(|column| vec![column.name]).or_else(|| group.map(|group| names(group.columns)))?.join(", ");
    let name = resource.name;
    Some(match place {
        ResourcePlacement::Root => format!(
            "{name} has `unique` on {fields}, and its records are tenants, each in a shard by itself: remove `unique`"
        ),
        _ => format!("{name} has `unique(global)` on {fields}, and values are unique within a shard: write `unique`"),
    })
}

/// A key that clients choose is unique within a shard, as its tenant is.
fn of_key(resource: &Descriptor, place: ResourcePlacement) -> Option<String> {
    let [column] = resource.key() else { return None };
    let column = &resource.columns[*column];
    let is_chosen = matches!(column.kind, Kind::Text) && column.references.is_none();
    (place == ResourcePlacement::Tenant && is_chosen).then(|| {
        format!(
            "{0}.{1} is a key that clients choose, and keys are unique within a shard: use `Uuid`, or make the tenant a part of \
             the key",
            resource.name, column.name
        )
    })
}

/// An idempotency key is stored in the shard of the request's tenant, which is unknown when a request creates a tenant.
fn of_keyed_root(resource: &Descriptor, place: ResourcePlacement) -> Option<String> {
    (place == ResourcePlacement::Root && resource.idempotency.is_some()).then(|| {
        format!(
            "{} has `idempotency`, and its records are tenants: the key of a request that creates one has no shard: remove it",
            resource.name
        )
    })
}

/// Changes of records outside of tenants cannot be part of a tenant's transaction.
fn of_outside(resource: &Descriptor) -> Option<String> {
    let stated = [
        ("`audit`", resource.audit.is_some()),
        ("hooks", resource.hooks.is_some()),
        ("`idempotency`", resource.idempotency.is_some()),
    ];
    let (what, _) = stated.into_iter().find(|(_, has)| *has)?;
    Some(format!(
        "{0} has {what}, which is written in a tenant's transaction, and its records have no tenant: add a field with `tenant`, or \
         remove {what}",
        resource.name
    ))
}

/// A view is computed in each shard: its query compares the tenants of the tables that it joins.
fn of_view(view: &Descriptor) -> Option<String> {
    let of_tenants: Vec<_> = view.view?.depends.iter().map(|of| of()).filter(|of| of.tenant.is_some()).collect();
    let queries = view.view.iter().flat_map(|it| [it.sqlite, it.postgres, it.mysql]).flatten();
    let tenants: Vec<_> = of_tenants.iter().filter_map(|of| Some(of.columns[of.tenant?.column].column)).collect();
    // Each table that is read names its tenant at least once.
    let names_all = |query: &str| {
        let words = query.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| tenants.contains(word)).count() >= tenants.len()
    };
    if queries.into_iter().all(names_all) {
        return None;
    }
    let tables = of_tenants.iter().map(|of| of.name).collect::<Vec<_>>().join(", ");
    Some(format!(
        "the view of {} does not compare the tenants of {tables}: add `AND other.tenant = this.tenant` to each join and subquery, \
         with the columns of the tenants",
        view.name
    ))
}
