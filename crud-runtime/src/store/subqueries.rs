//! Conditions on the records of another resource, for storage that knows conditions on one alone.

use std::borrow::Cow;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{InSubquery, ListQuery, Predicate};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::store::owned_record::OwnedRecord;

/// The predicate as storage knows it: the values of selects are read first, where it has no subqueries; at most so many
/// of each.
///
/// # Errors
/// [`AdapterError::Unsupported`] where there are more.
pub(crate) async fn resolved<'p>(
    adapter: &dyn Adapter,
    predicate: &'p Predicate,
    max: Option<u64>,
) -> Result<Cow<'p, Predicate>, AdapterError> {
    if adapter.capabilities().subqueries || !has_select(predicate) {
        return Ok(Cow::Borrowed(predicate));
    }
    resolve(adapter, predicate, max).await.map(Cow::Owned)
}

fn has_select(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::InSubquery(_) => true,
        Predicate::And(terms) | Predicate::Or(terms) => terms.iter().any(has_select),
        Predicate::Not(inner) => has_select(inner),
        _ => false,
    }
}

fn resolve<'a>(
    adapter: &'a dyn Adapter,
    predicate: &'a Predicate,
    max: Option<u64>,
) -> BoxFuture<'a, Result<Predicate, AdapterError>> {
    Box::pin(async move {
        Ok(match predicate {
            Predicate::InSubquery(select) => values(adapter, select, max).await?,
            Predicate::And(terms) => Predicate::And(all(adapter, terms, max).await?),
            Predicate::Or(terms) => Predicate::Or(all(adapter, terms, max).await?),
            Predicate::Not(inner) => Predicate::Not(Box::new(resolve(adapter, inner, max).await?)),
            other => other.clone(),
        })
    })
}

async fn all(adapter: &dyn Adapter, terms: &[Predicate], max: Option<u64>) -> Result<Vec<Predicate>, AdapterError> {
    let mut resolved = Vec::with_capacity(terms.len());
    for term in terms {
        resolved.push(resolve(adapter, term, max).await?);
    }
    Ok(resolved)
}

async fn values(adapter: &dyn Adapter, select: &InSubquery, max: Option<u64>) -> Result<Predicate, AdapterError> {
    let InSubquery { column, resource, selected, filter } = select;
    let filter = resolve(adapter, filter, max).await?;
    let mut query = ListQuery::all(resource).filter(filter);
    query.limit = max.map(|max| max + 1);
    let mut sink = ColumnSink { resource, column: *selected, values: Vec::new() };
    adapter.list(resource, &query, &mut sink).await?;
    if max.is_some_and(|max| sink.values.len() as u64 > max) {
        return Err(AdapterError::Unsupported { what: "conditions on so many other records" });
    }
    Ok(Predicate::In { column: *column, negated: false, values: sink.values })
}

/// Collects the values of a column that are not null.
struct ColumnSink {
    resource: &'static Descriptor,
    column: usize,
    values: Vec<Value>,
}

impl RowSink for ColumnSink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let record = OwnedRecord::read(self.resource, row)?;
        self.values.extend(Some(record.get(self.column).clone()).filter(|value| !value.is_null()));
        Ok(())
    }
}
