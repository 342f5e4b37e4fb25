//! A request in a handler's hands.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use tokio::time::Instant;

use super::admission;
use super::payload::Payload;
use crate::http::body;
use crate::http::body::Mode;
use crate::http::prefer::Prefer;
use crate::http::render::JsonSink;
use crate::http::request_identity::Caller;
use crate::http::state::State;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Batch, Descriptor, Operation};
use crate::model::problem::{FieldError, Problem};
use crate::model::row::RowSink;
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::Scope;
use crate::query::visibility::Sight;
use crate::storage::adapter::Adapter;
use crate::store::mounted_resource::MountedResource;
use crate::store::record_values;
use crate::store::record_writer::RecordWriter;
use crate::store::visible_record::read_visible;

/// A request for one of a resource's operations.
pub(super) struct Incoming {
    pub(super) state: State,
    pub(super) mounted: Arc<MountedResource>,
    pub(super) parts: Parts,
    pub(super) caller: Caller,
    storage: Arc<dyn Adapter>,
    payload: Payload,
}

impl Incoming {
    /// A request for this operation, if its sender may make it.
    pub(super) async fn admit(
        state: State,
        mounted: Arc<MountedResource>,
        operation: Operation,
        request: Request,
        deadline: Instant,
    ) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let caller = admission::admit(&state, mounted.resource(), operation, &parts).await?;
        let storage = if operation.is_read() { state.reader(&parts.headers).await? } else { state.adapter().clone() };
        let payload = Payload::new(body, state.limits().body_idle, deadline);
        Ok(Self { state, mounted, parts, caller, storage, payload })
    }

    pub(super) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    /// What the request reads from or writes to.
    pub(super) fn adapter(&self) -> &dyn Adapter {
        &*self.storage
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

    /// Hands the record of a key to `sink`, if the caller sees it in this scope; whether that is so.
    pub(super) async fn find(&self, id: &Value, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        let sight = Sight { scope, owner: self.caller.owner.as_ref() };
        read_visible(self.adapter(), self.resource(), id, sight, sink).await.map_err(|error| self.problem(error))
    }

    /// A record of these values that belongs to the caller, where records belong to somebody.
    pub(super) fn new_record(&self, mut changes: Changes) -> Result<Vec<Value>, Problem> {
        if let Some((column, id)) = self.caller.new_owner(self.resource())? {
            changes.set(column, id);
        }
        Ok(record_values::with_defaults(self.resource(), changes))
    }

    /// Renders records as the caller sees them.
    pub(super) fn sink(&self) -> JsonSink {
        JsonSink::new(self.resource(), &self.caller.view, Vec::with_capacity(256))
    }

    /// What an adapter's error says to the client.
    pub(super) fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource(), error)
    }

    /// Changes records in the name of whoever sent the request.
    pub(super) fn writer(&self) -> RecordWriter<'_> {
        RecordWriter { adapter: self.adapter(), resource: self.resource(), actor: self.caller.actor.as_ref() }
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
        body::parse(&self.mounted, &self.caller.view, &bytes, mode)
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
