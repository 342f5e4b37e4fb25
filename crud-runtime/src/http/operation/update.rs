//! Update: `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Value as Json, json};

use super::get;
use super::route::{Body, Extent, Route};
use super::upsert::put;
use crate::http::body::BodyKind;
use crate::http::expand::ExpandingSink;
use crate::http::handler::ResourceRequest;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::handler::written::{check_id, updated};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::request::body;
use crate::http::openapi::{response as answer, wording};
use crate::http::param::list::expand;
use crate::http::param::upsert;
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::storage::write::{Update, Work};

pub(super) fn routes() -> [Route; 2] {
    let patch = Route {
        parameters: Some(&[upsert::ALLOW_MISSING, expand::NAME]),
        body: Body::Json,
        extent: Extent::One,
        ..Route::new(Method::PATCH, get::PATH, Operation::Update, |request| Box::pin(update(request)), document_patch)
    };
    let put = Route {
        method: Method::PUT,
        more_access: |resource| {
            let creates = resource.creates_by_put().then(|| ("allow_missing=true".to_owned(), Operation::Create));
            creates.into_iter().collect()
        },
        document: document_put,
        ..patch.clone()
    };
    [put, patch]
}

async fn update(mut request: ResourceRequest) -> Result<Response, Problem> {
    let (resource, parts) = (request.resource(), &request.parts);
    if upsert::allows_missing(resource, &parts.method, parts.uri.query())? {
        return put(request).await;
    }
    let id = request.id().await?;
    let expand = request.expansions()?;
    let mut body = request.record_body(BodyKind::Update).await?;
    check_id(&request, &id, &body)?;
    let guard = Precondition::new(request.resource(), &request.identity, request.headers(), &mut body.changes);
    let update = [Update::new(&id, &body.changes, precondition::as_guard(guard.as_ref()))];
    let mut sink = ExpandingSink::new(request.sink(), &expand);
    let changed = request.writer().write_one(Work::Update(&update), &mut sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))?;
    updated(&request, sink).await
}

fn document_put(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let id = resource.names.operation_id(Operation::Update);
    let mut operation = words(resource, &id, &["application/json"]);
    if resource.options.descriptor.creates_by_put() {
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(upsert::document_missing());
        }
        let record = reference("schemas", &resource.names.record());
        let headers = &["Location", "ETag", "Preference-Applied"];
        operation["responses"]["201"] = answer::json_body("The created record.", &record, headers);
    }
    operation
}

fn document_patch(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let id = resource.names.patch_operation_id();
    words(resource, &id, &["application/json", "application/merge-patch+json"])
}

fn words(resource: &DocumentedResource<'_>, operation_id: &str, media_types: &[&str]) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let minimal = &["ETag", "Preference-Applied"];
    let shared = ["IfMatch", "PreferChange"].map(|name| reference("parameters", name));
    let parameters: Vec<Json> = shared.into_iter().chain(expand::document(options.descriptor)).collect();
    json!({
        "tags": options.tags,
        "summary": format!("Update {}", wording::with_article(options.descriptor.name)),
        "description": "Changes the fields in the body; the others keep their values. PUT and PATCH are equivalent.",
        "operationId": operation_id,
        "parameters": parameters,
        "requestBody": body("The fields to change.", media_types, &names.patch()),
        "responses": answer::with_database_problems(
            [
                (StatusCode::OK, answer::json_body("The updated record.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, answer::empty("The record is updated.", minimal)),
            ],
            &[
                &answer::BODY[..],
                &resource.conflicts(true),
                &[Code::NotFound, Code::PreconditionFailed, Code::ConstraintFailed],
            ]
            .concat(),
        ),
    })
}
