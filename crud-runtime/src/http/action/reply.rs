//! [`Reply`]: what a handler of the program answers with.

use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::argument::{ActionRequest, Described, DescribedReply};
use crate::http::handler::response;
use crate::http::render::JsonSink;
use crate::model::column::Column;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::query::visibility::FieldVisibility;
use crate::storage::adapter::Adapter;

/// The answer of a handler: [`Record`], [`Created`], [`Records`](super::records::Records), a [`Page`](crate::Page) of
/// records, [`Json`], an axum response, or `()` for 204.
pub trait Reply: Send {
    /// Writes the response, before the request's transaction is committed.
    #[doc(hidden)]
    fn render(self, request: &ActionRequest) -> impl Future<Output = Result<Response, Problem>> + Send;

    /// Adds what the document says of it.
    #[doc(hidden)]
    fn describe(described: &mut Described);
}

impl Reply for () {
    async fn render(self, _: &ActionRequest) -> Result<Response, Problem> {
        Ok(StatusCode::NO_CONTENT.into_response())
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Nothing;
    }
}

impl Reply for Response {
    async fn render(self, _: &ActionRequest) -> Result<Response, Problem> {
        Ok(self)
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Any;
    }
}

/// Any JSON, with status 200.
#[derive(Debug, Clone)]
pub struct Json<T>(pub T);

impl<T: Serialize + Send> Reply for Json<T> {
    async fn render(self, _: &ActionRequest) -> Result<Response, Problem> {
        Ok(response::json(StatusCode::OK, serde_json::to_vec(&self.0).map_err(Problem::internal)?))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Json;
    }
}

/// A record as the resource's own routes answer with it: its JSON, its `ETag`, `Prefer: return=minimal`.
#[derive(Clone)]
pub struct Record<R>(pub R);

impl<R: Resource> fmt::Debug for Record<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> Reply for Record<R> {
    async fn render(self, request: &ActionRequest) -> Result<Response, Problem> {
        let response = response::record(StatusCode::OK, record_json(&self.0, request).await?);
        Ok(response::of_change(&request.parts.headers, StatusCode::NO_CONTENT, response))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Record(R::DESCRIPTOR);
    }
}

/// A record that was created: 201 with its `Location`.
#[derive(Clone)]
pub struct Created<R>(pub R);

impl<R: Resource> fmt::Debug for Created<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Created").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> Reply for Created<R> {
    async fn render(self, request: &ActionRequest) -> Result<Response, Problem> {
        let mut response = response::record(StatusCode::CREATED, record_json(&self.0, request).await?);
        if let Some(mounted) = request.state.mounted_resource(R::DESCRIPTOR) {
            let id = self.0.id().clone().into_value().to_string();
            let segment = response::path_segment(&id);
            let location = format!("{}{}/{segment}", request.mount, mounted.options().prefix);
            if let Ok(location) = HeaderValue::from_str(&location) {
                response.headers_mut().insert(header::LOCATION, location);
            }
        }
        Ok(response::of_change(&request.parts.headers, StatusCode::CREATED, response))
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Created(R::DESCRIPTOR);
    }
}

/// The record's JSON with the fields that the sender of the request sees, as storage has it now.
async fn record_json<R: Resource>(record: &R, request: &ActionRequest) -> Result<Vec<u8>, Problem> {
    let resource = R::DESCRIPTOR;
    let view = FieldVisibility::new(resource, request.identity.principal.as_deref());
    let mut sink = JsonSink::new(resource, &view, Vec::with_capacity(256));
    let id = record.id().clone().into_value();
    let transaction = request.transaction.lock().await.clone();
    let adapter: &dyn Adapter = match &transaction {
        Some(transaction) => &**transaction,
        None => &**request.state.adapter(),
    };
    let found = adapter.get(resource, &id, &mut sink).await;
    if found.map_err(|error| Problem::from_adapter(resource, error))? {
        Ok(sink.out)
    } else {
        Err(Problem::record_not_found(resource, &id))
    }
}
