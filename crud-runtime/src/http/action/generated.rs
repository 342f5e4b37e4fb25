//! [`Generated`]: the generated operation that a handler replaces.

use std::fmt;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Serialize;
use tokio::sync::Mutex;

use super::argument::{ActionRequest, Argument, Described, ReplacedOperation};
use super::mounted::MountedAction;
use crate::http::handler::{Replacement, ResourceRequest};
use crate::http::operation::main_route;
use crate::model::descriptor::Operation;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;

/// The generated operation that a handler replaces ([`Service::replace`](crate::Service::replace)), for the same request:
/// its access is checked, and it honours scope, preconditions and preferences.
///
/// Where the handler takes a [`Locked`](super::locked::Locked) record, it works in the request's transaction.
pub struct Generated {
    operation: Operation,
    request: ResourceRequest,
}

impl fmt::Debug for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Generated").field(&self.operation).finish()
    }
}

impl Generated {
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

impl Argument for Generated {
    async fn take(request: &mut ActionRequest) -> Result<Self, Problem> {
        let missing = || Problem::internal("the handler replaces no operation, or takes `Generated` twice");
        let ReplacedOperation { operation, request: replaced } = request.replaced.take().ok_or_else(missing)?;
        let mut replaced = *replaced;
        if let Some(transaction) = request.transaction.lock().await.clone() {
            replaced.join(transaction);
        }
        let sent = request.body_reader.take();
        replaced.body_reader = match request.raw_body.clone() {
            Some(bytes) => sent.of(bytes),
            None => sent,
        };
        Ok(Self { operation, request: replaced })
    }

    fn describe(described: &mut Described) {
        described.has_generated = true;
    }
}

impl Replacement for MountedAction {
    fn respond(
        &self,
        operation: Operation,
        mut request: ResourceRequest,
    ) -> BoxFuture<'static, Result<Response, Problem>> {
        let action = self.clone();
        Box::pin(async move {
            let id = if action.action.options.is_item { Some(request.id().await?) } else { None };
            let (state, parts, identity) = (request.state.clone(), request.parts.clone(), request.identity.clone());
            let (mount, body_reader, joined) = (request.mount(), request.body_reader.take(), request.transaction());
            let request = ActionRequest {
                // Its parameters and its body are those of the operation.
                query_schema: None,
                envelope: None,
                id,
                is_joined: joined.is_some(),
                transaction: Arc::new(Mutex::new(joined)),
                replaced: Some(ReplacedOperation { operation, request: Box::new(request) }),
                ..action.request(state, parts, identity, body_reader, mount)
            };
            action.action.handler.0.call(request).await
        })
    }
}
