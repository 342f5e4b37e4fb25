//! References between records: existence checks and `on_delete` actions.

use std::sync::Arc;

use crud_runtime::adapter::{AdapterError, Key};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, OnDelete, Reference};

use crate::order::SortedKey;
use crate::tables::{Record, Tables};

/// Checks the references in columns that this change sets (`begins`): each must lead to a record that is not
/// soft-deleted.
///
/// # Errors
/// [`AdapterError::ReferenceNotFound`] with the columns of those that do not.
pub(crate) fn check(
    tables: &Tables,
    resource: &Descriptor,
    record: &Record,
    begins: impl Fn(usize) -> bool,
) -> Result<(), AdapterError> {
    let mut columns = Vec::new();
    for (column, descriptor) in resource.columns.iter().enumerate() {
        let begun = |reference: &Reference| reference.columns(&column).iter().any(|column| begins(*column));
        let kept = descriptor.references.filter(|reference| !reference.unconstrained && begun(reference));
        let Some(reference) = kept else { continue };
        let Some(key) = reference.key_in(column, &record.0) else { continue };
        let target = (reference.target)();
        // A record may refer to itself.
        let itself = target.table == resource.table && key == Key::of(resource, &record.0);
        let found = tables.get(target.table)?.get(&key);
        let is_of_another_tenant = |found: &Record| match (resource.tenant, target.tenant) {
            (Some(own), Some(other)) => record.get(own.column) != found.get(other.column),
            _ => false,
        };
        let is_refused = |found: &Arc<Record>| found.is_deleted(target) || is_of_another_tenant(found);
        if !itself && found.is_none_or(is_refused) {
            columns.push(column);
        }
    }
    if columns.is_empty() { Ok(()) } else { Err(AdapterError::ReferenceNotFound { columns }) }
}

/// A record's table and key.
type RecordId = (&'static str, Key);

/// Deletes a record and applies the `on_delete` actions of the references to it.
///
/// # Errors
/// [`AdapterError::Referenced`] when RESTRICT applies to a remaining reference; nothing is deleted then.
pub(crate) fn remove(tables: &mut Tables, table: &'static str, id: &Key) -> Result<(), AdapterError> {
    let mut deleted: Vec<RecordId> = vec![(table, id.clone())];
    let mut nulled: Vec<(RecordId, Vec<usize>)> = Vec::new();
    let mut restricted: Vec<RecordId> = Vec::new();
    let mut next = 0;
    while let Some(target) = deleted.get(next).cloned() {
        next += 1;
        for (place, columns, on_delete) in referring(tables, &target) {
            match on_delete {
                OnDelete::Cascade if deleted.contains(&place) => {}
                OnDelete::Cascade => deleted.push(place),
                OnDelete::SetNull => nulled.push((place, columns)),
                OnDelete::Restrict => restricted.push(place),
            }
        }
    }
    if restricted.iter().any(|place| !deleted.contains(place)) {
        return Err(AdapterError::Referenced);
    }
    for ((table, id), columns) in nulled {
        if let Some(record) = tables.get_mut(table)?.records.get_mut(&SortedKey(id)) {
            let record = Arc::make_mut(record);
            for column in columns {
                record.0[column] = Value::Null;
            }
        }
    }
    for (table, id) in deleted {
        tables.get_mut(table)?.records.remove(&SortedKey(id));
    }
    Ok(())
}

/// The records that refer to a record, with the referring columns and their `on_delete` action.
fn referring(tables: &Tables, (target, id): &RecordId) -> Vec<(RecordId, Vec<usize>, OnDelete)> {
    let mut found = Vec::new();
    for table in tables.all() {
        for (column, descriptor) in table.resource.columns.iter().enumerate() {
            let refers = |it: &Reference| !it.unconstrained && (it.target)().table == *target;
            let Some(reference) = descriptor.references.filter(refers) else {
                continue;
            };
            let refers_here = |record: &&Arc<Record>| reference.key_in(column, &record.0).as_ref() == Some(id);
            let records = table.records.values().filter(refers_here);
            let place = |record: &Record| (table.resource.table, Key::of(table.resource, &record.0));
            let columns = || reference.columns(&column).to_vec();
            found.extend(records.map(|record| (place(record), columns(), reference.on_delete)));
        }
    }
    found
}
