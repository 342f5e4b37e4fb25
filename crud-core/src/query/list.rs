//! [`ListQuery`]: the query for a list, as storage gets it.

use super::joined::JoinedColumn;
use super::predicate::Predicate;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, SortKey};
use crate::model::row::Row;
use crate::model::stored_value::column_value;
use crate::model::value::Value;

/// A list as an adapter runs it: checked against the descriptor, columns by index.
///
/// ```
/// use crud_runtime::descriptor::Descriptor;
/// use crud_runtime::query::{ListQuery, Predicate};
///
/// fn with_name(resource: &'static Descriptor, name: usize) -> ListQuery {
///     ListQuery::all(resource).filter(Predicate::IsNull { column: name, null: false }).limit(20)
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListQuery {
    /// The condition on the records.
    pub filter: Predicate,
    /// The order; the last key is the id, so that the order is total ([`total_order`]).
    ///
    /// Nulls come first ascending and last descending. Text and enums order by code point, `false` before `true`,
    /// UUIDs as their texts, decimals as numbers.
    pub sort: Vec<SortKey>,
    /// Fields of the records that the listed ones refer to, as further columns. In `sort` and in the rows, their
    /// indexes follow those of the resource's columns. Only storage with
    /// [`Capabilities::subqueries`](crate::adapter::Capabilities) gets them.
    pub joined: Vec<JoinedColumn>,
    /// Limits the list to the first records of each value of some columns. Only storage with
    /// [`Capabilities::subqueries`](crate::adapter::Capabilities) gets this, and without `after`.
    pub limit_per: Option<LimitPer>,
    /// Number of records to skip.
    pub skip: u64,
    /// Maximum number of records to return.
    pub limit: Option<u64>,
    /// Keyset: continue after the record with these values of the sort keys, one for each.
    pub after: Option<Vec<Value>>,
}

/// A limit of the records with the same values of some columns.
///
/// ```
/// use crud_runtime::descriptor::Descriptor;
/// use crud_runtime::query::ListQuery;
///
/// /// The first five records of each category.
/// fn first_five(resource: &'static Descriptor, category: usize) -> ListQuery {
///     ListQuery::all(resource).limit_per(vec![category], 5)
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitPer {
    /// The columns.
    pub columns: Vec<usize>,
    /// Maximum number of records with the same values: the first ones in the order.
    pub limit: u64,
}

impl ListQuery {
    /// Every record, deleted ones too, in the resource's default order.
    pub fn all(resource: &'static Descriptor) -> Self {
        Self {
            filter: Predicate::All,
            sort: total_order(resource, resource.default_sort.to_vec()),
            joined: Vec::new(),
            limit_per: None,
            skip: 0,
            limit: None,
            after: None,
        }
    }

    /// Adds a condition: records must satisfy it too.
    #[must_use]
    pub fn filter(self, condition: Predicate) -> Self {
        Self { filter: self.filter.and(condition), ..self }
    }

    /// Replaces the order; its last key is the id ([`total_order`]).
    #[must_use]
    pub fn sort(self, keys: Vec<SortKey>) -> Self {
        Self { sort: keys, ..self }
    }

    /// Limits the records with the same values of some columns.
    #[must_use]
    pub fn limit_per(self, columns: Vec<usize>, limit: u64) -> Self {
        Self { limit_per: Some(LimitPer { columns, limit }), ..self }
    }

    /// A column of the rows, by its index: of the resource, or joined.
    pub fn column(&self, resource: &'static Descriptor, index: usize) -> &ColumnDescriptor {
        let own = resource.columns.len();
        if index < own { &resource.columns[index] } else { self.joined[index - own].descriptor() }
    }

    /// The values of the sort keys of a row; `None` where one of them cannot be read.
    ///
    /// # Errors
    /// Other errors of reading the row.
    #[doc(hidden)]
    pub fn place(&self, resource: &'static Descriptor, row: &dyn Row) -> Result<Option<Vec<Value>>, AdapterError> {
        let value = |key: &SortKey| column_value(self.column(resource, key.column), key.column, row);
        match self.sort.iter().map(value).collect::<Result<_, _>>() {
            Ok(values) => Ok(Some(values)),
            Err(AdapterError::Corrupt { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Continues after the record with these values of the sort keys; where they are unknown, skips this many more
    /// records.
    #[doc(hidden)]
    pub fn continue_after(&mut self, place: Option<Vec<Value>>, records: u64) {
        match place {
            Some(values) => {
                self.after = Some(values);
                self.skip = 0;
            }
            None => self.skip += records,
        }
    }

    /// Sets how many records to skip.
    #[must_use]
    pub fn skip(self, skip: u64) -> Self {
        Self { skip, ..self }
    }

    /// Sets how many records to return at most.
    #[must_use]
    pub fn limit(self, limit: u64) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Continues after the record with these values of the sort keys.
    #[must_use]
    pub fn after(self, values: Vec<Value>) -> Self {
        Self { after: Some(values), ..self }
    }
}

/// Appends the missing columns of the key to the sort keys, in the direction of the last sort key, so that one index
/// serves the whole order. Where records have no key, the columns are those that `sort` can name.
///
/// ```
/// use crud_runtime::descriptor::{Descriptor, SortKey};
/// use crud_runtime::query::total_order;
///
/// /// By name, and of equal names by the key.
/// fn by_name(resource: &Descriptor, name: usize) -> Vec<SortKey> {
///     total_order(resource, vec![SortKey::ascending(name)])
/// }
/// ```
pub fn total_order(resource: &Descriptor, mut keys: Vec<SortKey>) -> Vec<SortKey> {
    let descending = keys.last().is_some_and(|key| key.descending);
    let mut append = |column: usize| {
        if keys.iter().all(|key| key.column != column) {
            keys.push(SortKey::new(column, descending));
        }
    };
    if resource.keyless {
        resource.keyless_order().for_each(append);
    } else {
        resource.key().iter().copied().for_each(&mut append);
    }
    keys
}
