//! [`ResourceRequest`]: an authorized request for an operation of a resource.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use tokio::time::Instant;

use super::body_reader::BodyReader;
use super::{authorization, response};
use crate::http::body;
use crate::http::body::{BodyKind, BodyRules};
use crate::http::expand::{Assembled, ExpandingSink, check_storage};
use crate::http::param::list::{ListContext, Purpose, expand};
use crate::http::prefer::Prefer;
use crate::http::render::JsonSink;
use crate::http::request_identity::RequestIdentity;
use crate::http::server::memory::CHUNK;
use crate::http::state::ServiceState;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Batch, Descriptor, Operation, Transition};
use crate::model::problem::{FieldError, Problem};
use crate::model::row::RowSink;
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::expansion::{Expansion, Expansions};
use crate::query::reach::Reach;
use crate::query::record_scope::Assignments;
use crate::query::visibility::RecordVisibility;
use crate::query::{Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::store::mounted_resource::MountedResource;
use crate::store::record_values;
use crate::store::record_writer::RecordWriter;
use crate::store::reference_rule::ReferenceRule;
use crate::store::state_change::StateChange;
use crate::store::subqueries;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::visible_record::read_visible;

/// Limit of related records that a condition resolves to on storage without subqueries.
const MAX_VALUES: u64 = 1_000;

/// An authorized request for an operation of a resource.
pub(crate) struct ResourceRequest {
    pub(crate) state: ServiceState,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) parts: Parts,
    pub(crate) identity: RequestIdentity,
    storage: Arc<dyn Adapter>,
    pub(crate) body_reader: BodyReader,
    /// The transaction that the operation is part of, if a handler of the program has begun one.
    transaction: Option<Arc<SharedTransaction>>,
    /// The transition of the route, with the column of its state.
    transition: Option<(usize, &'static Transition)>,
    /// The key of the record that an upsert changes or creates, whose path is not the operation's own.
    key: Option<Value>,
}

/// A handler of the program in place of a generated operation.
pub(crate) trait Replacement: Debug + Send + Sync {
    /// Answers a request that may use the operation.
    fn respond(&self, operation: Operation, request: ResourceRequest) -> BoxFuture<'static, Result<Response, Problem>>;
}

impl ResourceRequest {
    /// Authorizes a request for this operation, or for the route of a transition.
    ///
    /// # Errors
    /// As [`authorization::authorize`]; `validation_failed` when a session token is malformed.
    pub(crate) async fn authorize(
        state: ServiceState,
        mounted: Arc<MountedResource>,
        operation: Operation,
        transition: Option<(usize, &'static Transition)>,
        request: Request,
        deadline: Instant,
    ) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let own = transition.map(|(_, transition)| transition);
        let identity = authorization::authorize(&state, mounted.resource(), operation, own, &parts).await?;
        if let Some(schema) = state.schema() {
            schema.check(mounted.resource())?;
        }
        let storage = if operation.is_read() { state.reader(&parts.headers).await? } else { state.adapter().clone() };
        let body_reader = BodyReader::new(body, state.limits().body_idle, deadline, state.memory());
        Ok(Self { state, mounted, parts, identity, storage, body_reader, transaction: None, transition, key: None })
    }

    pub(crate) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    /// The storage of the request: of a reading one, perhaps a replica.
    pub(crate) fn adapter(&self) -> &dyn Adapter {
        &*self.storage
    }

    /// The storage adapter, shared with reads that outlast the request.
    pub(crate) const fn storage(&self) -> &Arc<dyn Adapter> {
        &self.storage
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(crate) fn prefer(&self) -> Prefer {
        Prefer::parse(&self.parts.headers)
    }

    /// A copy of the request, with a body that is read already.
    pub(crate) fn with_body(&self, body: Bytes) -> Self {
        Self {
            state: self.state.clone(),
            mounted: self.mounted.clone(),
            parts: self.parts.clone(),
            identity: self.identity.clone(),
            storage: self.storage.clone(),
            body_reader: self.body_reader.of(body),
            transaction: self.transaction.clone(),
            transition: self.transition,
            key: self.key.clone(),
        }
    }

    /// A copy of the request, whose body is read already, for the update of the record with this key.
    pub(crate) fn updating(&self, key: Value, body: Bytes) -> Self {
        let mut request = Self { key: Some(key), ..self.with_body(body) };
        request.parts.method = Method::PATCH;
        request
    }

    /// Turns the request into one for the create of the record with this key.
    pub(crate) fn creating(mut self, key: Value) -> Self {
        self.key = Some(key);
        self
    }

    /// The transition of the route, with the column of its state.
    pub(crate) const fn transition(&self) -> Option<(usize, &'static Transition)> {
        self.transition
    }

    /// The key of the record that an upsert changes or creates.
    pub(crate) const fn upsert_key(&self) -> Option<&Value> {
        self.key.as_ref()
    }

    /// The transaction that the operation is part of.
    pub(crate) fn transaction(&self) -> Option<Arc<SharedTransaction>> {
        self.transaction.clone()
    }

    /// Makes the operation a part of a transaction.
    pub(crate) fn join(&mut self, transaction: Arc<SharedTransaction>) {
        self.storage = transaction.clone();
        self.transaction = Some(transaction);
    }

    /// Whether the operation is a part of a transaction.
    pub(crate) const fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// The path that the service is mounted under.
    pub(crate) fn mount(&self) -> String {
        let path = self.original_path();
        path.strip_suffix(self.parts.uri.path()).unwrap_or_default().to_owned()
    }

    /// The path that the client requested, mount included.
    pub(crate) fn original_path(&self) -> &str {
        self.parts.extensions.get::<OriginalUri>().map_or(self.parts.uri.path(), |uri| uri.path())
    }

    /// Sends the record of a key to `sink` if it is visible in this scope; whether it is.
    pub(crate) async fn find(&self, id: &Value, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        let visibility = RecordVisibility { scope, records: Some(&self.identity.records) };
        read_visible(self.adapter(), self.resource(), id, visibility, sink).await.map_err(|error| self.problem(error))
    }

    /// A complete record of these values.
    pub(crate) fn new_record(&self, changes: Changes) -> Vec<Value> {
        record_values::with_defaults(self.resource(), changes)
    }

    /// A sink that renders the visible fields.
    pub(crate) fn sink(&self) -> JsonSink {
        JsonSink::new(self.resource(), &self.identity.view, Vec::with_capacity(256))
    }

    /// Visibility of other resources for the request's principal.
    pub(crate) fn reach(&self) -> Reach<'_> {
        Reach { principal: self.identity.principal.as_deref(), checks_access: self.state.is_secured() }
    }

    /// The query string.
    pub(crate) fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// The resource, view and limits that the parameters of a list are read against.
    pub(crate) fn list_context(&self, purpose: Purpose) -> ListContext<'_> {
        ListContext {
            resource: self.resource(),
            pagination: self.mounted.options().pagination.filter(|_| purpose == Purpose::List),
            view: &self.identity.view,
            reach: self.reach(),
            limits: self.state.limits().query,
            purpose,
        }
    }

    /// The records that the parameter `expand` asks for beside one.
    ///
    /// # Errors
    /// `validation_failed` where it names none; `query_too_complex`.
    pub(crate) fn expansions(&self) -> Result<Vec<Expansion>, Problem> {
        let limits = self.state.limits().query;
        let expansions = Expansions::new(self.resource(), &self.identity.view, self.reach(), limits);
        let expansions = expand::parse(expansions, self.query())?;
        check_storage(&[], &expansions, self.adapter()).map_err(|error| self.problem(error))?;
        Ok(expansions)
    }

    /// Whether the request is for the head alone.
    pub(crate) fn is_head(&self) -> bool {
        self.parts.method == Method::HEAD
    }

    /// The bytes of a response from which on the rest is streamed. Within a transaction, which ends before the response is
    /// sent, it is all buffered.
    pub(crate) fn room(&self) -> usize {
        if self.transaction.is_some() { usize::MAX } else { CHUNK }
    }

    /// The JSON of a sink, with what is beside each record.
    pub(crate) async fn expanded(&self, sink: ExpandingSink<'_>) -> Result<Assembled, Problem> {
        sink.finish(self.adapter(), self.reach()).await.map_err(|error| self.problem(error))
    }

    /// Finishes the JSON with the records in the opposite order; the first one begins at `start`. None, where a record
    /// remains unread.
    pub(crate) async fn expanded_reversed(
        &self,
        sink: ExpandingSink<'_>,
        start: usize,
    ) -> Result<Option<Vec<u8>>, Problem> {
        let json = sink.finish_reversed(start, self.adapter(), self.reach()).await;
        json.map_err(|error| self.problem(error))
    }

    /// The response with a record and what is beside it. The entity tag is the record's.
    pub(crate) async fn record_response(
        &self,
        status: StatusCode,
        sink: ExpandingSink<'_>,
    ) -> Result<Response, Problem> {
        if !sink.is_expanding() {
            return Ok(response::record(status, sink.json.out));
        }
        let mut response = response::record(status, sink.json.out.clone());
        *response.body_mut() = self.expanded(sink).await?.json.into();
        Ok(response)
    }

    /// A condition as storage knows it: where it has no subqueries, those on other records are read first.
    ///
    /// # Errors
    /// `unsupported_here` where there are too many of them.
    pub(crate) async fn resolved(&self, filter: Predicate) -> Result<Predicate, Problem> {
        let resolved = subqueries::resolved(self.adapter(), &filter, Some(MAX_VALUES)).await;
        let changed = match resolved.map_err(|error| self.problem(error))? {
            Cow::Owned(resolved) => Some(resolved),
            Cow::Borrowed(_) => None,
        };
        Ok(changed.unwrap_or(filter))
    }

    /// The problem of an adapter's error.
    pub(crate) fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource(), error)
    }

    /// The writer that records the principal as the actor.
    pub(crate) fn writer(&self) -> RecordWriter<'_> {
        RecordWriter {
            app: self.state.app(),
            mounted: &self.mounted,
            transaction: self.transaction.as_ref(),
            actor: self.identity.actor.as_ref(),
            caller: Some(self.identity.caller(self.state.is_secured())),
            state_change: StateChange { checks_access: self.state.is_secured(), route: None },
            references: ReferenceRule::Principal {
                principal: self.identity.principal.as_deref(),
                checks_access: self.state.is_secured(),
            },
            most_failures: None,
        }
    }

    /// The key in the path, or of an upsert.
    pub(crate) async fn id(&mut self) -> Result<Value, Problem> {
        if let Some(key) = &self.key {
            return Ok(key.clone());
        }
        let params = RawPathParams::from_request_parts(&mut self.parts, &()).await;
        let column = self.resource().id_column();
        let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
        let params = params.map_err(|_| refuse("must be percent-encoded UTF-8"))?;
        // The last parameter is the key: earlier ones belong to outer routers.
        let text = params.iter().last().map_or("", |(_, value)| value);
        scalar::parse(column, text).map_err(|error| refuse(error.message()))
    }

    /// Reads the body as a record of the resource.
    pub(crate) async fn record_body(&mut self, body_kind: BodyKind) -> Result<body::RecordBody, Problem> {
        let limit = self.state.limits().body;
        let bytes = self.json_body(limit).await?;
        body::parse(&self.mounted, &self.body_rules(body_kind)?, &bytes)
    }

    /// Rules for the fields that this principal's bodies may set.
    ///
    /// # Errors
    /// Those of [`Assignments::new`](crate::query::record_scope::Assignments::new) for a create.
    pub(crate) fn body_rules(&self, body_kind: BodyKind) -> Result<BodyRules<'_>, Problem> {
        let assignments = match body_kind {
            BodyKind::Create => self.identity.assignments(self.resource())?,
            BodyKind::Update => Assignments::default(),
        };
        let key = self.key.as_ref().filter(|_| body_kind == BodyKind::Create);
        let principal = self.identity.principal.as_deref();
        let (view, may_keep) = (&self.identity.view, body_kind == BodyKind::Update);
        Ok(BodyRules { view, principal, body_kind, assignments, key, may_keep })
    }

    /// Reads the body of a batch; with the resource's batch options.
    pub(crate) async fn batch_body(&mut self) -> Result<(Bytes, Batch), Problem> {
        let Some(batch) = self.mounted.options().batch else {
            return Err(Problem::internal(format!("{} has no batches", self.resource().name)));
        };
        let limit = self.state.limits().batch_body;
        Ok((self.json_body(limit).await?, batch))
    }

    /// Whether the request announces a body.
    pub(crate) fn has_body(&self) -> bool {
        let headers = self.headers();
        let length = headers.get(header::CONTENT_LENGTH).map(|length| length != "0");
        length.unwrap_or_else(|| headers.contains_key(header::TRANSFER_ENCODING))
    }

    /// Reads the bytes of a JSON body of at most `limit` bytes.
    pub(crate) async fn json_body(&mut self, limit: usize) -> Result<Bytes, Problem> {
        self.body_reader.json(&self.parts, limit).await
    }
}
