//! References between records: that they lead somewhere, and what happens when that goes.

use std::sync::Arc;

use crud_runtime::Value;
use crud_runtime::adapter::AdapterError;
use crud_runtime::descriptor::{Descriptor, OnDelete};

use crate::order::Key;
use crate::tables::{Record, Tables};

/// Refuses a record some of whose references, among those in the columns that `begins` names, lead to no
/// record, or to one that is soft-deleted.
///
/// # Errors
/// [`AdapterError::ReferenceNotFound`] with the columns.
pub(crate) fn check(
    tables: &Tables,
    resource: &Descriptor,
    record: &Record,
    begins: impl Fn(usize) -> bool,
) -> Result<(), AdapterError> {
    let mut columns = Vec::new();
    for (column, descriptor) in resource.columns.iter().enumerate().filter(|(column, _)| begins(*column)) {
        let (Some(reference), value) = (&descriptor.references, record.get(column)) else { continue };
        let target = (reference.target)();
        // A record may refer to itself.
        let itself = target.table == resource.table && value == record.get(resource.id);
        let found = tables.get(target.table)?.get(value);
        if !value.is_null() && !itself && found.is_none_or(|found| found.is_deleted(target)) {
            columns.push(column);
        }
    }
    if columns.is_empty() { Ok(()) } else { Err(AdapterError::ReferenceNotFound { columns }) }
}

/// A record, by the name of its table and its key.
type Place = (&'static str, Value);

/// Removes a record with what has to go along, and empties the references that have to be emptied.
///
/// # Errors
/// [`AdapterError::Referenced`] when another record refers to one that would go; nothing is removed then.
pub(crate) fn remove(tables: &mut Tables, table: &'static str, id: &Value) -> Result<(), AdapterError> {
    let mut gone: Vec<Place> = vec![(table, id.clone())];
    let mut emptied: Vec<(Place, usize)> = Vec::new();
    let mut kept: Vec<Place> = Vec::new();
    let mut next = 0;
    while let Some(target) = gone.get(next).cloned() {
        next += 1;
        for (place, column, on_delete) in referring(tables, &target) {
            match on_delete {
                OnDelete::Cascade if gone.contains(&place) => {}
                OnDelete::Cascade => gone.push(place),
                OnDelete::SetNull => emptied.push((place, column)),
                OnDelete::Restrict => kept.push(place),
            }
        }
    }
    if kept.iter().any(|place| !gone.contains(place)) {
        return Err(AdapterError::Referenced);
    }
    for ((table, id), column) in emptied {
        if let Some(record) = tables.get_mut(table)?.records.get_mut(&Key(id)) {
            Arc::make_mut(record).0[column] = Value::Null;
        }
    }
    for (table, id) in gone {
        tables.get_mut(table)?.records.remove(&Key(id));
    }
    Ok(())
}

/// The records that refer to one: by which column, and what happens to each when it goes.
fn referring(tables: &Tables, (target, id): &Place) -> Vec<(Place, usize, OnDelete)> {
    let mut found = Vec::new();
    for table in tables.all() {
        for (column, descriptor) in table.resource.columns.iter().enumerate() {
            let Some(reference) = descriptor.references.filter(|it| (it.target)().table == *target) else {
                continue;
            };
            let records = table.records.values().filter(|record| record.get(column) == id);
            let place = |record: &Record| (table.resource.table, record.get(table.resource.id).clone());
            found.extend(records.map(|record| (place(record), column, reference.on_delete)));
        }
    }
    found
}
