//! [`Next`]: the generated operation that a handler replaces.

use std::fmt;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Serialize;

use super::answer::failed;
use super::describe::{DescribeArgument, Described};
use super::mounted::MountedRoute;
use super::route_context::{ReplacedOperation, RouteContext, RouteInput, Schemas};
use super::service;
use crate::http::handler::ResourceRequest;
use crate::http::handler::operation_override::OperationOverride;
use crate::http::operation::table::main_route;
use crate::model::descriptor::Operation;
use crate::model::problem::Problem;
use crate::response::WrittenProblem;
use crate::storage::future::BoxFuture;

/// The generated operation that a handler replaces ([`Service::replace`](crate::Service::replace)), for the same
/// request, whose access is checked. The operation honours scope, preconditions and preferences.
///
/// Where the handler takes a [`Locked`](crate::http::routing::argument::locked::Locked) record, the operation works in
/// the request's transaction.
///
/// ```
/// use crud_runtime::axum::response::Response;
/// use crud_runtime::error::{Code, Problem};
/// use crud_runtime::routing::{Context, Next, handler};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// /// Deletes nothing in the night.
/// async fn delete(ctx: Context, next: Next) -> Result<Response, Problem> {
///     match ctx.now().time() < NaiveTime::from_hms_opt(6, 0, 0).unwrap_or_default() {
///         true => Err(Problem::new(Code::Conflict, "deletes are from six o'clock on")),
///         false => next.run().await,
///     }
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
/// let service = service.replace::<Book>(Operation::Delete, handler(delete));
/// # Ok(()) }
/// ```
pub struct Next {
    operation: Operation,
    request: Box<ResourceRequest>,
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Next").field(&self.operation).finish()
    }
}

impl Next {
    /// Runs the operation with the body that the client sent.
    ///
    /// # Errors
    /// Errors of the operation.
    pub async fn run(self) -> Result<Response, Problem> {
        (main_route(self.operation).handler)(self.request).await
    }

    /// Runs the operation with another JSON body.
    ///
    /// # Errors
    /// Errors of the operation; `internal` when the body is not one of JSON.
    pub async fn run_with(mut self, body: impl Serialize) -> Result<Response, Problem> {
        let bytes: Bytes = serde_json::to_vec(&body).map_err(Problem::internal)?.into();
        let headers = &mut self.request.parts.headers;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CONTENT_LENGTH, bytes.len().into());
        headers.remove(header::TRANSFER_ENCODING);
        headers.remove(header::CONTENT_ENCODING);
        self.request.body_reader = self.request.body_reader.of(bytes);
        self.run().await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Next {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let context = RouteContext::of(&parts.extensions)?;
        let missing = || Problem::internal("the handler replaces no operation, or takes `Next` twice");
        let ReplacedOperation { operation, mut request } = context.take_replaced().ok_or_else(missing)?;
        // A transaction that a later argument would open is the operation's too.
        if context.described.locks {
            request.join(context.begin().await?);
        }
        if let Some(body) = context.take_body() {
            request.body_reader = body;
        } else if let Some(bytes) = context.read.get().and_then(|read| read.raw_body.clone()) {
            request.body_reader = request.body_reader.of(bytes);
        }
        Ok(Self { operation, request })
    }
}

impl<S> DescribeArgument<S> for Next {
    fn describe(described: &mut Described) {
        described.has_next = true;
    }
}

impl OperationOverride for MountedRoute {
    fn respond(
        &self,
        operation: Operation,
        mut request: Box<ResourceRequest>,
    ) -> BoxFuture<'static, Result<Response, Problem>> {
        let mounted = self.clone();
        Box::pin(async move {
            let id = if mounted.is_item { Some(request.id().await?) } else { None };
            let (state, mut parts, identity) = (request.state.clone(), request.parts.clone(), request.identity.clone());
            let (reads, body, joined) = (request.reads().cloned(), request.body_reader.take(), request.transaction());
            let replaced = ReplacedOperation { operation, request };
            // The parameters and the body are those of the operation.
            let schemas = Schemas { query: None, ..mounted.schemas.clone() };
            let input = RouteInput { schemas, envelope: None, ..mounted.input() };
            let context = RouteContext::new(input, state, identity, &parts, reads, body.deadline());
            let mut context = context.replacing(replaced, body, joined);
            context.id = id.map_or_else(OnceLock::new, OnceLock::from);
            let context = Arc::new(context);
            context.share(&mut parts.extensions);
            let handler = mounted.route.handler.clone();
            let request = Request::from_parts(parts, Body::empty());
            let response = handler.respond(request, context.state_of_handler()).await;
            let response = service::finish(&context, response).await?;
            // A marked failure is returned as a problem, so that an operation which runs this one fails too.
            match response.extensions().get::<WrittenProblem>() {
                Some(written) if failed::is_marked(&response) => Err(written.to_problem()),
                _ => Ok(response),
            }
        })
    }
}
