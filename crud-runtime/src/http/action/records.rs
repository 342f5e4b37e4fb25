//! [`Records`] and [`Page`]: replies with several records.

use std::fmt;

use axum::http::StatusCode;
use axum::response::Response;

use super::argument::{ActionRequest, Described, DescribedReply};
use super::reply::Reply;
use crate::http::handler::response;
use crate::http::operation::list::page::{DATA, PageEnd, Range, sized_response};
use crate::http::render::write_record;
use crate::model::adapter_error::AdapterError;
use crate::model::column::Column;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::visibility::FieldVisibility;
use crate::query::{ListQuery, Predicate, Total};
use crate::storage::adapter::Adapter;
use crate::store::page::Page;

/// Limit of keys in one query.
const KEYS: usize = 500;

/// Records as the resource's own routes answer with them: an array, each with the fields that the sender of the request
/// sees.
#[derive(Clone)]
pub struct Records<R>(pub Vec<R>);

impl<R: Resource> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("resource", &R::DESCRIPTOR.name).field("count", &self.0.len()).finish()
    }
}

impl<R: Resource> Reply for Records<R> {
    async fn render(self, request: &ActionRequest) -> Result<Response, Problem> {
        let mut json = vec![b'['];
        write_records(&mut json, &self.0, request).await?;
        json.push(b']');
        Ok(response::json(StatusCode::OK, json))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Records(R::DESCRIPTOR);
    }
}

/// A page as the resource's own list answers with it, each record with the fields that the sender of the request sees.
impl<R: Resource> Reply for Page<R> {
    async fn render(self, request: &ActionRequest) -> Result<Response, Problem> {
        let Self { data, total, page, limit, skip, .. } = self;
        let total = Some(Total::Exactly(total));
        let mut json = DATA.to_vec();
        let rows = write_records(&mut json, &data, request).await?;
        PageEnd { page: Some(page), skip, limit, total }.write(&mut json);
        let options = request.state.mounted_resource(R::DESCRIPTOR).map(|mounted| mounted.options());
        Ok(sized_response(json, options, Some(Range { skip, rows }), total))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Page(R::DESCRIPTOR);
    }
}

/// Writes the JSON of records, as storage has them now, without those that were removed since; how many there are.
async fn write_records<R: Resource>(
    json: &mut Vec<u8>,
    records: &[R],
    request: &ActionRequest,
) -> Result<u64, Problem> {
    let resource = R::DESCRIPTOR;
    let ids: Vec<Value> = records.iter().map(|record| record.id().clone().into_value()).collect();
    let view = FieldVisibility::new(resource, request.identity.principal.as_deref());
    let transaction = request.transaction.lock().await.clone();
    let adapter: &dyn Adapter = match &transaction {
        Some(transaction) => &**transaction,
        None => &**request.state.adapter(),
    };
    let mut written = 0;
    for ids in ids.chunks(KEYS) {
        let with_key = Predicate::In { column: resource.id, negated: false, values: ids.to_vec() };
        let query = ListQuery::all(resource).sort(vec![SortKey::ascending(resource.id)]).filter(with_key);
        let mut found = Found { resource, view: &view, records: Vec::new() };
        let listed = adapter.list(resource, &query, &mut found).await;
        listed.map_err(|error| Problem::from_adapter(resource, error))?;
        for (_, record) in ids.iter().filter_map(|id| found.records.iter().find(|(key, _)| key == id)) {
            if written > 0 {
                json.push(b',');
            }
            written += 1;
            json.extend_from_slice(record);
        }
    }
    Ok(written)
}

/// Collects the JSON of records by their keys.
struct Found<'v> {
    resource: &'static Descriptor,
    view: &'v FieldVisibility,
    records: Vec<(Value, Vec<u8>)>,
}

impl RowSink for Found<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let mut json = Vec::with_capacity(256);
        write_record(&mut json, self.resource, self.view, row)?;
        self.records.push((stored_value(self.resource, self.resource.id, row)?, json));
        Ok(())
    }
}
