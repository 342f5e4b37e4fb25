//! Create: `POST {prefix}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::route::{Body, Extent, OperationRoute, handler};
use super::upsert::post;
use super::written::CreatedSink;
use super::{delete, get, nested, update};
use crate::http::body::{BodyKind, RecordBody};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, Link, OperationDoc};
use crate::http::handler::ResourceRequest;
use crate::http::param::header::prefer;
use crate::http::param::list::{EXPAND, expand};
use crate::http::param::upsert;
use crate::http::render::expand::ExpandingSink;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, Problem, pointer_token};
use crate::query::expansion::Expansion;
use crate::storage::write::Work;
use crate::store::writer::write_error::WriteError;

/// The parameters of upserts, each with the further operation whose access it needs.
pub(super) fn upserts(resource: &Descriptor) -> Vec<(String, Operation)> {
    let groups = resource.offered_upserts().iter();
    groups.map(|group| (format!("on_conflict={}", resource.names_of(group)), Operation::Update)).collect()
}

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        parameters: Some(&[upsert::NAMES[0], upsert::NAMES[1], EXPAND]),
        body: Body::Json,
        extent: Extent::One,
        more_access: upserts,
        ..OperationRoute::new(Method::POST, "", Operation::Create, "create{one}", handler!(create), document)
    }
}

async fn create(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    if let Some(target) = upsert::target(request.resource(), request.parts.uri.query())? {
        return post(request, target).await;
    }
    let expand = request.expansions()?;
    if request.resource().nests_children() {
        return nested::create(request, expand).await;
    }
    let body = request.record_body(BodyKind::Create).await?;
    insert(&request, body, &expand).await
}

/// Creates the record of a body.
pub(super) async fn insert(
    request: &ResourceRequest,
    body: RecordBody,
    expand: &[Expansion],
) -> Result<Response, Problem> {
    let record = [request.new_record(body.changes)];
    let mut sink = sink(request, expand);
    request.writer().write_one(Work::Insert(&record), &mut sink).await.map_err(WriteError::unguarded)?;
    sink.created(request).await
}

/// The sink of the created record.
pub(super) fn sink<'a>(request: &ResourceRequest, expand: &'a [Expansion]) -> CreatedSink<'a> {
    let json = ExpandingSink::new(request.sink(), expand);
    match request.key {
        Some(_) => CreatedSink::at(request, json),
        None => CreatedSink::new(request, json),
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let DocumentedResource { options, names, .. } = resource;
    let record = resource.record();
    let has_upserts = !options.descriptor.offered_upserts().is_empty();
    let links = links(resource);
    let created = Answer { links, ..Answer::json("The created record.", record.clone()) };
    let of_upserts =
        if has_upserts { " With `on_conflict`, changes the record that has the same values instead." } else { "" };
    let description = format!("Creates a record of the fields in the body; the service sets the others.{of_upserts}");
    let words = OperationDoc::about(format!("Create {}", resource.singular()), description)
        .parameters([prefer::document_change()])
        .parameters(expand::document(options))
        .parameters(upsert::document(options.descriptor))
        .json("The record to create.", Schema::reference(&names.schema("Create")))
        .answer(StatusCode::CREATED, created.headers(&["Location", "ETag", "Preference-Applied"]))
        .problems(&resource.conflicts(has_upserts))
        .problems(&[Code::ConstraintFailed])
        .problems(&nested::problems(resource));
    if !has_upserts {
        return words;
    }
    let found = "The record that had the values of `on_conflict`, changed unless `conflict` is `ignore`.";
    words.changed(Answer::json(found, record).headers(&["ETag"])).problems(&[Code::PreconditionFailed])
}

/// The operations that a new record's key leads to.
fn links(resource: &DocumentedResource<'_>) -> Vec<(&'static str, Link)> {
    // A link has one pointer for the key, so a composite key has no links.
    let [column] = resource.options.descriptor.key() else { return Vec::new() };
    let id = pointer_token(resource.options.descriptor.columns[*column].json);
    let [update, _] = update::routes();
    let links = [(get::route(), "get"), (update, "update"), (delete::route(), "delete")];
    let offered = links.into_iter().filter(|(route, _)| resource.offers(route.operation));
    let link = |(route, name): (OperationRoute, &'static str)| {
        let operation_id = resource.names.operation_id(&route.id);
        (name, Link { operation_id, id: format!("$response.body#/{id}") })
    };
    offered.map(link).collect()
}
