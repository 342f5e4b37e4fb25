//! Restore: `POST {prefix}/{id}/restore` and `POST {prefix}/restore`.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::json;

use super::delete::change_state;
use super::route::{Body as RequestBody, OperationRoute, handler};
use crate::http::body::batch::{IDS, valid_ids};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::RESTORED_COUNT;
use crate::http::description::operation_doc::{Answer, Body, JSON, OperationDoc};
use crate::http::description::value_schema;
use crate::http::handler::{ResourceRequest, response};
use crate::http::param;
use crate::http::param::header::prefer;
use crate::http::param::list::{SELECTION, Selection, parse_selection};
use crate::model::descriptor::{Operation, Uniqueness};
use crate::model::problem::{Code, FieldError, Problem};
use crate::query::Predicate;
use crate::storage::decide::Intent;
use crate::storage::write::WorkWhere;

pub(super) fn route() -> OperationRoute {
    OperationRoute::new(Method::POST, "/{id}/restore", Operation::Restore, "restore{one}", handler!(restore), document)
}

pub(super) fn route_of_many() -> OperationRoute {
    OperationRoute {
        parameters: None,
        body: RequestBody::OptionalJson,
        ..OperationRoute::new(
            Method::POST,
            "/restore",
            Operation::RestoreMany,
            "restoreMany{many}",
            handler!(restore_many),
            document_many,
        )
    }
}

async fn restore(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let json = change_state(&mut request, Intent::Restore).await?;
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, response::record(StatusCode::OK, json)))
}

async fn restore_many(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let selection = parse_selection(request.list_context(SELECTION), request.query())?;
    let by_ids = request.has_body();
    let filter = match (selection, by_ids) {
        (Selection::Nothing, true) => ids_filter(&mut request).await?,
        (Selection::Filter(filter), false) => filter,
        (Selection::Filter(_), true) => {
            let detail = "must be absent with filters or `all`";
            return Err(Problem::validation([FieldError::pointer("", "value", detail)]));
        }
        (Selection::Nothing, false) => return Err(selection_required("restore", " or a body with `ids`")),
    };
    let filter = request.changeable(filter).await?;
    let restored = request.writer().write_where(WorkWhere::Restore, &filter).await?;
    Ok(response::json(StatusCode::OK, format!("{{\"restored\":{restored}}}")))
}

/// The maximum number of ids in a body, for a resource without batches.
const MAX_IDS: usize = 1000;

async fn ids_filter(request: &mut ResourceRequest) -> Result<Predicate, Problem> {
    let resource = request.resource();
    let max_ids = request.mounted.options().batch.map_or(MAX_IDS, |batch| batch.max_size as usize);
    let limit = request.state.limits().body;
    let bytes = request.json_body(limit).await?;
    Ok(Predicate::of_keys(resource, &valid_ids(resource, &bytes, max_ids)?))
}

/// The problem of a bulk request without filters, ids or `all=true`.
pub(super) fn selection_required(verb: &str, or: &str) -> Problem {
    let detail = format!("must be `true`, unless filters{or} name the records to {verb}");
    Problem::validation([FieldError::parameter("all", "required", detail)])
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let summary = format!("Restore {}", resource.singular());
    OperationDoc::about(summary, "Makes a deleted record active again.")
        .parameters([prefer::document_change()])
        .changed(resource.record_answer())
        .problems(&[Code::ValidationFailed, Code::NotFound, Code::NotDeleted])
        .problems(&restore_conflicts(resource))
}

fn document_many(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let mut ids = Schema::array(value_schema::key_schema(resource.options.descriptor)).with("uniqueItems", true);
    if !resource.transactions {
        ids.set("maxItems", 1);
    }
    let ids = Schema::object().member(IDS, ids).closed();
    let body = Body::new("The ids of the records, instead of filters.", [(JSON, ids)]);
    let description = format!(
        "Restores the deleted records that satisfy the filters, or those whose ids are in the body, or all.{}",
        resource.several_records()
    );
    OperationDoc::about(format!("Restore {}", resource.plural()), description)
        .parameters(param::list::document(resource, SELECTION))
        .body(Body { is_required: None, ..body })
        .answer(StatusCode::OK, count(RESTORED_COUNT, "restored", "The number of restored records."))
        .problems(&restore_conflicts(resource))
        .problems(&[Code::NotDeleted, Code::NotFound, Code::BatchTooLarge])
        .problems(resource.several_records_problem())
}

/// The answer with a count of records, whose schema has this name.
pub(super) fn count(name: &str, member: &str, description: &str) -> Answer {
    let count = Schema::object().about(description).member(member, Schema::count());
    Answer::json("The number of records.", Schema::named(name, count.example(json!({ member: 1 }))))
}

/// The conflicts of a record that becomes active: of values that are unique among active records, and of spans.
fn restore_conflicts(resource: &DocumentedResource<'_>) -> Vec<Code> {
    let descriptor = resource.options.descriptor;
    let of_columns = descriptor.columns.iter().filter_map(|column| column.unique);
    let mut among = of_columns.chain(descriptor.uniques.iter().map(|group| group.among));
    let may_conflict = among.any(|among| among == Uniqueness::Active) || !descriptor.exclusives.is_empty();
    may_conflict.then_some(Code::Conflict).into_iter().collect()
}
