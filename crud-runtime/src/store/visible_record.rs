//! Reading one record, if it is visible.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::query::visibility::RecordVisibility;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::decide::{RecordState, state};
use crate::store::writer::leads::Lookup;

/// Passes the record with this key to `sink`, if it exists and is visible; returns whether it was passed.
pub(crate) async fn read_visible(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Key,
    visibility: RecordVisibility<'_>,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let mut filter = VisibleRows { resource, visibility, sink, is_visible: false };
    match visibility.records.filter(|records| records.is_led_to_read()) {
        Some(records) if adapter.capabilities().subqueries => {
            // Records of other resources decide: one statement reads them and the record.
            filter.visibility.records = None;
            let query = ListQuery::all(resource).filter(Predicate::of_key(resource, id).and(records.predicate()));
            adapter.list(resource, &query.limit(1), &mut filter).await?;
        }
        Some(records) => {
            Lookup::of(adapter).prepare(resource, records, id).await?;
            adapter.get(resource, id, &mut filter).await?;
        }
        None => {
            adapter.get(resource, id, &mut filter).await?;
        }
    }
    Ok(filter.is_visible)
}

/// Passes visible rows to another sink.
struct VisibleRows<'a> {
    resource: &'static Descriptor,
    visibility: RecordVisibility<'a>,
    sink: &'a mut dyn RowSink,
    is_visible: bool,
}

impl RowSink for VisibleRows<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let deleted = state(self.resource, row)? == RecordState::Deleted;
        let reached = self.visibility.records.map_or(Ok(true), |records| records.admits(self.resource, row))?;
        self.is_visible = reached && self.visibility.scope.includes(deleted);
        if self.is_visible { self.sink.row(row) } else { Ok(()) }
    }
}
