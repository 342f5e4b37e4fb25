//! [`Children`]: the records of another resource that refer to one.

use super::{Descriptor, SortKey};
use crate::model::setters::setters;

/// The records of another resource that refer to a record of this resource, declared by `has_many`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(has_many(orders(Order::customer_id, limit = 5, sort(desc(created_at)))))]
/// struct Customer {
///     id: i64,
/// }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Order {
///     id: i64,
///     #[crud(references(Customer))]
///     customer_id: i64,
///     #[crud(created_at)]
///     created_at: DateTime<Utc>,
/// }
///
/// assert_eq!(Customer::DESCRIPTOR.children[0].limit, 5);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Children {
    /// Name of the list in requests.
    pub name: &'static str,
    /// The referring resource; a function, because two resources may refer to each other.
    pub resource: fn() -> &'static Descriptor,
    /// The column of that resource with the reference.
    pub column: usize,
    /// Maximum number that `expand` returns for one record.
    pub limit: u32,
    /// The order of the records; if empty, the order of their resource's lists.
    pub sort: &'static [SortKey],
    /// Whether bodies of a record contain the records that refer to it: they are created and changed together.
    pub nested: bool,
}

impl Children {
    /// The records that refer by a column; called by expansions.
    #[must_use]
    pub const fn new(name: &'static str, resource: fn() -> &'static Descriptor, column: usize, limit: u32) -> Self {
        Self { name, resource, column, limit, sort: &[], nested: false }
    }

    setters! {
        /// Sets the order.
        sort(&'static [SortKey]);
        /// Lets bodies of a record contain the records that refer to it.
        nested(true);
    }

    /// The referring columns, in the order of the record's key.
    #[doc(hidden)]
    pub fn columns(&self) -> &[usize] {
        match (self.resource)().columns[self.column].references {
            Some(reference) if !reference.by.is_empty() => reference.by,
            _ => std::slice::from_ref(&self.column),
        }
    }

    /// The columns of a record's key, each with the column that refers to it.
    #[doc(hidden)]
    pub fn pairs(&self, resource: &Descriptor) -> Vec<(usize, usize)> {
        resource.key().iter().copied().zip(self.columns().iter().copied()).collect()
    }

    /// The order of the records.
    #[doc(hidden)]
    pub fn order(&self) -> Vec<SortKey> {
        if self.sort.is_empty() { (self.resource)().default_sort.to_vec() } else { self.sort.to_vec() }
    }
}
