//! [`RouteContext`]: a request of a route of the program, as its extractors and its answer share it.

use std::future::ready;
#[cfg(feature = "auth")]
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method};
use axum::response::Response;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::describe::Described;
use crate::http::handler::authorization::RequestIdentity;
use crate::http::handler::{BodyReader, ResourceRequest};
use crate::http::head::Head;
use crate::http::state::{HasApp, ServiceState};
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::schema::Schema;
use crate::query::ListQuery;
use crate::response::principal::{FindPrincipal, PrincipalLookup};
use crate::storage::future::BoxFuture;
use crate::storage::layers::tenant_read_audit::TenantReadAudit;
use crate::store::app::App;
use crate::store::mounted::resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::SharedTransaction;

/// A request of a route of the program, whose access is admitted.
pub(crate) struct RouteContext {
    pub(crate) state: ServiceState,
    pub(crate) identity: RequestIdentity,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) query: String,
    /// The path that the service is mounted under.
    pub(crate) mount: String,
    /// The parameters in the path.
    pub(crate) parameters: PathParameters,
    /// The key in the path of a record's route.
    pub(crate) id: OnceLock<Key>,
    /// The observer of the request's reads, where reads in other tenants get audit entries.
    pub(crate) reads: Option<Arc<dyn TenantReadAudit>>,
    /// The handle to storage that acts as the principal.
    pub(crate) app: App,
    #[cfg(feature = "auth")]
    pub(crate) client_address: Option<IpAddr>,
    pub(crate) described: Arc<Described>,
    pub(crate) schemas: Schemas,
    /// The member of an object that the body and the answer are in.
    pub(crate) envelope: Option<&'static str>,
    /// The largest size of the body, in bytes.
    pub(crate) body_limit: usize,
    /// Minimum rate of the body, in bytes a second, where it is a stream.
    pub(crate) streams: Option<u32>,
    /// The time by which the body must be complete.
    pub(crate) deadline: Instant,
    /// The body, until something reads it.
    body: Mutex<Option<BodyReader>>,
    /// The problem of a body that an extractor was reading.
    body_problem: Mutex<Option<Problem>>,
    /// Parts of the request that were read before the extractors run.
    pub(super) read: OnceLock<ReadParts>,
    /// The transaction that an argument has opened, or that the request is part of.
    transaction: OnceCell<Arc<SharedTransaction>>,
    /// Whether the transaction is another handler's, which ends it.
    is_joined: bool,
    /// The generated operation that the handler replaces.
    replaced: Mutex<Option<ReplacedOperation>>,
    /// Whether the handler replaces the generated list.
    pub(super) replaces_list: bool,
}

/// The parts of a route's requests that are read before its handler runs.
pub(super) struct RouteInput {
    pub(super) described: Arc<Described>,
    pub(super) schemas: Schemas,
    /// The member of an object that the body and the answer are in.
    pub(super) envelope: Option<&'static str>,
    /// The largest size of the body, in bytes, where the route states it.
    pub(super) body_limit: Option<usize>,
    /// Minimum rate of a stream, in bytes a second.
    pub(super) streams: Option<u32>,
}

/// The fields of a handler's arguments, compiled when the service starts.
#[derive(Debug, Clone)]
pub(crate) struct Schemas {
    pub(crate) body: Option<Arc<MountedResource>>,
    pub(crate) query: Option<Arc<MountedResource>>,
    pub(crate) path: Option<Arc<MountedResource>>,
}

/// Parts of a request that were read and checked before the extractors run.
#[derive(Debug, Default)]
pub(crate) struct ReadParts {
    pub(super) path: Option<ReadFields>,
    pub(super) query: Option<ReadFields>,
    pub(super) list: Option<ListQuery>,
    pub(super) body: Option<ReadFields>,
    pub(super) raw_body: Option<Bytes>,
}

/// The fields with which a part of a request was read, and their values.
pub(super) type ReadFields = (&'static Descriptor, OwnedRecord);

/// The generated operation of a request that a handler of the program answers instead.
pub(crate) struct ReplacedOperation {
    pub(crate) operation: Operation,
    pub(crate) request: Box<ResourceRequest>,
}

/// The names and values of the parameters in a path.
pub(crate) type PathParameters = Vec<(String, String)>;

/// The context among the extensions of a request.
#[derive(Clone)]
struct Shared(Arc<RouteContext>);

impl std::fmt::Debug for RouteContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouteContext").field("method", &self.method).field("app", &self.app).finish_non_exhaustive()
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn put<T>(slot: &Mutex<Option<T>>, value: T) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
}

