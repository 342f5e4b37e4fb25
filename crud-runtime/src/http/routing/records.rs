//! [`Records`]: the records of a resource that code names while it runs.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Request, StatusCode, Uri, header, response};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::Value as Json;

use super::answer::Answer;
use super::answer::answers;
use super::context::Context;
use super::describe::{Described, DescribedReply};
use crate::http::admission;
use crate::http::handler::ResourceRequest;
use crate::http::handler::authorization::{AuthorizedRequest, RequestIdentity};
use crate::http::model::ServedResource;
use crate::http::operation::route::OperationRoute;
use crate::http::operation::table::{main_route, transition_route};
use crate::http::path::{carry_out_always, run};
use crate::http::path_route::PathRoute;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, Problem};
use crate::store::mounted::resource::MountedResource;
use crate::store::transaction::Tx;
use crate::store::transaction::shared::SharedTransaction;

impl Context {
    /// The records of a resource by its path, such as `/v1/products`, or by the name of its struct: for code that does
    /// not know the struct, such as a plugin's.
    ///
    /// # Errors
    /// `not_found` when the service has no such resource, or several of this name.
    pub fn records(&self, resource: &str) -> Result<Records, Problem> {
        let mounted = self.state().mounted();
        let path = resource.trim_start_matches('/');
        let of_path = mounted.iter().find(|mounted| mounted.options().prefix.trim_start_matches('/') == path);
        let mut named = mounted.iter().filter(|mounted| mounted.resource().name == resource);
        let found = of_path.or_else(|| named.next().filter(|_| named.next().is_none()));
        let missing = || Problem::new(Code::NotFound, format!("the service has no one resource `{resource}`"));
        let transaction = self.route_context().transaction().cloned();
        let mounted = found.ok_or_else(missing)?.clone();
        let (query, assigned) = (String::new(), serde_json::Map::new());
        Ok(Records { context: self.clone(), mounted, transaction, principal: None, query, version: None, assigned })
    }
}

/// The records of a resource that code names while it runs, for the sender of a request.
///
/// Each method is an operation of HTTP, under the access of that operation: it reads and changes the records and the
/// fields that the sender may use by the resource's own routes, with their rules, hooks, audit entries, versions and
/// errors. Handlers in place of generated operations answer here, too. Request limits and idempotency keys are those of
/// the calling route.
///
/// Operations run in the request's transaction, if an argument such as [`Locked`](super::argument::locked::Locked)
/// opened one.
///
/// ```
/// use crud_runtime::error::Problem;
/// use crud_runtime::routing::{Context, RecordsAnswer, get};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter, sort, pagination)]
/// struct Book { id: i64, title: String }
///
/// /// The first records of any resource, newest first.
/// async fn newest(ctx: Context) -> Result<RecordsAnswer, Problem> {
///     let resource = ctx.query("of").unwrap_or_default();
///     ctx.records(&resource)?.parameters([("sort", "-id"), ("limit", "5")]).list().await
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().route("/newest", get(newest));
/// # Ok(()) }
/// ```
///
/// # Errors
/// Methods fail as requests of the operation do: `permission_denied`, `not_found`, `validation_failed`; with
/// `method_not_allowed` where the resource does not offer the operation.
#[derive(Clone)]
#[must_use = "a handle does nothing until an operation is called"]
pub struct Records {
    context: Context,
    mounted: Arc<MountedResource>,
    transaction: Option<Arc<SharedTransaction>>,
    /// The principal of the operations, in place of the sender of the request.
    principal: Option<Arc<Principal>>,
    /// The query string of the operations.
    query: String,
    /// The version that changes require.
    version: Option<HeaderValue>,
    /// The values that the program sets, in addition to those of bodies.
    assigned: serde_json::Map<String, Json>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("resource", &self.descriptor().name)
            .field("query", &self.query)
            .finish_non_exhaustive()
    }
}

