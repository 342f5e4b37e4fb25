//! The order of values, equal on every storage: text by code point, decimals as numbers, null first.

use std::cmp::Ordering;

pub(crate) use crud_runtime::adapter::order;
use crud_runtime::adapter::{Key, order_in};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, SortKey};

use crate::tables::Record;

/// The order of a record and the values of its sort keys.
pub(crate) fn by_keys<'a>(
    resource: &Descriptor,
    keys: &[SortKey],
    one: &Record,
    other: impl Iterator<Item = &'a Value>,
) -> Ordering {
    let orders = keys.iter().zip(other).map(|(key, other)| {
        let ascending = order_in(&resource.columns[key.column], one.get(key.column), other);
        if key.descending { ascending.reverse() } else { ascending }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// A record's key, sorted by its values.
#[derive(Debug, Clone)]
pub(crate) struct SortedKey(pub(crate) Key);

impl Ord for SortedKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let values = self.0.values().iter().zip(other.0.values());
        values.map(|(one, other)| order(one, other)).fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialOrd for SortedKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortedKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortedKey {}
