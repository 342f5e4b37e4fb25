//! [`Argument`]: what a handler of the program takes from a request.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::request::Parts;
use tokio::sync::Mutex;

use crate::http::handler::authorization::RequestIdentity;
use crate::http::handler::{BodyReader, ResourceRequest};
use crate::http::openapi::json_schema::Schema;
use crate::http::state::ServiceState;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Problem;
use crate::model::value::Value;
use crate::query::ListQuery;
use crate::store::app::App;
use crate::store::mounted_resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::SharedTransaction;

/// A request for an action.
pub struct ActionRequest {
    pub(crate) state: ServiceState,
    pub(crate) parts: Parts,
    pub(crate) identity: RequestIdentity,
    pub(crate) body_reader: BodyReader,
    /// The fields of the body, compiled when the service starts.
    pub(crate) schema: Option<Arc<MountedResource>>,
    /// The member of the body's object that the body is in.
    pub(crate) envelope: Option<&'static str>,
    /// The largest size of the body, in bytes.
    pub(crate) body_limit: usize,
    /// The parameters of the query string, compiled when the service starts.
    pub(crate) query_schema: Option<Arc<MountedResource>>,
    /// The parameters of the path, compiled when the service starts.
    pub(crate) path_schema: Option<Arc<MountedResource>>,
    /// The parameters of the path, once an argument has read and checked them.
    pub(crate) path: Option<OwnedRecord>,
    /// The parameters of the query string, once an argument has read and checked them.
    pub(crate) query: Option<OwnedRecord>,
    /// The records that the parameters of a list ask for, once an argument has read and checked them.
    pub(crate) list: Option<ListQuery>,
    /// The body, once an argument has read and checked it.
    pub(crate) body: Option<OwnedRecord>,
    /// The bytes of the body, once an argument has read them.
    pub(crate) raw_body: Option<Bytes>,
    /// The key in the path of an item's action.
    pub(crate) id: Option<Value>,
    /// The parameters in the path.
    pub(crate) parameters: PathParameters,
    /// The handle to storage that acts as the principal.
    pub(crate) app: App,
    /// The path that the service is mounted under.
    pub(crate) mount: String,
    /// Whether an argument works in a transaction.
    pub(crate) opens_transaction: bool,
    /// The transaction that an argument has opened, or that the request is part of.
    pub(crate) transaction: TransactionSlot,
    /// Whether the transaction is another handler's, which ends it.
    pub(crate) is_joined: bool,
    /// The generated operation that the handler replaces.
    pub(crate) replaced: Option<ReplacedOperation>,
}

/// The generated operation of a request that a handler of the program answers instead.
pub(crate) struct ReplacedOperation {
    pub(crate) operation: Operation,
    pub(crate) request: Box<ResourceRequest>,
}

/// The names and values of the parameters in a path.
pub(crate) type PathParameters = Vec<(String, String)>;

/// The transaction of a request, if an argument has opened one.
pub(crate) type TransactionSlot = Arc<Mutex<Option<Arc<SharedTransaction>>>>;

impl std::fmt::Debug for ActionRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActionRequest").field("uri", &self.parts.uri).finish_non_exhaustive()
    }
}

impl ActionRequest {
    /// A request without a body and parameters.
    pub(super) fn new(
        state: ServiceState,
        parts: Parts,
        identity: RequestIdentity,
        body_reader: BodyReader,
        mount: String,
    ) -> Self {
        let app = state.app().of_caller(identity.caller(state.enforcement()), identity.actor.as_ref());
        Self {
            state,
            parts,
            identity,
            body_reader,
            schema: None,
            envelope: None,
            body_limit: usize::MAX,
            query_schema: None,
            path_schema: None,
            path: None,
            query: None,
            list: None,
            body: None,
            raw_body: None,
            id: None,
            parameters: Vec::new(),
            app,
            mount,
            opens_transaction: false,
            transaction: Arc::default(),
            is_joined: false,
            replaced: None,
        }
    }

    /// The transaction of the request, which is begun if it is not there.
    pub(crate) async fn begin(&self) -> Result<Arc<SharedTransaction>, Problem> {
        let mut slot = self.transaction.lock().await;
        match &*slot {
            Some(transaction) => Ok(transaction.clone()),
            None => {
                let transaction = self.app.start_transaction().await.map_err(Problem::from_storage)?;
                Ok(slot.insert(transaction).clone())
            }
        }
    }
}

/// A handler's arguments and its reply, as the document describes them.
#[derive(Debug, Default)]
pub struct Described {
    /// The body.
    pub(crate) body: Option<&'static Descriptor>,
    /// The parameters of the query string.
    pub(crate) query: Option<&'static Descriptor>,
    /// The parameters of the path.
    pub(crate) path: Option<&'static Descriptor>,
    /// The resource whose list's parameters the query string has.
    pub(crate) list: Option<&'static Descriptor>,
    /// Whether the record in the path is read.
    pub(crate) has_record: bool,
    /// Whether the generated operation may be run.
    pub(crate) has_generated: bool,
    /// The reply.
    pub(crate) reply: DescribedReply,
    /// Whether the reply says where something is.
    pub(crate) has_location: bool,
}

/// A handler's reply, as the document describes it.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) enum DescribedReply {
    /// 204.
    #[default]
    Nothing,
    /// 200 with any JSON.
    Json,
    /// A response that the handler makes itself.
    Any,
    /// 200 with a record.
    Record(&'static Descriptor),
    /// 201 with a record.
    Created(&'static Descriptor),
    /// 200 with an array of records.
    Records(&'static Descriptor),
    /// 200 with a page of records.
    Page(&'static Descriptor),
    /// This status with JSON of this schema.
    Typed(StatusCode, fn() -> Schema),
}

/// An argument of a handler: [`Ctx`](super::ctx::Ctx), [`Locked`](super::locked::Locked),
/// [`ListParameters`](super::list_parameters::ListParameters), [`Path`](super::path::Path), [`Query`](super::query::Query),
/// [`Valid`](super::valid::Valid), [`Generated`](super::generated::Generated).
///
/// Every argument is first prepared, then taken: the body is read before a transaction begins, whatever their order.
#[diagnostic::on_unimplemented(
    message = "expected an argument of a handler, found `{Self}`",
    note = "a handler takes `Ctx`, `Locked<R>`, `ListParameters<R>`, `Path<P>`, `Query<Q>` and `Valid<B>`"
)]
pub trait Argument: Sized + Send {
    /// Reads what takes the client's time.
    #[doc(hidden)]
    fn prepare(_: &mut ActionRequest) -> impl Future<Output = Result<(), Problem>> + Send {
        std::future::ready(Ok(()))
    }

    /// Takes the argument.
    #[doc(hidden)]
    fn take(request: &mut ActionRequest) -> impl Future<Output = Result<Self, Problem>> + Send;

    /// Adds what the document says of it.
    #[doc(hidden)]
    fn describe(_: &mut Described) {}

    /// The resource whose record it takes from the path.
    #[doc(hidden)]
    fn record() -> Option<&'static Descriptor> {
        None
    }
}
