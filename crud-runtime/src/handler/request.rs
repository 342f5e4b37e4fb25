//! A request in a handler's hands.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use tokio::time::Instant;

use super::payload::Payload;
use crate::adapter::{Adapter, AdapterError};
use crate::audit::Actor;
use crate::body::{self, Mode};
use crate::change::Changer;
use crate::descriptor::{Batch, Descriptor};
use crate::error::{FieldError, Problem};
use crate::mounted::Mounted;
use crate::prefer::Prefer;
use crate::scalar;
use crate::state::State;
use crate::value::Value;

/// A request for one of a resource's operations.
pub(super) struct Incoming {
    pub(super) state: State,
    pub(super) mounted: Arc<Mounted>,
    pub(super) parts: Parts,
    payload: Payload,
}

impl Incoming {
    pub(super) fn new(state: State, mounted: Arc<Mounted>, request: Request, deadline: Instant) -> Self {
        let (parts, body) = request.into_parts();
        let payload = Payload::new(body, state.limits().body_idle, deadline);
        Self { state, mounted, parts, payload }
    }

    pub(super) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    pub(super) fn adapter(&self) -> &dyn Adapter {
        &**self.state.adapter()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(super) fn prefer(&self) -> Prefer {
        Prefer::of(&self.parts.headers)
    }

    /// The path as the client wrote it, mount included.
    pub(super) fn original_path(&self) -> &str {
        self.parts.extensions.get::<OriginalUri>().map_or(self.parts.uri.path(), |uri| uri.path())
    }

    /// What an adapter's error says to the client.
    pub(super) fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource(), error)
    }

    /// Changes records in the name of whoever sent the request.
    pub(super) fn changer(&self) -> Changer<'_> {
        Changer { adapter: self.adapter(), resource: self.resource(), actor: self.parts.extensions.get::<Actor>() }
    }

    /// The key in the path.
    pub(super) async fn id(&mut self) -> Result<Value, Problem> {
        let params = RawPathParams::from_request_parts(&mut self.parts, &()).await;
        let column = self.resource().id_column();
        let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
        let params = params.map_err(|_| refuse("must be percent-encoded UTF-8"))?;
        // The last parameter is ours: those before it belong to whatever this is mounted under.
        let text = params.iter().last().map_or("", |(_, value)| value);
        scalar::parse(column, text).map_err(|error| refuse(error.message()))
    }

    /// The body, read against the resource.
    pub(super) async fn body(&mut self, mode: Mode) -> Result<body::Body, Problem> {
        let limit = self.state.limits().body;
        let bytes = self.json(limit).await?;
        body::parse(&self.mounted, &bytes, mode)
    }

    /// The body of a batch, and how many items it may have.
    pub(super) async fn batch(&mut self) -> Result<(Bytes, Batch), Problem> {
        let Some(batch) = self.mounted.options().batch else {
            return Err(Problem::internal(format!("{} has no batches", self.resource().name)));
        };
        let limit = self.state.limits().batch_body;
        Ok((self.json(limit).await?, batch))
    }

    /// Whether the request announces a body.
    pub(super) fn has_body(&self) -> bool {
        let headers = self.headers();
        let length = headers.get(header::CONTENT_LENGTH).map(|length| length != "0");
        length.unwrap_or_else(|| headers.contains_key(header::TRANSFER_ENCODING))
    }

    /// The bytes of a JSON body of at most this size.
    pub(super) async fn json(&mut self, limit: usize) -> Result<Bytes, Problem> {
        self.payload.json(&self.parts, limit).await
    }
}
