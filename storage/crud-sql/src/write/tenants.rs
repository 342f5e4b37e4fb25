//! [`Tenants`]: the tenants to which the records of a write's changes must belong.

use crate::driver::{DatabaseRow, Driver, Record};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::Predicate;

/// The tenants to which the records of changes must belong. A change without a tenant may be of any tenant's record.
#[derive(Debug, Clone)]
pub(crate) enum Tenants<'a> {
    /// All changes have the same tenant.
    One(Option<&'a Value>),
    /// Each change has its own tenant, in the order of the changes, which come from several requests.
    Each(Vec<Option<&'a Value>>),
}

impl<'a> Tenants<'a> {
    /// The tenants of changes of several requests.
    pub(crate) fn of_each(each: Vec<Option<&'a Value>>) -> Self {
        match each.first() {
            Some(&first) if each.iter().all(|tenant| *tenant == first) => Self::One(first),
            _ => Self::Each(each),
        }
    }

    /// The tenant of a change.
    pub(crate) fn of(&self, index: usize) -> Option<&'a Value> {
        match self {
            Self::One(tenant) => *tenant,
            Self::Each(each) => each.get(index).copied().flatten(),
        }
    }

    /// All tenants; empty if some change may be of any tenant's record.
    pub(crate) fn all(&self) -> Vec<&'a Value> {
        let each = match self {
            Self::One(tenant) => std::slice::from_ref(tenant),
            Self::Each(each) => each,
        };
        each.iter().copied().collect::<Option<_>>().unwrap_or_default()
    }

    /// The predicate of records that belong to any of these tenants.
    pub(crate) fn predicate(&self, resource: &Descriptor) -> Predicate {
        Predicate::of_tenants(resource, self.all())
    }

    /// The record of a change, if it belongs to the change's tenant. If all changes have the same tenant, the statement
    /// has already checked that.
    pub(crate) fn own<D: Driver>(
        &self,
        resource: &'static Descriptor,
        index: usize,
        row: DatabaseRow<D>,
    ) -> Result<Option<DatabaseRow<D>>, AdapterError> {
        let (Self::Each(_), Some(of), Some(tenant)) = (self, resource.tenant, self.of(index)) else {
            return Ok(Some(row));
        };
        let stored = stored_value(resource, of.column, &Record::<D>::new(resource, &row))?;
        Ok((stored == *tenant).then_some(row))
    }
}
