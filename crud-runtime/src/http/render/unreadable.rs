//! [`Unreadable`]: the fields of a record whose stored values cannot be read.
//!
//! Such a field is `null`, and the record lists its pointer:
//!
//! ```json
//! { "id": 7, "amount": null, "unreadable": ["/amount"] }
//! ```

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::key::Key;
use crate::model::problem::pointer_token;
use crate::model::row::Row;
use crate::model::value::ValueRef;

/// The member of a record that lists the pointers.
pub(crate) const MEMBER: &str = "unreadable";

/// Interval between two log lines about one column.
const INTERVAL: Duration = Duration::from_mins(1);

/// The unreadable fields of a record, by their names in JSON. The list takes no memory while it is empty.
#[derive(Debug, Default)]
pub(crate) struct Unreadable(Vec<&'static str>);

impl Unreadable {
    /// The value of a column, or null for one that cannot be read, which is logged and listed.
    ///
    /// # Errors
    /// Errors of reading the row other than [`AdapterError::Corrupt`].
    pub(crate) fn value<'r>(
        &mut self,
        resource: &'static Descriptor,
        index: usize,
        row: &'r dyn Row,
    ) -> Result<ValueRef<'r>, AdapterError> {
        row.value(index).or_else(|error| self.null(resource, index, row, error))
    }

    /// Null in place of a value that cannot be read.
    ///
    /// # Errors
    /// An error other than [`AdapterError::Corrupt`].
    #[cold]
    pub(super) fn null(
        &mut self,
        resource: &'static Descriptor,
        index: usize,
        row: &dyn Row,
        error: AdapterError,
    ) -> Result<ValueRef<'static>, AdapterError> {
        let AdapterError::Corrupt { error, .. } = error else { return Err(error) };
        let column = &resource.columns[index];
        log(resource, column, row, &error);
        self.0.push(column.json);
        Ok(ValueRef::Null)
    }

    /// Lists a field.
    pub(super) fn push(&mut self, column: &'static ColumnDescriptor) {
        self.0.push(column.json);
    }

    /// Writes the member after the others of a record, if a field is listed.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            return;
        }
        let pointers: Vec<String> = self.0.iter().map(|name| format!("/{}", pointer_token(name))).collect();
        out.extend_from_slice(b",\"");
        out.extend_from_slice(MEMBER.as_bytes());
        out.extend_from_slice(b"\":");
        // Texts are serialized, and writes to memory do not fail.
        drop(serde_json::to_writer(out, &pointers));
    }
}

/// Logs the record and the column, for each column once a minute.
fn log(resource: &'static Descriptor, column: &'static ColumnDescriptor, row: &dyn Row, error: &ColumnError) {
    static LAST: Mutex<BTreeMap<(&str, &str), Instant>> = Mutex::new(BTreeMap::new());
    let now = Instant::now();
    {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.entry((resource.table, column.column)).or_insert(now);
        if *known != now && now.duration_since(*known) < INTERVAL {
            return;
        }
        *known = now;
    }
    let key = Key::of_row(resource, row).map_or_else(|_| "unreadable".to_owned(), |key| key.to_string());
    tracing::error!(
        resource = resource.name,
        table = resource.table,
        column = column.column,
        key,
        %error,
        "a stored value cannot be read: the field is null"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_escaped() {
        let mut out = Vec::new();
        Unreadable::default().write(&mut out);
        assert!(out.is_empty());
        Unreadable(vec!["a/b", "c~\"d"]).write(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#","unreadable":["/a~1b","/c~0\"d"]"#);
    }
}
