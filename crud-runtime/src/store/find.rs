//! Finding one record, in the state that is asked for.

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Value, ValueRef};
use crate::query::visibility::RecordVisibility;
use crate::storage::adapter::Adapter;

/// Hands the record of a key to `sink`, if it is there and seen; whether that is so.
pub(crate) async fn find(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Value,
    sight: RecordVisibility<'_>,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let mut filter = Filter { resource, sight, sink, seen: false };
    adapter.get(resource, id, &mut filter).await?;
    Ok(filter.seen)
}

struct Filter<'a> {
    resource: &'static Descriptor,
    sight: RecordVisibility<'a>,
    sink: &'a mut dyn RowSink,
    seen: bool,
}

impl RowSink for Filter<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let deleted = match self.resource.soft_delete {
            Some(soft_delete) => !matches!(row.value(soft_delete.deleted_at)?, ValueRef::Null),
            None => false,
        };
        let owned = match self.sight.owner {
            Some(owner) => owner.owns(self.resource, row.value(owner.column())?),
            None => true,
        };
        self.seen = owned && self.sight.scope.includes(deleted);
        if self.seen { self.sink.row(row) } else { Ok(()) }
    }
}
