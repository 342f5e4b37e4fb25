//! Unique values.

use crud_runtime::adapter::{AdapterError, Key, Unique, uniques};
use crud_runtime::column::Value;

use crate::tables::{Record, Table};

/// Checks that no other record has the unique values of `record`, which may be in the table already.
///
/// # Errors
/// [`AdapterError::Unique`] with the columns.
pub(crate) fn check(table: &Table, record: &Record) -> Result<(), AdapterError> {
    let resource = table.resource;
    for unique in uniques(resource) {
        let Unique { columns, active, .. } = &unique;
        let counts = |record: &Record| active.is_none() || !record.is_deleted(resource);
        // Null is never equal to null.
        let unlike = columns.iter().any(|column| record.get(*column).is_null());
        if unlike || !counts(record) {
            continue;
        }
        let same = |other: &Record| {
            let all: &[Value] = &other.0;
            let is_same = |column: &usize| match (&all[*column], &record.0[*column]) {
                (Value::Text(one), Value::Text(other)) if unique.ignores_case(*column) => {
                    one.eq_ignore_ascii_case(other)
                }
                (one, other) => one == other,
            };
            Key::of(resource, all) != Key::of(resource, &record.0) && columns.iter().all(is_same)
        };
        if table.records.values().any(|other| counts(other) && same(other)) {
            return Err(AdapterError::Unique { columns: unique.columns });
        }
    }
    Ok(())
}
