//! [`ResourceRequest`]: an authorized request for an operation of a resource.

use std::fmt::Debug;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use tokio::time::Instant;

use super::authorization;
use super::body_reader::BodyReader;
use crate::http::handler::authorization::RequestIdentity;
use crate::http::head::Head;
use crate::http::operation::route::Route;
use crate::http::param::header::prefer::Prefer;
use crate::http::param::path_key::path_key;
use crate::http::state::ServiceState;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, ManyToMany, Operation, Transition};
use crate::model::key::Key;
use crate::model::problem::{FieldError, Problem};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::storage::observed::{Observed, ReadObserver, Unended};
use crate::store::mounted::resource::MountedResource;
use crate::store::transaction::shared::SharedTransaction;

/// An authorized request for an operation of a resource.
pub(crate) struct ResourceRequest {
    pub(crate) state: ServiceState,
    pub(crate) mounted: Arc<MountedResource>,
    pub(crate) parts: Parts,
    pub(crate) identity: RequestIdentity,
    storage: Arc<dyn Adapter>,
    /// Observer of its reads, where other tenants have an entry of each.
    reads: Option<Arc<dyn ReadObserver>>,
    pub(crate) body_reader: BodyReader,
    /// The transaction that the operation is part of, if a handler of the program has begun one.
    pub(super) transaction: Option<Arc<SharedTransaction>>,
    /// The transition of the route, with the column of its state.
    transition: Option<(usize, &'static Transition)>,
    /// The links that the route is of.
    links: Option<&'static ManyToMany>,
    /// The key of the record that an upsert changes or creates, whose path is not the operation's own.
    pub(super) key: Option<Key>,
}

/// A handler of the program in place of a generated operation.
pub(crate) trait Replacement: Debug + Send + Sync {
    /// Answers a request that may use the operation.
    fn respond(&self, operation: Operation, request: ResourceRequest) -> BoxFuture<'static, Result<Response, Problem>>;
}

impl ResourceRequest {
    /// Authorizes a request for a route.
    ///
    /// # Errors
    /// As [`authorization::authorize`]; `validation_failed` when a session token is malformed.
    pub(crate) async fn authorize(
        state: ServiceState,
        mounted: Arc<MountedResource>,
        route: &Route,
        request: Request,
        deadline: Instant,
    ) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let identity = authorization::authorize(&state, mounted.resource(), route, &parts).await?;
        let state = state.of_caller(identity.principal.as_deref())?;
        if let Some(schema) = state.schema() {
            schema.admit(mounted.resource()).await?;
        }
        let storage =
            if route.operation.is_read() { state.reader(&parts.headers).await? } else { state.adapter().clone() };
        let reads = state.tenant_reads(identity.principal.as_ref(), (&parts.method, parts.uri.path()));
        let storage: Arc<dyn Adapter> = match &reads {
            Some(reads) => Arc::new(Observed::reporting(storage, reads.clone())),
            None => storage,
        };
        let body_reader = BodyReader::new(
            body,
            state.limits().body_idle,
            deadline,
            state.memory_of(&parts.headers, &parts.extensions),
        );
        let (transition, links) = (route.transition, route.links);
        let (transaction, key) = (None, None);
        Ok(Self { state, mounted, parts, identity, storage, reads, body_reader, transaction, transition, links, key })
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
            reads: self.reads.clone(),
            body_reader: self.body_reader.of(body),
            transaction: self.transaction.clone(),
            transition: self.transition,
            links: self.links,
            key: self.key.clone(),
        }
    }

    /// Request of this sender for another resource, in the same transaction. It has no body.
    pub(crate) fn of_other(&self, mounted: Arc<MountedResource>) -> Self {
        let identity = self.identity.of_other(&self.state, mounted.resource());
        Self { mounted, identity, transition: None, links: None, key: None, ..self.with_body(Bytes::new()) }
    }

    /// A copy of the request, whose body is read already, for the update of the record with this key.
    pub(crate) fn updating(&self, key: Key, body: Bytes) -> Self {
        let mut request = Self { key: Some(key), ..self.with_body(body) };
        request.parts.method = Method::PATCH;
        request
    }

    /// Turns the request into one for the create of the record with this key.
    pub(crate) fn creating(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// The transition of the route, with the column of its state.
    pub(crate) const fn transition(&self) -> Option<(usize, &'static Transition)> {
        self.transition
    }

    /// The links that the route is of.
    pub(crate) const fn links(&self) -> Option<&'static ManyToMany> {
        self.links
    }

    /// The key of the record that an upsert changes or creates.
    pub(crate) const fn upsert_key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// The transaction that the operation is part of.
    pub(crate) fn transaction(&self) -> Option<Arc<SharedTransaction>> {
        self.transaction.clone()
    }

    /// Makes the operation a part of a transaction.
    pub(crate) fn join(&mut self, transaction: Arc<SharedTransaction>) {
        self.storage = match &self.reads {
            Some(reads) => Arc::new(Observed::reporting(transaction.clone(), Arc::new(Unended(reads.clone())))),
            None => transaction.clone(),
        };
        self.transaction = Some(transaction);
    }

    /// The observer of its reads.
    pub(crate) const fn reads(&self) -> Option<&Arc<dyn ReadObserver>> {
        self.reads.as_ref()
    }

    /// Whether the operation is a part of a transaction.
    pub(crate) const fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// The path that the service is mounted under.
    pub(crate) fn mount(&self) -> String {
        Head::from(&self.parts).mount().to_owned()
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

    /// The key in the path, and the text behind it, of a route of one link.
    pub(crate) async fn id_and_linked(&mut self) -> Result<(Key, String), Problem> {
        let params = self.path_parameters().await?;
        let mut values: Vec<&str> = params.iter().map(|(_, value)| value).collect();
        let linked = values.pop().unwrap_or_default().to_owned();
        // The linked key may have the decoded text of the record's.
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
}

fn refused_id(detail: &str) -> Problem {
    Problem::validation([FieldError::parameter("id", "type", detail)])
}
