//! [`Pages`]: the records of a table in bounded memory.

use crate::model::adapter_error::AdapterError;
use crate::model::column::owned_value;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Kind, Value, ValueRef, value_size};
use crate::query::ListQuery;
use crate::storage::transaction::Transaction;
use crate::storage::transfer::{Load, Refused};

/// Limit of the records of a page.
const MAX_RECORDS: u64 = 1_000;

/// Bytes after which a page ends.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The side of a move that is read.
pub(super) enum Reads<'a> {
    Snapshot(&'a mut dyn Transaction),
    Target(&'a mut dyn Load),
}

/// Some records of a table.
pub(super) struct MovedPage {
    table: &'static Descriptor,
    /// A value for every column; null for a column that is not stored.
    pub(super) records: Vec<Vec<Value>>,
    /// Records with a value that their column cannot have.
    pub(super) unreadable: Vec<Refused>,
    /// The key of the last record.
    pub(super) last: Option<Key>,
    bytes: usize,
    /// Whether records were left out, because the page has enough bytes.
    is_cut: bool,
}

impl RowSink for MovedPage {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if self.bytes >= MAX_BYTES {
            self.is_cut = true;
            return Ok(());
        }
        let key = Key::of_row(self.table, row)?;
        let record = (0..self.table.columns.len()).map(|column| self.value(row, column));
        match record.collect::<Result<Vec<_>, _>>() {
            Ok(record) => {
                self.bytes += record.iter().map(value_size).sum::<usize>();
                self.records.push(record);
            }
            Err(error) => self.unreadable.push(Refused::new(key.clone(), error)),
        }
        self.last = Some(key);
        Ok(())
    }
}

impl MovedPage {
    fn value(&self, row: &dyn Row, column: usize) -> Result<Value, AdapterError> {
        let descriptor = &self.table.columns[column];
        if !descriptor.is_stored() {
            return Ok(Value::Null);
        }
        match (descriptor.kind, row.value(column)?) {
            // The text as written, with the order of members and all digits of numbers.
            (Kind::Json, ValueRef::JsonText(text)) => Ok(Value::JsonText(text.to_owned())),
            (kind, value) => {
                owned_value(kind, value).map_err(|error| AdapterError::Corrupt { column: descriptor.column, error })
            }
        }
    }
}

/// The records that a query finds, until there are enough bytes.
pub(super) async fn read(
    reads: &mut Reads<'_>,
    table: &'static Descriptor,
    query: &ListQuery,
) -> Result<MovedPage, AdapterError> {
    let (records, unreadable) = (Vec::new(), Vec::new());
    let mut page = MovedPage { table, records, unreadable, last: None, bytes: 0, is_cut: false };
    match reads {
        Reads::Snapshot(from) => from.list(table, query, false, &mut page).await?,
        Reads::Target(to) => to.list(table, query, &mut page).await?,
    }
    Ok(page)
}

/// The records of a table, in the order of their keys.
pub(super) struct Pages {
    table: &'static Descriptor,
    query: ListQuery,
    has_ended: bool,
}

impl Pages {
    pub(super) fn new(table: &'static Descriptor) -> Self {
        let sort = SortKey::of_key(table, false);
        Self { table, query: ListQuery::all(table).sort(sort).limit(MAX_RECORDS), has_ended: false }
    }

    /// The next page, if there is one.
    pub(super) async fn next(&mut self, reads: &mut Reads<'_>) -> Result<Option<MovedPage>, AdapterError> {
        if self.has_ended {
            return Ok(None);
        }
        let page = read(reads, self.table, &self.query).await?;
        let count = (page.records.len() + page.unreadable.len()) as u64;
        self.has_ended = !page.is_cut && Some(count) < self.query.limit;
        // Large records are read in smaller pages: records that a page leaves out were read in vain.
        let limit = if page.is_cut { count.max(1) } else { (2 * count).clamp(1, MAX_RECORDS) };
        self.query.limit = Some(limit);
        self.query.after = page.last.clone().map(Key::into_values);
        Ok((count > 0).then_some(page))
    }
}
