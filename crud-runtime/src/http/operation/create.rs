//! Create: `POST {prefix}`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::main_route;
use super::route::{Body, Extent, Route};
use super::upsert::post;
use crate::http::body::BodyKind;
use crate::http::expand::ExpandingSink;
use crate::http::handler::ResourceRequest;
use crate::http::handler::written::CreatedSink;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::words::{Answer, Parameter, Words};
use crate::http::openapi::{link, wording};
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
        ..Route::new(Method::POST, "", Operation::Create, "create{one}", |request| Box::pin(create(request)), document)
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
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let DocumentedResource { options, names, .. } = resource;
    let record = Schema::reference(&names.record());
    let has_upserts = !options.descriptor.offered_upserts().is_empty();
    let links = link::of_new_record(resource, main_route);
    let created = Answer { links, ..Answer::json("The created record.", record.clone()) };
    let description = if has_upserts {
        "Creates a record of the fields in the body; the service sets the others. With `on_conflict`, changes the record \
         that has the same values instead."
    } else {
        "Creates a record of the fields in the body; the service sets the others."
    };
    let words = Words::about(format!("Create {}", wording::with_article(options.descriptor.name)), description)
        .shared(&["PreferChange"])
        .parameters(expand::document(options.descriptor).map(Parameter::from))
        .parameters(upsert::document(options.descriptor))
        .json("The record to create.", Schema::reference(&names.create()))
        .answer(StatusCode::CREATED, created.headers(&["Location", "ETag", "Preference-Applied"]))
        .problems(&resource.conflicts(has_upserts))
        .problems(&[Code::ConstraintFailed]);
    if !has_upserts {
        return words;
    }
    let found = "The record that had the values of `on_conflict`, changed unless `conflict` is `ignore`.";
    words
        .answer(StatusCode::OK, Answer::json(found, record).headers(&["ETag"]))
        .answer(
            StatusCode::NO_CONTENT,
            Answer::empty("The record is changed.").headers(&["ETag", "Preference-Applied"]),
        )
        .problems(&[Code::PreconditionFailed])
}
