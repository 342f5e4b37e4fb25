//! Lists of more records than a database returns by one statement: vttablet refuses a read of more than 10,000.
//!
//! Such a list is read in pages. Each page continues after the last record of the page before, so that no record is
//! repeated or left out. Each page is a statement: outside of a transaction, a record that is written meanwhile may be
//! in a later page.

use crate::facts::Facts;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::ListQuery;

/// Limit of the records of a page.
pub(crate) const PAGE: u64 = 5_000;

/// The pages of a list.
pub(crate) struct Pages {
    resource: &'static Descriptor,
    /// The query of the next page.
    query: ListQuery,
    /// Number of records that are still to be read.
    remaining: Option<u64>,
}

impl Pages {
    /// The pages of a list that may have more records than the database returns at once; `None` for others.
    pub(crate) fn of(facts: &Facts, resource: &'static Descriptor, query: &ListQuery) -> Option<Self> {
        let is_long = facts.has_limited_reads() && query.limit.is_none_or(|limit| limit > PAGE);
        (is_long && query.limit_per.is_none()).then(|| {
            let pages = Self { resource, query: query.clone(), remaining: query.limit };
            pages.limited()
        })
    }

    pub(crate) const fn query(&self) -> &ListQuery {
        &self.query
    }

    /// The sink of the next page.
    pub(crate) fn sink<'s>(&'s self, sink: &'s mut dyn RowSink) -> PageSink<'s> {
        PageSink { pages: self, sink, rows: 0, last: None }
    }

    /// The remaining pages after this one was read; `None` after the last page.
    pub(crate) fn after(mut self, read: PageRead) -> Option<Self> {
        let has_more = Some(read.rows) == self.query.limit;
        self.remaining = self.remaining.map(|remaining| remaining - read.rows.min(remaining));
        self.query.continue_after(read.last.filter(|_| !self.resource.keyless), read.rows);
        (has_more && self.remaining != Some(0)).then(|| self.limited())
    }

    fn limited(mut self) -> Self {
        self.query.limit = Some(self.remaining.map_or(PAGE, |remaining| remaining.min(PAGE)));
        self
    }
}

/// Passes on the records of a page, and notes the position of the last one.
pub(crate) struct PageSink<'s> {
    pages: &'s Pages,
    sink: &'s mut dyn RowSink,
    rows: u64,
    last: Option<Vec<Value>>,
}

/// Extent of a page that was read.
pub(crate) struct PageRead {
    rows: u64,
    last: Option<Vec<Value>>,
}

impl PageSink<'_> {
    pub(crate) fn read(self) -> PageRead {
        PageRead { rows: self.rows, last: self.last }
    }
}

impl RowSink for PageSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.rows += 1;
        let Pages { resource, query, .. } = self.pages;
        if Some(self.rows) == query.limit {
            self.last = query.place(resource, row)?;
        }
        self.sink.row(row)
    }
}
