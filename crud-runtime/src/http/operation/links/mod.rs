//! Linked records: `GET`, `PUT` and `POST {prefix}/{id}/labels`, and `DELETE {prefix}/{id}/labels/{linked}`.
//!
//! A change locks the record, so that one request at a time changes the set of its links. It creates and deletes
//! records of the junction, under the junction's own access, hooks and audit log, and adds an entry to the record's own
//! log.

mod change;
mod set;

use std::iter::once;

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use axum::response::Response;

use self::change::Change;
use self::set::Linked;
pub(crate) use self::set::again;
use super::route::{Body, Handler, OperationRoute, handler};
use crate::http::body::batch::IDS;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::link_ids;
use crate::http::description::operation_doc::{Answer, OperationDoc, ParameterObject, Place};
use crate::http::description::{record_schema, value_schema, wording};
use crate::http::handler::ResourceRequest;
use crate::http::param::header::{etag, prefer};
use crate::model::descriptor::{Descriptor, Junction, ManyToMany, Operation};
use crate::model::problem::{Code, Problem};

/// Maximum number of records of a set in one answer and in one body.
pub(crate) const MOST: u32 = 1_000;

/// The routes of the records that junctions link to those of a resource.
pub(super) fn routes(resource: &'static Descriptor) -> impl Iterator<Item = OperationRoute> {
    resource.many_to_many.iter().flat_map(|many| {
        let read: Handler = handler!(set::get);
        let replace: Handler = handler!(run, Change::Replace);
        let add: Handler = handler!(run, Change::Add);
        let remove: Handler = handler!(run, Change::Remove);
        let [read_id, replace_id, add_id, remove_id] = link_ids(many.name);
        [
            route(many, Method::GET, many.path, Body::None, read_id, read),
            route(many, Method::PUT, many.path, Body::Json, replace_id, replace),
            route(many, Method::POST, many.path, Body::Json, add_id, add),
            route(many, Method::DELETE, many.link_path, Body::None, remove_id, remove),
        ]
    })
}

fn route(
    many: &'static ManyToMany,
    method: Method,
    path: &'static str,
    body: Body,
    id: String,
    handler: Handler,
) -> OperationRoute {
    // Changes of links are offered where updates are.
    let operation = if method == Method::GET { Operation::Get } else { Operation::Update };
    // `document` in this module, which knows the other resources, describes the route.
    let route = OperationRoute::new(method, path, operation, id, handler, |_, _| OperationDoc::default());
    OperationRoute { links: Some(many), body, is_replaced: false, ..route }
}

/// The operations whose access a route of linked records needs: reads of the record, operations of the junction, and
/// lists of the linked resource.
pub(crate) fn needed(
    many: &ManyToMany,
    resource: &'static Descriptor,
    method: &Method,
) -> Vec<(&'static Descriptor, Operation)> {
    let Some(Junction { resource: junction, target, .. }) = many.junction(resource) else { return Vec::new() };
    let of_junction: &[Operation] = match *method {
        Method::PUT => &[Operation::List, Operation::Create, Operation::Delete],
        Method::POST => &[Operation::List, Operation::Create],
        Method::DELETE => &[Operation::List, Operation::Delete],
        _ => &[Operation::List],
    };
    let of_junction = of_junction.iter().map(|operation| (junction, *operation));
    once((resource, Operation::Get)).chain(of_junction).chain(once((target, Operation::List))).collect()
}

/// Whether a reader of the log sees everything that is linked to the resource's records: entries about links have the
/// keys.
pub(super) fn are_shown(request: &ResourceRequest) -> bool {
    let (resource, visibility) = (request.resource(), request.visibility());
    let is_whole = |other: &'static Descriptor| {
        let records = request.identity.of_resource(&request.state, other).records;
        visibility.lists(other) && (records.is_unrestricted() || records.tenant_alone().is_some())
    };
    let junctions = resource.many_to_many.iter().filter_map(|many| many.junction(resource));
    junctions.into_iter().all(|junction| is_whole(junction.resource) && is_whole(junction.target))
}

/// Runs a change in a transaction.
async fn run(mut request: Box<ResourceRequest>, change: Change) -> Result<Response, Problem> {
    Linked::of(&request)?;
    let body = match change {
        Change::Replace | Change::Add => request.json_body(request.state.limits().body).await?,
        Change::Remove => Bytes::new(),
    };
    request.in_transaction(body, move |attempt| Box::pin(change::change(attempt, change))).await
}

/// The operation in the document.
pub(crate) fn document(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    route: &OperationRoute,
    many: &ManyToMany,
) -> OperationDoc {
    let Some(junction) = many.junction(resource.options.descriptor) else { return OperationDoc::default() };
    let (singular, plural) = (resource.singular(), wording::words(many.name));
    let set = record_schema::expanded_many(junction.target, MOST, resources);
    if route.method == Method::GET {
        let description = "The records that are linked to this one, and the entity tag of the set.";
        return OperationDoc::about(format!("List the {plural} of {singular}"), description)
            .parameters([etag::document_if_none_match()])
            .answer(StatusCode::OK, Answer::json("The linked records.", set).headers(&["ETag"]))
            .answer(
                StatusCode::NOT_MODIFIED,
                Answer::shared("Current", "The client's version is current.").headers(&["ETag"]),
            )
            .problems(&[Code::ValidationFailed, Code::NotFound]);
    }
    let (verb, description) = match route.method {
        Method::PUT => (
            "Replace",
            "Links these records, and removes the links to others. Links to records that the request does not see stay.",
        ),
        Method::POST => ("Add to", "Links these records too. Those that are linked already stay so."),
        _ => ("Remove one of", "Removes the link to this record."),
    };
    let words = OperationDoc::about(format!("{verb} the {plural} of {singular}"), description)
        .parameters([etag::document_if_match(), prefer::document_change()])
        .changed(Answer::json("The linked records after the change.", set).headers(&["ETag"]))
        .problems(&[Code::NotFound, Code::PreconditionFailed, Code::ValidationFailed])
        .problem_if(junction.resource.requires_idempotency_key(), Code::IdempotencyKeyRequired);
    if route.method == Method::DELETE {
        return words.problems(&[Code::Referenced, Code::Conflict]);
    }
    let conflicts = [Code::ReferenceNotFound, Code::Referenced, Code::Conflict, Code::ConstraintFailed];
    words
        .json("The keys of the records.", body_schema(junction.target))
        .problems(&conflicts)
        .problems(&[Code::BatchTooLarge])
}

/// The parameter of the linked record's key, where the path has it.
pub(crate) fn linked_parameter(
    path: &str,
    routes: &[OperationRoute],
    resource: &'static Descriptor,
) -> Option<ParameterObject> {
    let many = routes.iter().find_map(|route| route.links).filter(|many| many.link_path == path)?;
    let target = many.junction(resource)?.target;
    let description = format!("The `{}` of the linked record.", target.key_names());
    Some(ParameterObject::new(Place::Path, "linked", description, value_schema::key_schema(target)))
}

fn body_schema(target: &'static Descriptor) -> Schema {
    let list = Schema::array(value_schema::key_schema(target)).with("maxItems", MOST).with("uniqueItems", true);
    Schema::object().member(IDS, list.about("The keys, each once.")).closed()
}
