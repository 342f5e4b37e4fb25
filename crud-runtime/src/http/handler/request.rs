//! [`ResourceRequest`]: an authorized request for an operation of a resource, with the steps that handlers share.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use crud_core::retry;

use super::authorization::{AuthorizedRequest, RequestIdentity};
use super::body_reader::BodyReader;
use super::response;
use crate::http::body::{self, BodyKind, BodyRules, RecordBody};
use crate::http::head::Head;
use crate::http::param::header::prefer::Prefer;
use crate::http::param::list::{Group, ListContext, expand};
use crate::http::param::path_key::path_key;
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink, check_storage};
use crate::http::server::memory_budget::CHUNK;
use crate::http::state::ServiceState;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, ManyToMany, Operation, Transition};
use crate::model::key::Key;
use crate::model::problem::{FieldError, Problem};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::expansion::{Expansion, Expansions};
use crate::query::visibility::{FieldVisibility, RecordVisibility, Visibility};
use crate::query::{Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::storage::layers::tenant_read_audit::{AuditedReads, TenantReadAudit, Unended};
use crate::store::mounted::resource::MountedResource;
use crate::store::scope::subqueries;
use crate::store::scope::visible_record::read_visible;
use crate::store::transaction::shared::{End, SharedTransaction};
use crate::store::writer::reference_rule::ReferenceRule;
use crate::store::writer::state_change::StateChange;
use crate::store::writer::{RecordWriter, record_values};

/// Limit of related records that a condition resolves to on storage without subqueries.
const MAX_VALUES: u64 = 1_000;

/// Limit of related records that a scope resolves to on such storage.
const MAX_SCOPE: u64 = 50_000;

/// An admitted request for an operation of a resource, which the operation owns.
pub(crate) struct ResourceRequest {
    pub(crate) state: ServiceState,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) parts: Parts,
    pub(crate) identity: RequestIdentity,
    storage: Arc<dyn Adapter>,
    /// Observer of the request's reads, where reads in other tenants get audit entries.
    reads: Option<Arc<dyn TenantReadAudit>>,
    pub(crate) body_reader: BodyReader,
    /// The transaction that the operation is part of, if a handler of the program has begun one.
    transaction: Option<Arc<SharedTransaction>>,
    /// The transition of the route, with the column of its state.
    pub(crate) transition: Option<(usize, &'static Transition)>,
    /// The relation whose links the route serves.
    pub(crate) links: Option<&'static ManyToMany>,
    /// The key of the record that an upsert changes or creates, where the path is not that of the operation.
    pub(crate) key: Option<Key>,
    /// An object with the values that the program sets, beside those of the body.
    pub(crate) assigned: Option<Bytes>,
}

impl ResourceRequest {
    /// A request that a route has admitted.
    ///
    /// # Errors
    /// `validation_failed` when a session token is malformed.
    pub(crate) async fn new(
        authorized: AuthorizedRequest,
        mounted: Arc<MountedResource>,
        operation: Operation,
    ) -> Result<Box<Self>, Problem> {
        let (state, headers) = (&authorized.state, &authorized.parts.headers);
        let storage = if operation.is_read() { state.reader(headers).await? } else { state.adapter().clone() };
        Ok(Self::of_storage(authorized, mounted, storage))
    }

    /// An admitted request that reads and writes this storage.
    pub(crate) fn of_storage(
        authorized: AuthorizedRequest,
        mounted: Arc<MountedResource>,
        storage: Arc<dyn Adapter>,
    ) -> Box<Self> {
        let AuthorizedRequest { state, identity, parts, body, deadline, reads } = authorized;
        let storage = observed(storage, reads.clone());
        let body_reader = BodyReader::new(
            body,
            state.limits().body_idle,
            deadline,
            state.memory_of(&parts.headers, &parts.extensions),
        );
        // Boxed: each step of an operation is a future that would hold the request, and be moved with it.
        Box::new(Self {
            state,
            mounted,
            parts,
            identity,
            storage,
            reads,
            body_reader,
            transaction: None,
            transition: None,
            links: None,
            key: None,
            assigned: None,
        })
    }

    pub(crate) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    /// The storage of the request; a reading request may use a replica.
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
    pub(crate) fn with_body(&self, body: Bytes) -> Box<Self> {
        Box::new(Self {
            state: self.state.clone(),
            mounted: self.mounted.clone(),
            parts: self.parts.clone(),
            identity: self.identity.clone(),
            storage: self.storage.clone(),
            reads: self.reads.clone(),
            body_reader: self.body_reader.of(body),
            transaction: self.transaction.clone(),
            transition: self.transition,
            links: self.links,
            key: self.key.clone(),
            assigned: self.assigned.clone(),
        })
    }

    /// Request of this sender for another resource of the service, in the same transaction. It has no body.
    ///
    /// # Errors
    /// `internal` when the service lacks the resource, `unavailable` when the database lacks its schema.
    pub(crate) fn of_other(&self, resource: &'static Descriptor) -> Result<Box<Self>, Problem> {
        let mounted = self.state.mounted_resource(resource).cloned();
        let mounted =
            mounted.ok_or_else(|| Problem::internal(format!("the service does not have {}", resource.name)))?;
        if let Some(schema) = self.state.schema() {
            schema.check(resource)?;
        }
        let identity = self.identity.of_resource(&self.state, resource);
        let request = *self.with_body(Bytes::new());
        let (transition, links, key, assigned) = (None, None, None, None);
        Ok(Box::new(Self { mounted, identity, transition, links, key, assigned, ..request }))
    }

    /// A copy of the request, whose body is read already, for the update of the record with this key.
    pub(crate) fn updating(&self, key: Key, body: Bytes) -> Box<Self> {
        let mut request = self.with_body(body);
        request.key = Some(key);
        request.parts.method = Method::PATCH;
        request
    }

    /// Turns the request into one for the create of the record with this key.
    pub(crate) fn creating(mut self: Box<Self>, key: Key) -> Box<Self> {
        self.key = Some(key);
        self
    }

    /// The transaction that the operation is part of.
    pub(crate) fn transaction(&self) -> Option<Arc<SharedTransaction>> {
        self.transaction.clone()
    }

    /// Makes the operation a part of a transaction.
    pub(crate) fn join(&mut self, transaction: Arc<SharedTransaction>) {
        let reads = self.reads.clone().map(|reads| Arc::new(Unended(reads)) as Arc<dyn TenantReadAudit>);
        self.storage = observed(transaction.clone(), reads);
        self.transaction = Some(transaction);
    }

    /// The observer of the request's reads.
    pub(crate) const fn reads(&self) -> Option<&Arc<dyn TenantReadAudit>> {
        self.reads.as_ref()
    }

    /// The path that the client requested, mount included.
    pub(crate) fn original_path(&self) -> &str {
        Head::from(&self.parts).original_path()
    }

    /// The query string.
    pub(crate) fn query(&self) -> &str {
        self.parts.uri.query().unwrap_or_default()
    }

    /// The problem of an adapter's error.
    pub(crate) fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource(), error)
    }

    /// The key in the path, or of an upsert.
    pub(crate) async fn id(&mut self) -> Result<Key, Problem> {
        if let Some(key) = &self.key {
            return Ok(key.clone());
        }
        // The last parameter is the key: earlier ones belong to outer routers.
        let params = self.path_parameters().await?;
        self.parse_id(self.parts.uri.path(), params.iter().last().map_or("", |(_, value)| value))
    }

    /// The key in the path and the text after it, on a route of one link.
    pub(crate) async fn id_and_linked(&mut self) -> Result<(Key, String), Problem> {
        let params = self.path_parameters().await?;
        let mut values: Vec<&str> = params.iter().map(|(_, value)| value).collect();
        let linked = values.pop().unwrap_or_default().to_owned();
        // Cut off: the linked key may decode to the same text as the record's.
        let path = self.parts.uri.path();
        let before = path.rsplit_once('/').map_or(path, |(before, _)| before);
        Ok((self.parse_id(before, values.last().copied().unwrap_or_default())?, linked))
    }

    async fn path_parameters(&mut self) -> Result<RawPathParams, Problem> {
        let params = RawPathParams::from_request_parts(&mut self.parts, &()).await;
        params.map_err(|_| refused_id("must be percent-encoded UTF-8"))
    }

    fn parse_id(&self, path: &str, text: &str) -> Result<Key, Problem> {
        path_key(self.resource(), path, text).map_err(|error| refused_id(error.message()))
    }

    /// Sends the record of a key to `sink` if it is visible in this scope, and returns whether it is.
    pub(crate) async fn find(&self, id: &Key, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        let visibility = RecordVisibility { scope, records: Some(&self.identity.records) };
        read_visible(self.adapter(), self.resource(), id, visibility, sink).await.map_err(|error| self.problem(error))
    }

    /// A sink that renders the visible fields.
    pub(crate) fn sink(&self) -> JsonSink {
        JsonSink::new(self.resource(), &self.identity.view, Vec::with_capacity(256))
    }

    /// Visibility of other resources for the request's principal.
    pub(crate) fn visibility(&self) -> Visibility<'_> {
        Visibility {
            principal: self.identity.principal.as_deref(),
            enforcement: self.state.enforcement(),
            reached: self.identity.view.reached(),
        }
    }

    /// The resource, view and limits that the parameters of a list are read against.
    pub(crate) fn list_context(&self, takes: &'static [Group]) -> ListContext<'_> {
        ListContext {
            resource: self.resource(),
            pagination: self.mounted.options().pagination.filter(|_| takes.contains(&Group::Page)),
            view: &self.identity.view,
            visibility: self.visibility(),
            limits: self.state.limits().query,
            takes,
        }
    }

    /// The records that the parameter `expand` adds to one.
    ///
    /// # Errors
    /// `validation_failed` where it names anything else; `query_too_complex`.
    pub(crate) fn expansions(&self) -> Result<Vec<Expansion>, Problem> {
        let limits = self.state.limits().query;
        let expansions = Expansions::new(self.resource(), &self.identity.view, self.visibility(), limits);
        let expansions = expand::parse(expansions, self.query())?;
        check_storage(&[], &expansions, self.adapter()).map_err(|error| self.problem(error))?;
        Ok(expansions)
    }

    /// The bytes of a response after which the rest is streamed. Within a transaction, which ends before the response
    /// is sent, the whole response is buffered.
    pub(crate) fn budget(&self) -> usize {
        // A record without a key cannot be read later.
        if self.transaction.is_some() || self.resource().keyless { usize::MAX } else { CHUNK }
    }

    /// The JSON of a sink, with the expanded records in each record.
    pub(crate) async fn expanded(&self, sink: ExpandingSink<'_>) -> Result<Assembled, Problem> {
        sink.finish(self.adapter(), self.visibility()).await.map_err(|error| self.problem(error))
    }

    /// The response with a record and its expanded records. The entity tag is of the record alone.
    pub(crate) async fn record_response(
        &self,
        status: StatusCode,
        sink: ExpandingSink<'_>,
    ) -> Result<Response, Problem> {
        if !sink.is_expanding() {
            return Ok(response::record(status, sink.json.out));
        }
        let mut response = response::record(status, sink.json.out.clone());
        // Boxed: records without expanded ones do not reserve memory for this future.
        *response.body_mut() = Box::pin(self.expanded(sink)).await?.json.into();
        Ok(response)
    }

    /// The condition, as storage knows it, that a record satisfies a filter and the request sees it.
    ///
    /// # Errors
    /// Errors of [`resolved`](Self::resolved).
    pub(crate) async fn visible(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.within(self.identity.records.predicate(), filter).await
    }

    /// The condition, as storage knows it, that a record satisfies a filter and the request may change it.
    ///
    /// # Errors
    /// Errors of [`resolved`](Self::resolved).
    pub(crate) async fn changeable(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.within(self.identity.records.change_predicate(), filter).await
    }

    async fn within(&self, scope: Predicate, filter: Predicate) -> Result<Predicate, Problem> {
        let scope = self.resolved_up_to(scope, MAX_SCOPE).await?;
        Ok(scope.and(self.resolved(filter).await?))
    }

    /// A condition as storage knows it. Where storage has no subqueries, the other records in the condition are read
    /// first.
    ///
    /// # Errors
    /// `unsupported_here` where there are too many of them.
    pub(crate) async fn resolved(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.resolved_up_to(filter, MAX_VALUES).await
    }

    async fn resolved_up_to(&self, filter: Predicate, most: u64) -> Result<Predicate, Problem> {
        let resolved = subqueries::resolved(self.adapter(), &filter, Some(most)).await;
        let changed = match resolved.map_err(|error| self.problem(error))? {
            Cow::Owned(resolved) => Some(resolved),
            Cow::Borrowed(_) => None,
        };
        Ok(changed.unwrap_or(filter))
    }

    /// A complete record of these values.
    pub(crate) fn new_record(&self, changes: Changes) -> Vec<Value> {
        record_values::with_defaults(self.resource(), changes)
    }

    /// The writer that records the principal as the actor.
    pub(crate) fn writer(&self) -> RecordWriter<'_> {
        RecordWriter {
            app: self.state.app(),
            mounted: &self.mounted,
            transaction: self.transaction.as_ref(),
            actor: self.identity.actor.as_ref(),
            caller: Some(self.identity.caller(self.state.enforcement())),
            state_change: StateChange { enforcement: self.state.enforcement(), route: None },
            references: ReferenceRule::Principal {
                principal: self.identity.principal.as_deref(),
                enforcement: self.state.enforcement(),
                created: None,
            },
            scope: Some(&self.identity.records),
            most_failures: None,
            reads: self.reads(),
        }
    }

    /// Reads the body as a record of the resource.
    pub(crate) async fn record_body(&mut self, body_kind: BodyKind) -> Result<RecordBody, Problem> {
        let limit = self.state.limits().body;
        let bytes = self.json_body(limit).await?;
        let mut body = body::parse(&self.mounted, &self.body_rules(body_kind)?, &bytes)?;
        self.assign(&mut body.changes)?;
        Ok(body)
    }

    /// Adds the values that the program sets to the changes of a body.
    ///
    /// # Errors
    /// `validation_failed` for values that do not fit their fields.
    pub(crate) fn assign(&self, changes: &mut Changes) -> Result<(), Problem> {
        let Some(assigned) = &self.assigned else { return Ok(()) };
        let view = FieldVisibility::default();
        let rules = BodyRules { body_kind: BodyKind::Update, by_program: true, ..BodyRules::without_principal(&view) };
        let assigned = body::parse(&self.mounted, &rules, assigned)?.changes;
        for (column, value) in assigned.iter() {
            changes.set(column, value.clone());
        }
        Ok(())
    }

    /// Rules for the fields that this request's bodies may set.
    ///
    /// # Errors
    /// Errors of [`RequestIdentity::body_rules`].
    pub(crate) fn body_rules(&self, body_kind: BodyKind) -> Result<BodyRules<'_>, Problem> {
        let key = self.key.as_ref().filter(|_| body_kind == BodyKind::Create);
        Ok(BodyRules { key, ..self.identity.body_rules(self.resource(), body_kind)? })
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

    /// Runs an operation in the transaction of the request, or in a new one, which its success commits. After a
    /// conflict with another transaction, the operation runs again. The body has to be read before: a slow client must
    /// not hold locks.
    ///
    /// # Errors
    /// Errors of the operation, which is rolled back then.
    pub(crate) async fn in_transaction(
        self: Box<Self>,
        body: Bytes,
        operation: impl Fn(Box<Self>) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync,
    ) -> Result<Response, Problem> {
        if self.transaction.is_some() {
            return operation(self.with_body(body)).await;
        }
        let app = self.state.app().clone();
        let (_, answered) = retry!(
            async {
                let transaction = app.start_transaction().await.map_err(Problem::from_storage)?;
                let mut attempt = self.with_body(body.clone());
                attempt.join(transaction.clone());
                let mut answered = operation(attempt).await;
                if answered.is_ok() {
                    if let Err(error) = transaction.commit().await {
                        answered = Err(Problem::from_storage(error));
                    }
                } else if transaction.end().await.is_none() {
                    // Rolled back now, so that locks are released before the answer. The operation's own error says
                    // more than the rollback's.
                    drop(transaction.roll_back().await);
                }
                Ok::<_, Problem>((transaction.end().await, answered))
            },
            End::is_conflict
        )?;
        answered
    }
}

/// Storage that reports reads to the observer, if there is one.
pub(crate) fn observed(storage: Arc<dyn Adapter>, reads: Option<Arc<dyn TenantReadAudit>>) -> Arc<dyn Adapter> {
    match reads {
        Some(reads) => Arc::new(AuditedReads::new(storage, reads)),
        None => storage,
    }
}

fn refused_id(detail: &str) -> Problem {
    Problem::validation([FieldError::parameter("id", "type", detail)])
}
