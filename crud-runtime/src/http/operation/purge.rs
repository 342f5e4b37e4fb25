//! Purge: `DELETE {prefix}/{id}/permanent` and `DELETE {prefix}/deleted`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::delete::change_state;
use super::restore::{count, selection_required};
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::name::PURGED_COUNT;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::handler::{ResourceRequest, response};
use crate::http::param;
use crate::http::param::header::{etag, prefer};
use crate::http::param::list::{SELECTION, Selection, parse_selection};
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::storage::decide::Intent;
use crate::storage::write::WorkWhere;

pub(super) fn route() -> OperationRoute {
    OperationRoute::new(Method::DELETE, "/{id}/permanent", Operation::Purge, "purge{one}", handler!(purge), document)
}

pub(super) fn route_of_many() -> OperationRoute {
    OperationRoute {
        parameters: None,
        ..OperationRoute::new(
            Method::DELETE,
            "/deleted",
            Operation::PurgeMany,
            "purgeMany{many}",
            handler!(purge_many),
            document_many,
        )
    }
}

async fn purge(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let json = change_state(&mut request, Intent::Purge).await?;
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, response::json(StatusCode::OK, json)))
}

async fn purge_many(request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let Selection::Filter(filter) = parse_selection(request.list_context(SELECTION), request.query())? else {
        return Err(selection_required("remove", ""));
    };
    let filter = request.changeable(filter).await?;
    let deleted = request.writer().write_where(WorkWhere::Purge, &filter).await?;
    Ok(response::json(StatusCode::OK, format!("{{\"deleted\":{deleted}}}")))
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let summary = format!("Permanently remove {}", resource.singular());
    OperationDoc::about(summary, "Permanently removes a deleted record.")
        .parameters([etag::document_if_match(), prefer::document_change()])
        .answer(StatusCode::OK, Answer::json("The removed record.", resource.record()))
        .answer(
            StatusCode::NO_CONTENT,
            Answer::shared("Removed", "The record is removed.").headers(&["Preference-Applied"]),
        )
        .problems(&[Code::ValidationFailed, Code::NotFound, Code::NotDeleted, Code::PreconditionFailed])
        .problem_if(resource.is_kept, Code::Referenced)
}

fn document_many(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let description = format!(
        "Permanently removes the deleted records that satisfy the filters, or all of them. All are removed, or none.{}",
        resource.several_records()
    );
    OperationDoc::about(format!("Permanently remove {}", resource.plural()), description)
        .parameters(param::list::document(resource, SELECTION))
        .answer(StatusCode::OK, count(PURGED_COUNT, "deleted", "The number of permanently removed records."))
        .problems(&[Code::ValidationFailed])
        .problem_if(resource.is_kept, Code::Referenced)
        .problems(resource.several_records_problem())
}
