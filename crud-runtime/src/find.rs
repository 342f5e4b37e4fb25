//! Finding one record, in the state that is asked for.

use crate::adapter::{Adapter, AdapterError, Row, RowSink};
use crate::caller::Ownership;
use crate::descriptor::Descriptor;
use crate::query::Scope;
use crate::value::{Value, ValueRef};

/// Which records are seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) scope: Scope,
    /// Of whom, if not of everybody.
    pub(crate) owner: Option<&'a Ownership>,
}

impl Sight<'_> {
    /// Everybody's records in this scope.
    pub(crate) const fn of(scope: Scope) -> Self {
        Self { scope, owner: None }
    }
}

/// Hands the record of a key to `sink`, if it is there and seen; whether that is so.
pub(crate) async fn find(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    id: &Value,
    sight: Sight<'_>,
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let mut filter = Filter { resource, sight, sink, seen: false };
    adapter.get(resource, id, &mut filter).await?;
    Ok(filter.seen)
}

struct Filter<'a> {
    resource: &'static Descriptor,
    sight: Sight<'a>,
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
            Some(owner) => owner.has(self.resource, row.value(owner.column())?),
            None => true,
        };
        self.seen = owned && self.sight.scope.sees(deleted);
        if self.seen { self.sink.row(row) } else { Ok(()) }
    }
}
