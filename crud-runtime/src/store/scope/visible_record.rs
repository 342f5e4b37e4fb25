//! The read of one record, if it is visible.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::RecordVisibility;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::decide::{RecordState, state};
use crate::store::each_row::each_row;
use crate::store::writer::related_scopes::Lookup;

/// Passes the record with this key to `sink`, if it exists and is visible; returns whether it was passed.
pub(crate) async fn read_visible(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Key,
    visibility: RecordVisibility<'_>,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    // Where related records decide the visibility, one statement can read them and the record.
    let led = visibility.records.filter(|records| records.reads_related());
    let stated = led.filter(|_| adapter.capabilities().subqueries);
    let compared = visibility.records.filter(|_| stated.is_none());
    let mut is_visible = false;
    let mut visible = each_row(|row| {
        let deleted = state(resource, row)? == RecordState::Deleted;
        let reached = compared.map_or(Ok(true), |records| records.admits(resource, row))?;
        is_visible = reached && visibility.scope.includes(deleted);
        if is_visible { sink.row(row) } else { Ok(()) }
    });
    if let Some(records) = stated {
        let query = ListQuery::all(resource).filter(Predicate::of_key(resource, id).and(records.predicate()));
        adapter.list(resource, &query.limit(1), &mut visible).await?;
    } else {
        if let Some(records) = led {
            // Boxed, so that other reads need no space for it.
            Box::pin(Lookup::of(adapter).prepare(resource, records, id)).await?;
        }
        let tenant = visibility.records.and_then(RecordScope::tenant);
        adapter.get(resource, id, tenant, &mut visible).await?;
    }
    Ok(is_visible)
}
