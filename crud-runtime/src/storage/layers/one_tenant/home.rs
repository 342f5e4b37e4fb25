//! [`Home`]: the tenant of a change, and [`Belonging`], that of a transaction.

use std::fmt;

use super::lookup::Records;
use super::places::TablePlacement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::storage::write::{Work, Write};

/// The tenant of a change, or that it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    /// A tenant, as text: the log stores tenants of all types as texts.
    Tenant(String),
    /// A table whose records have no tenant.
    Outside(&'static str),
    /// A record that becomes a tenant when it is created: storage assigns its key.
    New(&'static str),
}

impl Home {
    /// The home of a tenant's changes. The service's own rows without a tenant have an empty text.
    pub(super) fn tenant(value: &Value) -> Self {
        match value.to_string() {
            text if text.is_empty() => Self::Outside("a row of the service"),
            text => Self::Tenant(text),
        }
    }

    pub(super) const fn outside(resource: &Descriptor) -> Self {
        Self::Outside(resource.name)
    }

    /// Whether changes with this home and another one can be in one transaction.
    fn goes_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Outside(_), Self::Outside(_)) => true,
            (Self::Tenant(one), Self::Tenant(two)) => one == two,
            _ => false,
        }
    }
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tenant(tenant) => write!(f, "the tenant `{tenant}`"),
            Self::Outside(name) => write!(f, "{name}, whose records have no tenant"),
            Self::New(name) => write!(f, "a new {name}, which is a tenant"),
        }
    }
}

/// The home of a transaction: that of its first change.
#[derive(Debug, Default)]
pub(super) struct Belonging(Option<Home>);

impl Belonging {
    /// The tenant of the transaction, if it has one.
    pub(super) fn tenant(&self) -> Option<&str> {
        match &self.0 {
            Some(Home::Tenant(tenant)) => Some(tenant),
            _ => None,
        }
    }

    /// Adds the home of a change.
    ///
    /// # Errors
    /// [`AdapterError::OtherTenant`] where the transaction has another one.
    pub(super) fn add(&mut self, home: Home) -> Result<(), AdapterError> {
        match &self.0 {
            Some(first) if !first.goes_with(&home) => {
                Err(AdapterError::OtherTenant { first: first.to_string(), other: home.to_string() })
            }
            Some(_) => Ok(()),
            None => {
                self.0 = Some(home);
                Ok(())
            }
        }
    }

    /// The key that storage has assigned to the record which is the transaction's tenant.
    pub(super) fn name_new(&mut self, key: String) {
        if matches!(self.0, Some(Home::New(_))) {
            self.0 = Some(Home::Tenant(key));
        }
    }

    /// Adds the homes of the changes of a write. Returns the tenant that was found for its records, where the write
    /// names none.
    ///
    /// # Errors
    /// Errors of [`add`](Self::add), and those of reading the records.
    pub(super) async fn join(
        &mut self,
        place: TablePlacement,
        resource: &'static Descriptor,
        write: &Write<'_>,
        records: &mut Records<'_>,
    ) -> Result<Option<Value>, AdapterError> {
        let mut found = None;
        match (place, self.tenant()) {
            (TablePlacement::Own(_), Some(tenant)) => found = Some(Value::Text(tenant.to_owned())),
            // Work of the service beside requests, such as a purge, is on rows of several tenants.
            (TablePlacement::Own(_), None) if records.are_of_transaction() || write.work.len() > 1 => {}
            _ if write.tenant.is_some() => {}
            _ => {
                let column = place.tenant_column(resource);
                for (key, column) in keys(write.work).filter_map(|key| Some((key, column?))) {
                    let tenant = records.tenant(resource, column, key).await?;
                    tenant.iter().try_for_each(|tenant| self.add(Home::tenant(tenant)))?;
                    found = found.or(tenant);
                }
            }
        }
        stated(place, resource, write, self.0.is_some()).into_iter().try_for_each(|home| self.add(home))?;
        Ok(found)
    }
}

/// The homes that a write states. `has_begun`: whether the transaction has a home already.
fn stated(place: TablePlacement, resource: &'static Descriptor, write: &Write<'_>, has_begun: bool) -> Vec<Home> {
    let inserted = match write.work {
        Work::Insert(records) => records,
        _ => &[],
    };
    let of_insert = |column: usize, unknown: Option<Home>| -> Vec<Home> {
        let home = |record: &Vec<Value>| match record.get(column) {
            None | Some(Value::Null) => unknown.clone(),
            Some(value) => Some(Home::tenant(value)),
        };
        inserted.iter().filter_map(home).collect()
    };
    match place {
        TablePlacement::Outside => vec![Home::outside(resource)],
        TablePlacement::Tenant(column) => {
            write.tenant.map(Home::tenant).into_iter().chain(of_insert(column, None)).collect()
        }
        TablePlacement::Root => {
            let changed = keys(write.work).filter_map(Key::single).map(Home::tenant);
            of_insert(resource.id, Some(Home::New(resource.name))).into_iter().chain(changed).collect()
        }
        // A row without a tenant gets the transaction's tenant.
        TablePlacement::Own(_) => {
            let column = place.tenant_column(resource).map_or(usize::MAX, |(_, column)| column);
            of_insert(column, (!has_begun).then(|| Home::outside(resource)))
        }
    }
}

/// The keys of the records that a write changes.
fn keys(work: Work<'_>) -> Box<dyn Iterator<Item = &Key> + Send + '_> {
    match work {
        Work::Insert(_) => Box::new(std::iter::empty()),
        Work::Update(updates) => Box::new(updates.iter().map(|update| update.id)),
        Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
            Box::new(targets.iter().map(|target| target.id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Belonging, Home};
    use crate::model::adapter_error::AdapterError;

    #[test]
    fn a_transaction_has_the_home_of_its_first_change() {
        let of = |tenant: &str| Home::Tenant(tenant.to_owned());
        let mut belonging = Belonging::default();
        belonging.add(of("1")).expect("the first");
        belonging.add(of("1")).expect("the same");
        assert_eq!(belonging.tenant(), Some("1"));
        for (home, named) in [
            (of("2"), "the tenant `2`"),
            (Home::Outside("Plan"), "Plan, whose records have no tenant"),
            (Home::New("Shop"), "a new Shop, which is a tenant"),
        ] {
            let Err(AdapterError::OtherTenant { first, other }) = belonging.add(home) else { panic!("{named}") };
            assert_eq!((&*first, &*other), ("the tenant `1`", named));
        }
    }

    #[test]
    fn a_new_tenant_is_known_by_its_key_once_it_is_there() {
        let mut belonging = Belonging::default();
        belonging.add(Home::New("Shop")).expect("the first");
        assert!(belonging.add(Home::New("Shop")).is_err(), "another one");
        belonging.name_new("7".to_owned());
        assert_eq!(belonging.tenant(), Some("7"));
        belonging.add(Home::Tenant("7".to_owned())).expect("the same");
    }

    #[test]
    fn tables_without_tenants_are_one_home() {
        let mut belonging = Belonging::default();
        belonging.add(Home::Outside("Plan")).expect("the first");
        belonging.add(Home::Outside("User")).expect("of the same");
        assert!(belonging.add(Home::Tenant("1".to_owned())).is_err());
    }
}
