//! Lists, counts and single records.

use mongodb::bson::{Bson, Document, doc};

use super::database::{Database, Find, order};
use super::error::Failure;
use super::field::GONE;
use super::filter::filter;
use super::keyset::after;
use super::record::Record;
use super::value::identity;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};

/// Number of records that one query reads. A longer list continues after the last of them, because the server bounds
/// the time of a query.
const CHUNK: u64 = 1_000;

/// Passes the records of a query to `sink`.
///
/// # Errors
/// Errors of [`Adapter::list`](crate::storage::adapter::Adapter::list).
pub(super) async fn list(
    database: &Database,
    resource: &'static Descriptor,
    query: &ListQuery,
    sink: &mut dyn RowSink,
) -> Result<(), AdapterError> {
    if !query.joined.is_empty() || query.limit_per.is_some() {
        return Err(AdapterError::Unsupported { what: "orders by other records, and the first records of each value" });
    }
    let sort = order(resource, &query.sort);
    let mut remaining = query.limit.unwrap_or(u64::MAX);
    let mut last = query.after.clone();
    let mut skip = query.skip;
    while remaining > 0 {
        let condition = match &last {
            Some(values) => query.filter.clone().and(after(&query.sort, values)),
            None => query.filter.clone(),
        };
        let wanted = remaining.min(CHUNK);
        let find = Find {
            filter: present(filter(resource, &condition)?),
            sort: sort.clone(),
            skip,
            limit: Some(i64::try_from(wanted).unwrap_or(i64::MAX)),
        };
        let mut count = 0;
        database
            .find(resource.table, find, |document| {
                let record = Record::decode(resource, document)?;
                sink.row(&record)?;
                count += 1;
                if count == wanted {
                    last = Some(query.sort.iter().map(|key| record.get(key.column).clone()).collect());
                }
                Ok(true)
            })
            .await?;
        if count < wanted {
            break;
        }
        remaining -= count;
        skip = 0;
    }
    Ok(())
}

/// Counts the records that satisfy a predicate, up to a limit.
///
/// # Errors
/// Errors of [`Adapter::count`](crate::storage::adapter::Adapter::count).
pub(super) async fn count(
    database: &Database,
    resource: &'static Descriptor,
    predicate: &Predicate,
    limit: Option<u64>,
) -> Result<u64, AdapterError> {
    let filter = present(filter(resource, predicate)?);
    database.session().count(resource.table, filter, limit).await.map_err(Failure::into_adapter)
}

/// Passes the record of a key to `sink`.
///
/// # Errors
/// Errors of [`Adapter::get`](crate::storage::adapter::Adapter::get).
pub(super) async fn get(
    database: &Database,
    resource: &'static Descriptor,
    (id, tenant): (&Key, Option<&Value>),
    sink: &mut dyn RowSink,
) -> Result<bool, AdapterError> {
    let filter = present(identity(resource, id, tenant));
    let found = database.session().find_one(resource.table, filter).await.map_err(Failure::into_adapter)?;
    let Some(document) = found else { return Ok(false) };
    sink.row(&Record::decode(resource, &document)?)?;
    Ok(true)
}

/// Restricts a filter to documents without the mark of a removal.
fn present(filter: Document) -> Document {
    if filter.is_empty() {
        doc! { GONE: Bson::Null }
    } else {
        doc! { "$and": [filter, { GONE: Bson::Null }] }
    }
}