impl Records {
    /// The resource, as the service serves it.
    ///
    /// # Panics
    /// Never: the model has each resource of the service.
    pub fn resource(&self) -> ServedResource<'_> {
        self.context.model().resource(self.descriptor()).expect("a resource of the service")
    }

    /// Adds parameters of the operation, as its query string has them: `("price__gte", "5")` and `("sort", "name")` of a
    /// list, `("as_of", "2026-01-31T00:00:00Z")`, `("include_deleted", "true")` and `("expand", "author")` of one record.
    pub fn parameters<N: AsRef<str>, V: AsRef<str>>(mut self, parameters: impl IntoIterator<Item = (N, V)>) -> Self {
        for (name, value) in parameters {
            let [name, value] = [name.as_ref(), value.as_ref()].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
            let separator = if self.query.is_empty() { "" } else { "&" };
            // Writing to memory cannot fail.
            let _ = write!(self.query, "{separator}{name}={value}");
        }
        self
    }

    /// Requires that the record still has this version, an entity tag of [`RecordsAnswer::etag`]: otherwise, and for a
    /// text that is not a version, the change is `precondition_failed`.
    pub fn if_match(self, etag: &str) -> Self {
        // No version has this tag: a text that is not legal in a header is still a condition.
        let version = HeaderValue::from_str(etag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { version: Some(version), ..self }
    }

    /// Sets the value of a field, by its name in JSON, in addition to those in the body of a [`create`](Self::create)
    /// or an [`update`](Self::update). The field may be one that bodies do not set, such as one with
    /// `#[crud(read_only)]`. The change has the rules, hooks, audit entry and version of the operation.
    ///
    /// ```
    /// use crud_runtime::error::Problem;
    /// use crud_runtime::routing::{Context, RecordsAnswer};
    /// use serde_json::json;
    ///
    /// /// Notes the time of an inspection, which no client can.
    /// async fn inspect(ctx: Context) -> Result<RecordsAnswer, Problem> {
    ///     ctx.records("/machines")?.set("inspected_at", json!(ctx.now())).update(ctx.key()?, json!({})).await
    /// }
    /// ```
    pub fn set(mut self, field: &str, value: Json) -> Self {
        self.assigned.insert(field.to_owned(), value);
        self
    }

    /// Acts as another principal than the sender of the request, with that principal's access, records and fields. This
    /// is for credentials that the calling route checks itself, such as a signed link.
    ///
    /// ```
    /// use crud_runtime::error::Problem;
    /// use crud_runtime::prelude::Principal;
    /// use crud_runtime::routing::{Context, RecordsAnswer};
    ///
    /// /// A record for the user of a checked link.
    /// async fn shared(ctx: &Context, user: Principal) -> Result<RecordsAnswer, Problem> {
    ///     ctx.records("/products")?.on_behalf_of(user).get(ctx.key()?).await
    /// }
    /// ```
    pub fn on_behalf_of(self, principal: Principal) -> Self {
        Self { principal: Some(Arc::new(principal)), ..self }
    }

    /// Runs the operations in a transaction of the program: one that [`Context::app`] began.
    pub fn within(self, transaction: &Tx<'_>) -> Self {
        Self { transaction: Some(transaction.shared().clone()), ..self }
    }

    /// The records of a list: a page, where the resource has pages, or else an array.
    ///
    /// # Errors
    /// Problems of the list, such as `validation_failed` for a parameter that it does not have.
    pub async fn list(&self) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::List), None, None).await
    }

    /// Number of the records of a list, on all its pages.
    ///
    /// # Errors
    /// Problems of [`list`](Self::list); `internal` where a handler of the program lists without a total.
    pub async fn count(&self) -> Result<u64, Problem> {
        let one = self.resource().pagination().map(|_| ("limit", "1"));
        let counted = self.clone().parameters(one);
        let mut request = counted.request(main_route(Operation::List), None, None).await?;
        request.parts.headers.insert("prefer", HeaderValue::from_static("count=exact"));
        let response = run(request, main_route(Operation::List), carry_out_always).await?;
        let total = response.headers().get("x-total-count").and_then(|total| total.to_str().ok()?.parse().ok());
        total.ok_or_else(|| Problem::internal(format!("the list of {} has no total", self.descriptor().name)))
    }

    /// The record with a key, written as [`Context::key`] has it: the parts of a key of several fields are separated by
    /// commas, and percent-encoded.
    ///
    /// # Errors
    /// Problems of the operation, such as `not_found`.
    pub async fn get(&self, id: impl fmt::Display) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::Get), Some(id.to_string()), None).await
    }

    /// Whether there is a record with this key that the sender sees.
    ///
    /// # Errors
    /// Problems of [`get`](Self::get), except `not_found`.
    pub async fn exists(&self, id: impl fmt::Display) -> Result<bool, Problem> {
        match self.get(id).await {
            Err(problem) if problem.code() == Code::NotFound => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// Creates a record from a JSON body.
    ///
    /// # Errors
    /// Problems of the operation, such as `validation_failed`.
    pub async fn create(&self, body: impl Serialize) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::Create), None, Some(json(body)?)).await
    }

    /// Changes those fields of a record that are in a JSON body.
    ///
    /// # Errors
    /// Problems of the operation, such as `not_found` and `validation_failed`.
    pub async fn update(&self, id: impl fmt::Display, body: impl Serialize) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::Update), Some(id.to_string()), Some(json(body)?)).await
    }

    /// Deletes a record: softly, where the resource has soft delete.
    ///
    /// # Errors
    /// Problems of the operation, such as `not_found` and `referenced`.
    pub async fn delete(&self, id: impl fmt::Display) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::Delete), Some(id.to_string()), None).await
    }

    /// Restores a soft-deleted record.
    ///
    /// # Errors
    /// Problems of the operation, such as `not_deleted`.
    pub async fn restore(&self, id: impl fmt::Display) -> Result<RecordsAnswer, Problem> {
        self.run(main_route(Operation::Restore), Some(id.to_string()), None).await
    }

    /// Makes the transition of this name, with further fields of the record in a JSON body; `()` for none.
    ///
    /// # Errors
    /// Problems of the operation, such as `illegal_transition`; `method_not_allowed` where the resource has no such
    /// transition.
    pub async fn transition(
        &self,
        id: impl fmt::Display,
        name: &str,
        body: impl Serialize,
    ) -> Result<RecordsAnswer, Problem> {
        let route = transition_route(self.descriptor(), name).ok_or_else(|| self.not_offered(name))?;
        let body = json(body)?;
        self.run(&route, Some(id.to_string()), Some(body).filter(|body| **body != *b"null")).await
    }

    fn descriptor(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    fn not_offered(&self, operation: &str) -> Problem {
        Problem::new(Code::MethodNotAllowed, format!("{} has no operation `{operation}`", self.descriptor().name))
    }

    async fn run(
        &self,
        route: &OperationRoute,
        id: Option<String>,
        body: Option<Bytes>,
    ) -> Result<RecordsAnswer, Problem> {
        let request = self.request(route, id, body).await?;
        // Boxed: the operation's future is large.
        RecordsAnswer::read(Box::pin(run(request, route, carry_out_always)).await?).await
    }

    /// The request of an operation by the sender of the handler's request.
    async fn request(
        &self,
        route: &OperationRoute,
        id: Option<String>,
        body: Option<Bytes>,
    ) -> Result<Box<ResourceRequest>, Problem> {
        let (resource, context) = (self.descriptor(), &**self.context.route_context());
        if !resource.offers(route.operation) || !(route.is_of)(resource) {
            return Err(self.not_offered(&format!("{} {}", route.method, route.path)));
        }
        let state = context.state.clone();
        let generated = PathRoute::Generated(self.mounted.clone(), route.clone());
        let identity = admission::identify(&state, &generated, self.sender())?;
        if let Some(schema) = state.schema() {
            schema.admit(resource).await?;
        }
        let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
        let key = id.map(|id| Key::parse(resource, &id)).transpose().map_err(|error| refuse(error.message()))?;
        let parts = self.parts(route, key.as_ref(), body.as_ref())?;
        let (deadline, reads) = (context.deadline, context.reads.clone());
        let body = body.map_or_else(Body::empty, Body::from);
        // Not a replica: the handler may have written before.
        let storage = state.adapter().clone();
        let authorized = AuthorizedRequest { state, identity, parts, body, deadline, reads };
        let mut request = ResourceRequest::of_storage(authorized, self.mounted.clone(), storage);
        (request.transition, request.links, request.key) = (route.transition, route.links, key);
        request.assigned = (!self.assigned.is_empty()).then(|| json(&self.assigned)).transpose()?;
        match &self.transaction {
            Some(transaction) => request.join(transaction.clone()),
            None => context.app.refuse_inside_transaction()?,
        }
        Ok(request)
    }

    /// The identity that operations have.
    fn sender(&self) -> RequestIdentity {
        let sender = self.context.route_context().identity.clone();
        match &self.principal {
            Some(principal) => {
                RequestIdentity { actor: Some(principal.clone()), principal: Some(principal.clone()), ..sender }
            }
            None => sender,
        }
    }

    /// The head of an operation's request.
    fn parts(&self, route: &OperationRoute, key: Option<&Key>, body: Option<&Bytes>) -> Result<Parts, Problem> {
        let mount = &self.context.route_context().mount;
        let path = key.map_or_else(|| route.path.to_owned(), |key| route.path.replace("{id}", &key.segment()));
        let mut uri = format!("{mount}{}{path}", self.mounted.options().prefix);
        if !self.query.is_empty() {
            let _ = write!(uri, "?{}", self.query);
        }
        let uri: Uri = uri.parse().map_err(Problem::internal)?;
        let mut request = Request::builder().method(route.method.clone()).uri(uri);
        if let Some(body) = body {
            request =
                request.header(header::CONTENT_TYPE, "application/json").header(header::CONTENT_LENGTH, body.len());
        }
        if let Some(version) = &self.version {
            request = request.header(header::IF_MATCH, version);
        }
        let (parts, ()) = request.body(()).map_err(Problem::internal)?.into_parts();
        Ok(parts)
    }
}

