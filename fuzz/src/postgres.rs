//! The target of PostgreSQL's binary forms.

use crud_runtime::__private::postgres_fuzzing::{TYPES, decode, is_kept};
use crud_runtime::Resource;

use crate::service::Record;

/// A value: the first byte chooses a column, the second one the type, the rest is the value. What is accepted is kept.
pub(crate) fn postgres(input: &[u8]) {
    let [column, of, bytes @ ..] = input else { return };
    let columns = Record::DESCRIPTOR.columns;
    let column = &columns[usize::from(*column) % columns.len()];
    let of = TYPES[usize::from(*of) % TYPES.len()];
    if let Some(value) = decode(column, of, bytes) {
        assert!(is_kept(column, &value), "{} of the type {of}: {value:?}", column.name);
    }
}
