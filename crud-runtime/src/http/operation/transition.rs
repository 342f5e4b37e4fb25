//! Transitions: `POST {prefix}/{id}/publish`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::route::{Body as RequestBody, Extent, OperationRoute, handler};
use super::update::change;
use super::written::check_id;
use crate::http::body::{BodyKind, RecordBody};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::transition_id;
use crate::http::description::operation_doc::{Body, JSON, OperationDoc};
use crate::http::description::rule::states;
use crate::http::description::wording;
use crate::http::handler::{ResourceRequest, require_access, response};
use crate::http::param::header::{etag, prefer};
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::value::is_same;
use crate::store::writer::RecordWriter;
use crate::store::writer::state_change::StateChange;

/// The routes of a resource's transitions, `POST {prefix}/{id}/publish` and so on.
pub(super) fn routes(resource: &'static Descriptor) -> impl Iterator<Item = OperationRoute> {
    resource.transitions().map(|(column, transition)| OperationRoute {
        transition: Some((column, transition)),
        body: RequestBody::OptionalJson,
        extent: Extent::One,
        is_replaced: false,
        ..OperationRoute::new(
            Method::POST,
            transition.path,
            // Offered where updates are.
            Operation::Update,
            transition_id(transition.name),
            handler!(run),
            document,
        )
    })
}

/// Makes a transition, and sets the other fields in the body, which needs the access of an update too.
async fn run(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let Some(route) = request.transition else { return Err(Problem::internal("the route makes no transition")) };
    let id = request.id().await?;
    let mut body = if request.has_body() {
        request.record_body(BodyKind::Update).await?
    } else {
        RecordBody { changes: Changes::new(), key: Changes::new() }
    };
    check_id(&request, &id, &body)?;
    let (column, transition) = route;
    let to = (transition.to)();
    if body.changes.take(column).is_some_and(|state| !is_same(&state, &to)) {
        let name = request.resource().columns[column].json;
        let detail = format!("must be `{to}`, which this route sets, or be absent");
        return Err(Problem::validation([FieldError::field(name, "transition", detail)]));
    }
    if body.changes.iter().next().is_some() {
        require_access(&request.state, &request.identity, Operation::Update, request.resource())?;
    }
    body.changes.set(column, to);
    let mut sink = request.sink();
    let state_change = StateChange { enforcement: request.state.enforcement(), route: Some(route) };
    let writer = RecordWriter { state_change, ..request.writer() };
    change(&request, &writer, &id, body.changes, &mut sink).await?;
    let response = response::record(StatusCode::OK, sink.out);
    Ok(response::of_change(request.headers(), StatusCode::NO_CONTENT, response))
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, route: &OperationRoute) -> OperationDoc {
    let Some((column, transition)) = route.transition else { return OperationDoc::default() };
    let column = &resource.options.descriptor.columns[column];
    let names = &resource.names;
    let summary = format!("{} {}", wording::words(transition.name), resource.singular());
    let changes = format!("Changes `{}` {}, and the fields in the body with it.", column.json, states(transition));
    let description = format!("{changes} From another state it is an illegal transition.");
    let body = Body::new("Other fields to change.", [(JSON, Schema::reference(&names.schema("Transition")))]);
    OperationDoc::about(wording::sentence(&summary), description)
        .parameters([etag::document_if_match(), prefer::document_change()])
        .body(Body { is_required: Some(false), ..body })
        .changed(resource.record_answer())
        .problems(&resource.conflicts(true))
        .problems(&[Code::NotFound, Code::IllegalTransition, Code::PreconditionFailed, Code::ConstraintFailed])
}