fn json(body: impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(&body).map(Bytes::from).map_err(Problem::internal)
}

/// The answer of an operation on [`Records`]: the JSON that a client gets, with its status and headers. A handler may answer
/// with it.
///
/// ```
/// use crud_runtime::error::Problem;
/// use crud_runtime::routing::{Context, RecordsAnswer};
/// use serde_json::json;
///
/// /// Marks a product, unless it has changed since it was read.
/// async fn mark(ctx: Context) -> Result<RecordsAnswer, Problem> {
///     let (products, id) = (ctx.records("/products")?, ctx.key()?);
///     let read = products.get(&id).await?;
///     let note = format!("{} is checked", read.json()["name"]);
///     products.if_match(read.etag().unwrap_or_default()).update(id, json!({ "note": note })).await
/// }
/// ```
#[derive(Debug, Clone)]
pub struct RecordsAnswer {
    head: response::Parts,
    json: Bytes,
}

impl RecordsAnswer {
    async fn read(response: Response) -> Result<Self, Problem> {
        let (head, body) = response.into_parts();
        Ok(Self { head, json: to_bytes(body, usize::MAX).await.map_err(Problem::internal)? })
    }

    /// The status: 201 where an upsert has created the record.
    pub const fn status(&self) -> StatusCode {
        self.head.status
    }

    /// The entity tag of a record's version.
    pub fn etag(&self) -> Option<&str> {
        self.head.headers.get(header::ETAG)?.to_str().ok()
    }

    /// The JSON of the record, the page or the array; null for an empty answer of a handler of the program.
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}

impl IntoResponse for RecordsAnswer {
    fn into_response(self) -> Response {
        Response::from_parts(self.head, self.json.into())
    }
}

answers! {
    RecordsAnswer: DescribedReply::Content("application/json");
}