impl RouteContext {
    /// The context of a request with this head for a route.
    pub(super) fn new(
        input: RouteInput,
        state: ServiceState,
        identity: RequestIdentity,
        parts: &Parts,
        reads: Option<Arc<dyn TenantReadAudit>>,
        deadline: Instant,
    ) -> Self {
        let app = state.app().of_caller(identity.caller(state.enforcement()), identity.actor.as_ref());
        let app = reads.clone().map_or_else(|| app.clone(), |reads| app.reporting(reads));
        #[cfg(feature = "auth")]
        let client_address = state.client_address(&parts.headers, &parts.extensions);
        let RouteInput { described, schemas, envelope, body_limit, streams } = input;
        let most = state.limits().body;
        Self {
            body_limit: match (body_limit, streams) {
                (Some(limit), Some(_)) => limit,
                (limit, _) => limit.unwrap_or(most).min(most),
            },
            streams,
            state,
            identity,
            method: parts.method.clone(),
            headers: parts.headers.clone(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            mount: Head::from(parts).mount().to_owned(),
            parameters: PathParameters::new(),
            id: OnceLock::new(),
            reads,
            app,
            #[cfg(feature = "auth")]
            client_address,
            described,
            schemas,
            envelope,
            deadline,
            body: Mutex::default(),
            body_problem: Mutex::default(),
            read: OnceLock::new(),
            transaction: OnceCell::new(),
            is_joined: false,
            replaced: Mutex::default(),
            replaces_list: false,
        }
    }

    /// The state for the handler's extractors: `State<App>` is the handle that acts as the principal.
    pub(super) fn state_of_handler(self: &Arc<Self>) -> ServiceState {
        self.state.of_handler(self.clone())
    }

    /// Makes this the context of a handler in place of an operation, with the operation's transaction and body.
    pub(super) fn replacing(
        mut self,
        replaced: ReplacedOperation,
        body: BodyReader,
        joined: Option<Arc<SharedTransaction>>,
    ) -> Self {
        self.replaces_list = replaced.operation == Operation::List;
        self.is_joined = joined.is_some();
        self.transaction = OnceCell::new_with(joined);
        put(&self.body, body);
        put(&self.replaced, replaced);
        self
    }

    /// The context among the extensions of a request.
    ///
    /// # Errors
    /// `internal` outside of a route of the service.
    pub(crate) fn of(extensions: &Extensions) -> Result<Arc<Self>, Problem> {
        let missing = || Problem::internal("the extractor works in routes of `Service::route` alone");
        Self::find(extensions).ok_or_else(missing)
    }

    /// The context among the extensions of a request, if the request is for a route of the service.
    pub(crate) fn find(extensions: &Extensions) -> Option<Arc<Self>> {
        extensions.get::<Shared>().map(|shared| shared.0.clone())
    }

    /// Adds the context to the extensions of a request.
    pub(super) fn share(self: &Arc<Self>, extensions: &mut Extensions) {
        extensions.insert(Shared(self.clone()));
        extensions.insert(PrincipalLookup::new(self.clone()));
    }

    /// Removes the context from the extensions of a request.
    pub(crate) fn unshare(extensions: &mut Extensions) {
        extensions.remove::<Shared>();
        extensions.remove::<PrincipalLookup>();
    }

    /// Sets the body, unless that of a replaced operation is there already.
    pub(super) fn offer_body(&self, body: impl FnOnce() -> BodyReader) {
        let mut slot = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Some(body());
        }
    }

    /// The body; `None` once something has read it.
    pub(super) fn take_body(&self) -> Option<BodyReader> {
        take(&self.body)
    }

    pub(super) fn put_body_problem(&self, problem: Problem) {
        put(&self.body_problem, problem);
    }

    pub(super) fn take_body_problem(&self) -> Option<Problem> {
        take(&self.body_problem)
    }

    /// The generated operation that the handler replaces, once.
    pub(super) fn take_replaced(&self) -> Option<ReplacedOperation> {
        take(&self.replaced)
    }

    /// The argument that a part of a request was read for.
    ///
    /// # Errors
    /// `internal` where it was read for another type, or not at all.
    pub(super) fn argument<T: Schema>(
        parts: &Parts,
        name: &str,
        part: fn(&ReadParts) -> Option<&ReadFields>,
    ) -> Result<T, Problem> {
        let context = Self::of(&parts.extensions)?;
        let read = context.read.get().and_then(part).filter(|(fields, _)| std::ptr::eq(*fields, T::DESCRIPTOR));
        let missing = || Problem::internal(format!("the route has no {name} of this type"));
        let (_, values) = read.ok_or_else(missing)?;
        T::from_row(values).map_err(|error| Problem::from_adapter(T::DESCRIPTOR, error))
    }

    /// The transaction of the request, if there is one.
    pub(crate) fn transaction(&self) -> Option<&Arc<SharedTransaction>> {
        self.transaction.get()
    }

    /// The transaction of the request, which is begun if there is none.
    pub(super) async fn begin(&self) -> Result<Arc<SharedTransaction>, Problem> {
        let begin = async || self.app.start_transaction().await.map_err(Problem::from_storage);
        self.transaction.get_or_try_init(begin).await.cloned()
    }

    /// Ends the request's transaction: a success commits it, a failure rolls it back.
    pub(super) async fn end(&self, answered: Result<Response, Problem>, has_failed: bool) -> Result<Response, Problem> {
        let Some(transaction) = self.transaction.get().filter(|_| !self.is_joined) else { return answered };
        if has_failed || answered.is_err() {
            transaction.abandon();
        } else {
            transaction.commit().await.map_err(Problem::from_storage)?;
        }
        answered
    }
}

impl HasApp for RouteContext {
    fn app(&self) -> &App {
        &self.app
    }
}

/// The principal that the route has admitted.
impl FindPrincipal for RouteContext {
    fn find<'r>(&'r self, _: &'r Parts) -> BoxFuture<'r, Result<Option<Principal>, Problem>> {
        Box::pin(ready(Ok(self.identity.principal.as_deref().cloned())))
    }
}
