//! Update: `PUT {prefix}/{id}` and `PATCH {prefix}/{id}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::get;
use super::nested;
use super::route::{Body as RequestBody, Extent, OperationRoute, handler};
use super::upsert::put;
use super::written::{check_id, updated};
use crate::http::body::BodyKind;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, Body, JSON, OperationDoc};
use crate::http::handler::ResourceRequest;
#[cfg(feature = "json-patch")]
use crate::http::handler::body_reader::JSON_PATCH;
use crate::http::handler::body_reader::MERGE_PATCH;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::param::header::{etag, prefer};
use crate::http::param::list::{EXPAND, expand};
use crate::http::param::upsert;
use crate::http::render::expand::ExpandingSink;
use crate::model::changes::Changes;
use crate::model::descriptor::Operation;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::row::RowSink;
use crate::storage::write::{Update, Work};
use crate::store::writer::RecordWriter;

pub(super) fn routes() -> [OperationRoute; 2] {
    let patch = OperationRoute {
        parameters: Some(&[upsert::ALLOW_MISSING, EXPAND]),
        body: RequestBody::Json,
        extent: Extent::One,
        ..OperationRoute::new(
            Method::PATCH,
            get::PATH,
            Operation::Update,
            "patch{one}",
            handler!(update),
            document_patch,
        )
    };
    let put = OperationRoute {
        method: Method::PUT,
        id: "update{one}".into(),
        more_access: |resource| {
            let creates = resource.creates_by_put().then(|| ("allow_missing=true".to_owned(), Operation::Create));
            creates.into_iter().collect()
        },
        document: document_put,
        ..patch.clone()
    };
    [put, patch]
}

async fn update(request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let (resource, parts) = (request.resource(), &request.parts);
    if upsert::allows_missing(resource, &parts.method, parts.uri.query())? {
        return put(request).await;
    }
    #[cfg(feature = "json-patch")]
    if super::json_patch::is_sent(&request.parts) {
        // Boxed: other updates do not reserve memory for this future.
        return Box::pin(super::json_patch::update(request)).await;
    }
    merge(request).await
}

/// Changes the fields that the body has (RFC 7396).
pub(super) async fn merge(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let id = request.id().await?;
    let expand = request.expansions()?;
    if request.resource().nests_children() {
        return nested::update(request, id, expand).await;
    }
    let body = request.record_body(BodyKind::Update).await?;
    check_id(&request, &id, &body)?;
    let mut sink = ExpandingSink::new(request.sink(), &expand);
    change(&request, &request.writer(), &id, body.changes, &mut sink).await?;
    updated(&request, sink).await
}

/// Changes a record with a writer of the request, and passes the changed record to the sink.
pub(super) async fn change(
    request: &ResourceRequest,
    writer: &RecordWriter<'_>,
    id: &Key,
    mut changes: Changes,
    sink: &mut dyn RowSink,
) -> Result<(), Problem> {
    let guard = Precondition::new(request.resource(), &request.identity, request.headers(), &mut changes);
    let update = [Update::new(id, &changes, precondition::as_guard(guard.as_ref()))];
    let changed = writer.write_one(Work::Update(&update), sink).await;
    changed.map_err(|error| precondition::problem_of(error, guard))
}

fn document_put(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let words = words(resource, Body::new("The fields to change.", [(JSON, body(resource))]));
    if !resource.options.descriptor.creates_by_put() {
        return words;
    }
    let created = Answer::json("The created record.", resource.record());
    let created = created.headers(&["Location", "ETag", "Preference-Applied"]);
    words.parameters([upsert::document_missing()]).answer(StatusCode::CREATED, created)
}

fn document_patch(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let content = [(JSON, body(resource)), (MERGE_PATCH, body(resource))];
    #[cfg_attr(not(feature = "json-patch"), expect(unused_mut, reason = "the only other patch is that feature"))]
    let mut body = Body::new("The fields to change.", content);
    #[cfg(feature = "json-patch")]
    body.content.push((JSON_PATCH, super::json_patch::schema()));
    words(resource, body).problem_if(cfg!(feature = "json-patch"), Code::Conflict)
}

fn body(resource: &DocumentedResource<'_>) -> Schema {
    Schema::reference(&resource.names.schema("Patch"))
}

fn words(resource: &DocumentedResource<'_>, body: Body) -> OperationDoc {
    let options = resource.options;
    let summary = format!("Update {}", resource.singular());
    let description = "Changes only the fields in the body, by PUT or PATCH.";
    OperationDoc::about(summary, description)
        .parameters([etag::document_if_match(), prefer::document_change()])
        .parameters(expand::document(options))
        .body(body)
        .changed(resource.record_answer())
        .problems(&resource.conflicts(true))
        .problems(&[Code::NotFound, Code::PreconditionFailed, Code::ConstraintFailed])
        .problems(&nested::problems(resource))
}
