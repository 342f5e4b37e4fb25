//! The total of a list, as far as a page tells it.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Count;
use crate::model::row::{Row, RowSink};
use crate::query::{ListQuery, Total};

/// The total from a count that stops beyond the cap.
pub fn capped(found: u64, cap: u32) -> Total {
    let cap = u64::from(cap);
    if found > cap { Total::AtLeast(cap) } else { Total::Exactly(found) }
}

/// The total that a page tells by itself. A page that is not full is the last, and its end is the total. A page that
/// ends beyond the cap gives a lower bound.
pub fn known(query: &ListQuery, rows: u64, count: Count) -> Option<Total> {
    let end = query.skip + rows;
    let is_full = query.limit.is_some_and(|limit| rows >= limit);
    match count {
        Count::None => None,
        _ if query.after.is_some() => None,
        _ if !is_full && (rows > 0 || query.skip == 0) => Some(Total::Exactly(end)),
        Count::Capped(cap) if rows > 0 && end > u64::from(cap) => Some(Total::AtLeast(end)),
        Count::Capped(_) | Count::Exact => None,
    }
}

/// Passes rows to another sink and counts them.
pub(super) struct CountedRows<'a> {
    pub(super) sink: &'a mut dyn RowSink,
    pub(super) count: u64,
    /// The count at the mark.
    pub(super) mark: u64,
}

impl RowSink for CountedRows<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.count += 1;
        self.sink.row(row)
    }

    fn mark(&mut self) -> bool {
        self.mark = self.count;
        self.sink.mark()
    }

    fn return_to_mark(&mut self) {
        self.count = self.mark;
        self.sink.return_to_mark();
    }
}
