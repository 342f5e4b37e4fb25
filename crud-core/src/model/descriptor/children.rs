//! [`Children`]: the records of another resource that refer to one.

use super::{Descriptor, SortKey};
use crate::model::setters::setters;

/// The records of another resource that refer to one of this: what `has_many` declares.
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
    /// Their resource; a function, because two resources may refer to each other.
    pub resource: fn() -> &'static Descriptor,
    /// The column of theirs that has the reference.
    pub column: usize,
    /// Maximum number that `expand` returns for one record.
    pub limit: u32,
    /// Their order; that of their lists, if there is none.
    pub sort: &'static [SortKey],
    /// Whether bodies of the record have them: they are created and changed with it.
    pub nested: bool,
}

impl Children {
    /// The records that refer by a column; called by expansions.
    #[must_use]
    pub const fn new(name: &'static str, resource: fn() -> &'static Descriptor, column: usize, limit: u32) -> Self {
        Self { name, resource, column, limit, sort: &[], nested: false }
    }

    setters! {
        /// Sets their order.
        sort(&'static [SortKey]);
        /// Lets bodies of the record have them.
        nested(true);
    }

    /// The columns of theirs that refer, in the order of the key of the record.
    #[doc(hidden)]
    pub fn columns(&self) -> &[usize] {
        match (self.resource)().columns[self.column].references {
            Some(reference) if !reference.by.is_empty() => reference.by,
            _ => std::slice::from_ref(&self.column),
        }
    }

    /// The columns of a record's key, each with the one of theirs that refers to it.
    #[doc(hidden)]
    pub fn pairs(&self, resource: &Descriptor) -> Vec<(usize, usize)> {
        resource.key().iter().copied().zip(self.columns().iter().copied()).collect()
    }

    /// Their order.
    #[doc(hidden)]
    pub fn order(&self) -> Vec<SortKey> {
        if self.sort.is_empty() { (self.resource)().default_sort.to_vec() } else { self.sort.to_vec() }
    }
}
