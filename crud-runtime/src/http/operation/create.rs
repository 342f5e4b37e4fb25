//! Create: `POST {prefix}`.

use std::fmt::Write;

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde_json::{Value as Json, json};

use super::route::{Body, Extent, Route};
use super::upsert;
use crate::http::body::BodyKind;
use crate::http::expand::ExpandingSink;
use crate::http::handler::{ResourceRequest, response};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::reference::reference;
use crate::http::openapi::request::body;
use crate::http::openapi::{link, parameter, response as answer, wording};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, Problem};
use crate::model::row::{Row, RowSink};
use crate::model::value::ValueRef;
use crate::storage::write::Work;
use crate::store::write_error::WriteError;

/// The access of upserts.
pub(super) fn upserts(resource: &Descriptor) -> Vec<(String, Operation)> {
    let groups = resource.offered_upserts().iter();
    groups.map(|group| (format!("on_conflict={}", resource.names_of(group)), Operation::Update)).collect()
}

pub(super) fn route() -> Route {
    Route {
        parameters: Some(&["on_conflict", "conflict", "expand"]),
        body: Body::Json,
        extent: Extent::One,
        more_access: upserts,
        ..Route::new(Method::POST, "", Operation::Create, |request| Box::pin(upsert::create(request)), document)
    }
}

pub(super) async fn create(mut request: ResourceRequest) -> Result<Response, Problem> {
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

/// A row sink that renders the created record and completes its `Location`.
pub(super) struct CreatedSink<'a> {
    id: usize,
    location: String,
    pub(super) json: ExpandingSink<'a>,
}

impl<'a> CreatedSink<'a> {
    /// The sink of a request to the resource's prefix.
    pub(super) fn new(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let location = request.original_path().trim_end_matches('/').to_owned() + "/";
        Self { id: request.resource().id, location, json }
    }

    /// The sink of a request to the record's own path.
    pub(super) fn at(request: &ResourceRequest, json: ExpandingSink<'a>) -> Self {
        let path = request.original_path().trim_end_matches('/');
        let prefix = path.rsplit_once('/').map_or("", |(prefix, _)| prefix);
        Self { id: request.resource().id, location: format!("{prefix}/"), json }
    }

    /// The response with the created record.
    pub(super) async fn created(self, request: &ResourceRequest) -> Result<Response, Problem> {
        let Self { location, json, .. } = self;
        let mut response = request.record_response(StatusCode::CREATED, json).await?;
        if let Ok(location) = HeaderValue::from_str(&location) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        Ok(if request.prefer().minimal { response::minimal(StatusCode::CREATED, response) } else { response })
    }
}

impl RowSink for CreatedSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        // Writing to a string cannot fail.
        let _ = match row.value(self.id)? {
            ValueRef::Int(id) => write!(self.location, "{id}"),
            ValueRef::Uuid(id) => write!(self.location, "{}", id.as_hyphenated()),
            ValueRef::Text(id) | ValueRef::Canonical(id) => {
                write!(self.location, "{}", response::path_segment(id))
            }
            _ => Ok(()),
        };
        self.json.row(row)
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Json {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let headers = &["Location", "ETag", "Preference-Applied"];
    let mut parameters = change_parameters(options.descriptor, &["PreferChange"]);
    let upserts = parameter::upsert(options.descriptor);
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

/// The parameters of a change whose response has a record: those of the components, and `expand`.
pub(super) fn change_parameters(descriptor: &'static Descriptor, shared: &[&str]) -> Vec<Json> {
    let shared = shared.iter().map(|name| reference("parameters", name));
    shared.chain(parameter::expand(descriptor)).collect()
}
