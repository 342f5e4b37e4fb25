//! Finding one record, in the state that is asked for.

use crate::adapter::{Adapter, AdapterError, Row, RowSink};
use crate::descriptor::Descriptor;
use crate::query::Scope;
use crate::value::{Value, ValueRef};

/// Hands the record of a key to `sink`, if it is there and the scope sees it; whether that is so.
pub(crate) async fn find(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Value,
    scope: Scope,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let mut scoped = Scoped { deleted_at: resource.soft_delete.map(|s| s.deleted_at), scope, sink, seen: false };
    adapter.get(resource, id, &mut scoped).await?;
    Ok(scoped.seen)
}

struct Scoped<'a> {
    deleted_at: Option<usize>,
    scope: Scope,
    sink: &'a mut dyn RowSink,
    seen: bool,
}

impl RowSink for Scoped<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let deleted = match self.deleted_at {
            Some(column) => !matches!(row.value(column)?, ValueRef::Null),
            None => false,
        };
        self.seen = self.scope.sees(deleted);
        if self.seen { self.sink.row(row) } else { Ok(()) }
    }
}
