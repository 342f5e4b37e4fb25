//! The states of a record before and after entries of the log, from the record as it is now.
//!
//! The log has the former values of each change. Applied to the current record, newest entry first, they give the
//! record before the oldest of these entries. Entries that are newer than those of interest are applied too: without
//! them, later values would pass for former ones.

use crud_runtime::StoredRecord;

use crate::entry::{Entry, EntryKind};

/// A record at a point in time; `None` if it did not exist.
pub(crate) type Past = Option<StoredRecord>;

/// The record as it is now. If it is gone without an entry for its deletion, all its values are unknown.
pub(crate) fn present(now: Option<&StoredRecord>, newest: &Entry) -> Past {
    match now {
        Some(record) => Some(record.clone()),
        None if newest.kind == EntryKind::Delete => None,
        None => Some(StoredRecord::unknown(newest.resource)),
    }
}

/// The record before an entry, computed from the record after it.
pub(crate) fn before(after: Past, entry: &Entry) -> Past {
    if !entry.kind.changes_values() {
        return after;
    }
    if entry.kind == EntryKind::Create {
        return None;
    }
    let mut record = match entry.kind {
        // For a removed record, the log has every value that answers may show.
        EntryKind::Delete => StoredRecord::unknown(entry.resource),
        _ => after.unwrap_or_else(|| StoredRecord::unknown(entry.resource)),
    };
    match entry.former() {
        Some(values) => record.lay_over(values, entry.tenant.as_deref()),
        // The former values were erased, so any value may have been different.
        None => record.forget(),
    }
    if entry.kind == EntryKind::SoftDelete {
        record.lay_active();
    }
    Some(record)
}
