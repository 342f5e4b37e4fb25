//! Conditions on the records of another resource, for storage that knows conditions on one alone.

use std::borrow::Cow;

use crate::model::adapter_error::AdapterError;
use crate::model::value::Value;
use crate::query::{Comparison, InSubquery, ListQuery, Predicate};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::store::each_row::each_row;
use crate::store::owned_record::OwnedRecord;

/// The predicate in a form that storage knows. On storage without subqueries, the values of each select are read first,
/// up to a limit.
///
/// # Errors
/// [`AdapterError::Unsupported`] where a select has more values.
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
    let InSubquery { columns, resource, filter } = select;
    let filter = resolve(adapter, filter, max).await?;
    let mut query = ListQuery::all(resource).filter(filter);
    query.limit = max.map(|max| max + 1);
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let mut sink = each_row(|row| {
        let record = OwnedRecord::read(resource, row)?;
        let values: Vec<Value> = columns.iter().map(|(_, column)| record.get(*column).clone()).collect();
        // A null is equal to nothing.
        if !values.iter().any(Value::is_null) {
            rows.push(values);
        }
        Ok(())
    });
    adapter.list(resource, &query, &mut sink).await?;
    if max.is_some_and(|max| rows.len() as u64 > max) {
        return Err(AdapterError::Unsupported { what: "conditions on so many other records" });
    }
    if let [(column, _)] = columns.as_slice() {
        return Ok(Predicate::In { column: *column, negated: false, values: rows.into_iter().flatten().collect() });
    }
    let equal = |(&(column, _), value)| Predicate::Compare { column, operator: Comparison::Eq, value };
    let row = |values: Vec<Value>| Predicate::And(columns.iter().zip(values).map(equal).collect());
    Ok(Predicate::Or(rows.into_iter().map(row).collect()))
}
