//! The states of a record before and after entries of the log, from the record as it is now.
//!
//! The log has the former values of what each change changed. Laid over the record as it is now, the newest entry's first, they
//! are the record as it was before the oldest of these entries. Entries that are newer than those of interest are laid over too:
//! without them, values that were changed since would count as former ones.

use crud_runtime::StoredRecord;

use crate::entry::{Entry, EntryKind};

/// A record at a time; none where it did not exist.
pub(crate) type Past = Option<StoredRecord>;

/// The record as it is now: where it is gone and its last entry does not say why, nothing is known of it.
pub(crate) fn present(now: Option<&StoredRecord>, newest: &Entry) -> Past {
    match now {
        Some(record) => Some(record.clone()),
        None if newest.kind == EntryKind::Delete => None,
        None => Some(StoredRecord::unknown(newest.resource)),
    }
}

/// The record before an entry, from that after it.
pub(crate) fn before(after: Past, entry: &Entry) -> Past {
    if !entry.kind.changes_values() {
        return after;
    }
    if entry.kind == EntryKind::Create {
        return None;
    }
    let mut record = match entry.kind {
        // The log has every value of a removed record that answers have.
        EntryKind::Delete => StoredRecord::unknown(entry.resource),
        _ => after.unwrap_or_else(|| StoredRecord::unknown(entry.resource)),
    };
    match entry.former() {
        Some(values) => record.lay_over(values, entry.tenant.as_deref()),
        // Erased: any value may have been another one.
        None => record.forget(),
    }
    if entry.kind == EntryKind::SoftDelete {
        record.lay_active();
    }
    Some(record)
}
