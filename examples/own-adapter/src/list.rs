//! Lists: filter, sort order and page.

use std::ops::Bound;

use crud_runtime::column::Value;
use crud_runtime::query::ListQuery;

use crate::order::{SortedKey, by_keys};
use crate::predicate::satisfies;
use crate::tables::{Record, Table};

/// The records of a query, in its sort order.
pub(crate) fn list<'a>(table: &'a Table, query: &ListQuery) -> Vec<&'a Record> {
    let skip = usize::try_from(query.skip).unwrap_or(usize::MAX);
    let limit = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let selected = |record: &&Record| {
        let behind =
            query.after.as_ref().is_none_or(|last| by_keys(table.resource, &query.sort, record, last.iter()).is_gt());
        behind && satisfies(&query.filter, record)
    };
    if let Some(first) = query.sort.first().filter(|key| table.resource.key() == [key.column]) {
        // Records are stored in key order: no sort is needed, in either direction.
        let records = after_key(table, query.after.as_ref().and_then(|last| last.first()), first.descending);
        return records.filter(selected).skip(skip).take(limit).collect();
    }
    let mut found: Vec<&Record> = table.records.values().map(|record| &**record).filter(selected).collect();
    let order = |one: &&Record, other: &&Record| {
        by_keys(table.resource, &query.sort, one, query.sort.iter().map(|key| other.get(key.column)))
    };
    let end = skip.saturating_add(limit);
    if end < found.len() {
        // Records behind the page need not be sorted.
        found.select_nth_unstable_by(end, order);
        found.truncate(end);
    }
    found.sort_unstable_by(order);
    found.drain(..skip.min(found.len()));
    found
}

/// The records after a key, in ascending or descending key order.
fn after_key<'a>(
    table: &'a Table,
    after: Option<&Value>,
    descending: bool,
) -> Box<dyn Iterator<Item = &'a Record> + 'a> {
    let bound = after.map_or(Bound::Unbounded, |key| Bound::Excluded(SortedKey(key.clone().into())));
    let range = if descending { (Bound::Unbounded, bound) } else { (bound, Bound::Unbounded) };
    let records = table.records.range(range).map(|(_, record)| &**record);
    if descending { Box::new(records.rev()) } else { Box::new(records) }
}
