//! Create: `POST {prefix}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value as Json, json};

use super::route::{Body, Extent, Route};
use super::upsert::post;
use crate::http::body::BodyKind;
use crate::http::expand::ExpandingSink;
use crate::http::handler::ResourceRequest;
use crate::http::handler::written::CreatedSink;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::request::body;
use crate::http::openapi::{link, response as answer, wording};
use crate::http::param::list::expand;
use crate::http::param::upsert;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, Problem};
use crate::storage::write::Work;
use crate::store::write_error::WriteError;

/// The access of upserts.
pub(super) fn upserts(resource: &Descriptor) -> Vec<(String, Operation)> {
    let groups = resource.offered_upserts().iter();
    groups.map(|group| (format!("on_conflict={}", resource.names_of(group)), Operation::Update)).collect()
}

pub(super) fn route() -> Route {
    Route {
        parameters: Some(&[upsert::NAMES[0], upsert::NAMES[1], expand::NAME]),
        body: Body::Json,
        extent: Extent::One,
        more_access: upserts,
        ..Route::new(Method::POST, "", Operation::Create, |request| Box::pin(create(request)), document)
    }
}

async fn create(mut request: ResourceRequest) -> Result<Response, Problem> {
    if let Some(target) = upsert::target(request.resource(), request.parts.uri.query())? {
        return post(request, target).await;
    }
    let expand = request.expansions()?;
    let body = request.record_body(BodyKind::Create).await?;
    let record = [request.new_record(body.changes)];
    let json = ExpandingSink::new(request.sink(), &expand);
    let mut sink = match request.upsert_key() {
        Some(_) => CreatedSink::at(&request, json),
        None => CreatedSink::new(&request, json),
    };
    request.writer().write_one(Work::Insert(&record), &mut sink).await.map_err(WriteError::unguarded)?;

    sink.created(&request).await
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let headers = &["Location", "ETag", "Preference-Applied"];
    let mut parameters = vec![reference("parameters", "PreferChange")];
    parameters.extend(expand::document(options.descriptor));
    let upserts = upsert::document(options.descriptor);
    let mut created = answer::json_body("The created record.", &record, headers);
    let links = link::of_new_record(resource);
    if !links.is_empty() {
        created["links"] = links.into();
    }
    let mut responses = vec![(StatusCode::CREATED, created)];
    let conflicts = resource.conflicts(!upserts.is_empty());
    let mut problems = [&answer::BODY[..], &conflicts, &[Code::ConstraintFailed]].concat();
    let description = if upserts.is_empty() {
        "Creates a record of the fields in the body; the service sets the others."
    } else {
        "Creates a record of the fields in the body; the service sets the others. With `on_conflict`, changes the record \
         that has the same values instead."
    };
    if !upserts.is_empty() {
        parameters.extend(upserts);
        let found = "The record that had the values of `on_conflict`, changed unless `conflict` is `ignore`.";
        responses.push((StatusCode::OK, answer::json_body(found, &record, &["ETag"])));
        let minimal = &["ETag", "Preference-Applied"];
        responses.push((StatusCode::NO_CONTENT, answer::empty("The record is changed.", minimal)));
        problems.push(Code::PreconditionFailed);
    }
    json!({
        "tags": options.tags,
        "summary": format!("Create {}", wording::with_article(options.descriptor.name)),
        "description": description,
        "operationId": names.operation_id(Operation::Create),
        "parameters": parameters,
        "requestBody": body("The record to create.", &["application/json"], &names.create()),
        "responses": answer::with_database_problems(responses, &problems),
    })
}
