//! [`Route`]: a route of the program: its method, its handler, its access, its description in the document.

pub(crate) mod layer;
pub(crate) mod options;
pub(crate) mod plain;
pub(crate) mod routes;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use axum::http::Method;
use serde_json::Value;
#[cfg(feature = "utoipa")]
use utoipa::IntoResponses;
#[cfg(feature = "utoipa")]
use utoipa::openapi::path::Operation;

use self::layer::RouteLayer;
use self::options::RouteOptions;
use super::answer::Answer;
use super::context::Context;
use super::describe::DescribeArguments;
use super::function::{Function, HandlerFuture};
use super::handler::{Handler, check_locks};
use super::rule::IntoRouteRule;
#[cfg(feature = "utoipa")]
use crate::http::openapi::utoipa_model;
use crate::http::routing::argument::Arguments;
use crate::http::state::ServiceState;
use crate::model::descriptor::{Deprecation, RateLimit};
use crate::model::problem::{Code, Problem};

/// A route of the program, which [`Service::route`](crate::Service::route) puts at a path. [`get`], [`post`], [`put`],
/// [`patch`], [`delete`] and [`on`] make it of an axum handler over the state `S`: the service's, unless
/// [`with_state`](Self::with_state) sets another.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{Context, Locked, Record, post};
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, stock: i32 }
///
/// /// Takes one part from stock.
/// async fn take(ctx: Context, part: Locked<Part>) -> crud_runtime::Result<Record<Part>> {
///     let taken = PartPatch::default().add(Part::FIELDS.stock, -1);
///     Ok(Record(ctx.store::<Part>().update(part.id, taken).await?))
/// }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:")
///     .await?
///     .auth(auth)
///     .resource::<Part>()
///     .route("/parts/{id}/take", post(take).access(Access::Role("staff")).summary("Take a part"));
/// // POST /parts/7/take
/// # Ok(()) }
/// ```
#[must_use = "a route does nothing until a service has it"]
pub struct Route<S = ServiceState> {
    pub(crate) options: RouteOptions,
    pub(crate) handler: Handler<S>,
}

impl<S> fmt::Debug for Route<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RouteOptions { method, access, .. } = &self.options;
        f.debug_struct("Route").field("method", method).field("access", access).finish_non_exhaustive()
    }
}

// Each function is written out: a macro would add its call to every error of a handler.

/// A route for `GET`, and `HEAD` with it.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{Context, get};
/// # use crud_runtime::prelude::*;
///
/// async fn now(ctx: Context) -> String {
///     ctx.now().to_rfc3339()
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/clock", get(now).access(Access::Public));
/// # Ok(()) }
/// ```
pub fn get<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(Method::GET, Handler::new(function))
}

/// A route for `POST`.
///
/// ```
/// use crud_runtime::routing::{Context, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// /// Empties the stock.
/// async fn clear(ctx: Context) -> crud_runtime::Result<()> {
///     ctx.store::<Part>().update_where(Part::FIELDS.stock.gt(0), PartPatch::default().stock(0)).await.map(drop)
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/clear", post(clear));
/// # Ok(()) }
/// ```
pub fn post<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(Method::POST, Handler::new(function))
}

/// A route for `PUT`.
///
/// ```
/// use crud_runtime::routing::{Context, Record, Valid, put};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// #[derive(Debug, Schema)]
/// struct Stock { pieces: i32 }
///
/// /// Sets the stock.
/// async fn set(ctx: Context, part: Record<Part>, stock: Valid<Stock>) -> crud_runtime::Result<Record<Part>> {
///     Ok(Record(ctx.store::<Part>().update(part.id, PartPatch::default().stock(stock.pieces)).await?))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/{id}/stock", put(set));
/// # Ok(()) }
/// ```
pub fn put<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(Method::PUT, Handler::new(function))
}

/// A route for `PATCH`.
///
/// ```
/// use crud_runtime::routing::{Context, Record, Valid, patch};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// #[derive(Debug, Schema)]
/// struct Stock { pieces: i32 }
///
/// /// Adds to the stock.
/// async fn add(ctx: Context, part: Record<Part>, stock: Valid<Stock>) -> crud_runtime::Result<Record<Part>> {
///     let patch = PartPatch::default().add(Part::FIELDS.stock, stock.pieces);
///     Ok(Record(ctx.store::<Part>().update(part.id, patch).await?))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/{id}/stock", patch(add));
/// # Ok(()) }
/// ```
pub fn patch<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(Method::PATCH, Handler::new(function))
}

/// A route for `DELETE`.
///
/// ```
/// use crud_runtime::routing::{Context, delete};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// /// Deletes the parts of which there are none.
/// async fn tidy(ctx: Context) -> crud_runtime::Result<()> {
///     ctx.store::<Part>().delete_where(Part::FIELDS.stock.eq(0)).await.map(drop)
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts", delete(tidy));
/// # Ok(()) }
/// ```
pub fn delete<S, A, M, D, R>(function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(Method::DELETE, Handler::new(function))
}

/// A route for any method, such as `QUERY`. The document has only the methods that OpenAPI knows.
///
/// ```
/// use crud_runtime::axum::http::Method;
/// use crud_runtime::routing::on;
/// # use crud_runtime::prelude::*;
/// async fn purge() {}
///
/// # async fn build() -> crud_runtime::Result<()> {
/// # let purge_method = Method::from_bytes(b"PURGE").expect("a method");
/// let service = Service::connect("sqlite::memory:").await?.route("/cache", on(purge_method, purge));
/// # Ok(()) }
/// ```
pub fn on<S, A, M, D, R>(
    method: Method,
    function: impl Function<A, Output: HandlerFuture<Answer: Answer<R>> + Send>,
) -> Route<S>
where
    S: Clone + Send + Sync + 'static,
    A: Arguments<S, M> + DescribeArguments<S, D> + 'static,
    M: 'static,
    D: 'static,
    R: 'static,
{
    const { check_locks::<S, A, D>() };
    Route::new(method, Handler::new(function))
}

impl<S> Route<S> {
    pub(crate) fn new(method: Method, handler: Handler<S>) -> Self {
        Self { options: RouteOptions { method, ..RouteOptions::default() }, handler }
    }

    /// Sets the access that the route needs where the service has authentication: an
    /// [`Access`](crate::access::Access), or a [`role`](super::rule::role).
    ///
    /// If never called, a route below a resource's prefix has the access of the operation that it resembles: below a
    /// record, `{prefix}/{id}/…`, that is the update, or for `GET` the get; directly below the prefix it is the create,
    /// or for `GET` the list; for `DELETE` of the prefix itself, it is the delete. A route elsewhere must state its
    /// access: a service with authentication does not start without.
    pub fn access(mut self, access: impl IntoRouteRule) -> Self {
        self.options.access = Some(access.into());
        self
    }

    /// Adds a check beside the access, which the token alone decides: `async fn(Context) -> Result<(), E>`. The check
    /// can ask the database, for example, whether the token's user is still enabled or still has the role.
    ///
    /// It runs for each request whose access is admitted, before the parameters and the body are read, but not where
    /// [`without_auth`](crate::Service::without_auth) opens the service.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::error::{Code, Problem};
    /// use crud_runtime::routing::{Context, post};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Member { id: i64, subject: String, enabled: bool }
    ///
    /// /// Refuses members that are disabled, whose tokens are valid for some minutes still.
    /// async fn is_enabled(ctx: Context) -> crud_runtime::Result<()> {
    ///     let subject = ctx.principal().map(|principal| principal.subject().to_owned()).unwrap_or_default();
    ///     let enabled = Member::FIELDS.subject.eq(subject).and(Member::FIELDS.enabled.eq(true));
    ///     match ctx.unscoped_store::<Member>().count(enabled).await? {
    ///         0 => Err(Problem::new(Code::PermissionDenied, "the member is disabled").into()),
    ///         _ => Ok(()),
    ///     }
    /// }
    ///
    /// async fn pay() {}
    ///
    /// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Member>();
    /// let service = service.route("/payments", post(pay).access(Access::Authenticated).check(is_enabled));
    /// # Ok(()) }
    /// ```
    pub fn check<F, Fut, E>(mut self, check: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        Problem: From<E>,
    {
        self.options.check = Some(Box::new(move |context| {
            let checked = check(context);
            Box::pin(async move { checked.await.map_err(Problem::from) })
        }));
        self
    }

    /// Puts a layer of tower's around the handler, after the access and the checks; the last one is the outermost.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::http::HeaderValue;
    /// use crud_runtime::axum::middleware::map_response;
    /// use crud_runtime::axum::response::Response;
    /// use crud_runtime::routing::get;
    /// # use crud_runtime::prelude::*;
    ///
    /// async fn cached(mut response: Response) -> Response {
    ///     response.headers_mut().insert("cache-control", HeaderValue::from_static("max-age=60"));
    ///     response
    /// }
    ///
    /// async fn prices() -> &'static str {
    ///     "7"
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = get(prices).access(Access::Public).layer(map_response(cached));
    /// let service = Service::connect("sqlite::memory:").await?.route("/prices", route);
    /// # Ok(()) }
    /// ```
    pub fn layer(mut self, layer: impl RouteLayer + Clone) -> Self {
        self.options.layers.push(Box::new(move |router| layer.clone().put_around(router)));
        self
    }

    crud_core::builder_setters! {
        /// Sets the largest size of the body, in bytes, if the service's limit ([`Limits::body`](crate::Limits::body))
        /// is not smaller.
        body_limit(bytes: usize) => options.body_limit = Some(bytes);

        /// Lets the handler of a public route identify the sender, by [`Context::principal_of`] with a head that has
        /// the credentials, such as those of a ticket in the URL. Below a resource with tenants, requests then need no
        /// tenant. The handler checks what the sender may do.
        identifies_sender() => options.identifies_sender = true;

        /// Makes the route one of streams, such as uploads and downloads of files, or events:
        ///
        /// * The request timeout does not end a request, and it does not count towards
        ///   [`Limits::requests_in_flight`](crate::Limits::requests_in_flight): the handler limits how many run at a
        ///   time.
        /// * Its body may be larger than other bodies of the service: up to [`body_limit`](Self::body_limit). A body
        ///   whose `Content-Length` is larger is refused before it is sent, where the client expects `100 Continue`.
        /// * A body that the handler takes as [`Body`](axum::body::Body) is read as it arrives. It may not pause for
        ///   [`Limits::body_timeout`](crate::Limits::body_timeout), nor be behind this rate, in bytes a second, for as long.
        /// * A response without a known size holds none of the memory of requests before its first chunk.
        ///
        /// A stop of the service waits for these requests as for others, up to half a minute.
        ///
        /// ```
        /// use crud_runtime::axum::body::Body;
        /// use crud_runtime::error::{Code, Problem};
        /// use crud_runtime::routing::put;
        /// use futures_util::StreamExt;
        /// # use crud_runtime::prelude::*;
        ///
        /// async fn upload(body: Body) -> Result<String, Problem> {
        ///     let (mut chunks, mut size) = (body.into_data_stream(), 0);
        ///     while let Some(chunk) = chunks.next().await {
        ///         size += chunk.map_err(|_| Problem::of(Code::RequestTimeout))?.len();
        ///     }
        ///     Ok(format!("{size} bytes"))
        /// }
        ///
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let route = put(upload).streams(16 * 1024).body_limit(1_000_000_000);
        /// let service = Service::connect("sqlite::memory:").await?.route("/upload", route);
        /// # Ok(()) }
        /// ```
        streams(bytes_per_second: u32) => options.streams = Some(bytes_per_second);

        /// Limits the requests of one caller in a window of time: of a principal, or of the network of anonymous ones.
        /// Further requests are 429 `too_many_requests` with `Retry-After`; each response states in `RateLimit` what is
        /// left. Each process of the service counts by itself. A limit of the resource counts beside it.
        ///
        /// ```
        /// use std::time::Duration;
        ///
        /// use crud_runtime::access::Access;
        /// use crud_runtime::descriptor::RateLimit;
        /// use crud_runtime::routing::post;
        /// # use crud_runtime::prelude::*;
        ///
        /// async fn send() {}
        ///
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let ten_an_hour = RateLimit::new(10, Duration::from_hours(1));
        /// let route = post(send).access(Access::Public).rate_limit(ten_an_hour);
        /// let service = Service::connect("sqlite::memory:").await?.route("/letters", route);
        /// # Ok(()) }
        /// ```
        rate_limit(limit: RateLimit) => options.rate_limit = Some(limit);

        /// Refuses principals that act for a user ([`Principal::via`](crate::auth::Principal::via)), such as API keys: 403
        /// `permission_denied`. It is for routes that change what a person has: users, sessions, keys.
        ///
        /// ```
        /// use crud_runtime::access::Access;
        /// use crud_runtime::routing::delete;
        /// # use crud_runtime::prelude::*;
        ///
        /// async fn close_account() {}
        ///
        /// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
        /// let route = delete(close_account).access(Access::Authenticated).personal();
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth).route("/account", route);
        /// # Ok(()) }
        /// ```
        personal() => options.is_personal = true;

        /// Deprecates the route: the document says so, and each response has `Deprecation` (RFC 9745), `Sunset` (RFC
        /// 8594) and `Link`, where they are stated. A route below a deprecated resource has the resource's deprecation,
        /// unless it states its own.
        ///
        /// ```
        /// use crud_runtime::access::Access;
        /// use crud_runtime::descriptor::Deprecation;
        /// use crud_runtime::routing::get;
        /// # use crud_runtime::prelude::*;
        ///
        /// async fn report() {}
        ///
        /// # async fn build() -> crud_runtime::Result<()> {
        /// const OLD: Deprecation = Deprecation::new().since("2026-01-01").sunset("2026-12-31");
        /// let route = get(report).access(Access::Public).deprecated(OLD);
        /// let service = Service::connect("sqlite::memory:").await?.route("/report", route);
        /// # Ok(()) }
        /// ```
        deprecated(deprecation: Deprecation) => options.deprecation = Some(deprecation);

        /// Forbids caches to store the responses, and never compresses them: for tokens and other secrets.
        no_store() => options.no_store = true;

        /// Shows the route as a button of each record on pages for people, such as an admin page: a `POST` route of one
        /// segment below a record, whose body may be empty. Callers that the route's access does not admit have no
        /// button.
        ///
        /// ```
        /// use crud_runtime::routing::{Locked, Record, post};
        /// # use crud_runtime::prelude::*;
        /// # #[derive(Debug, Clone, Resource)]
        /// # struct Part { id: i64, stock: i32 }
        ///
        /// async fn reorder(part: Locked<Part>) -> crud_runtime::Result<Record<Part>> {
        ///     Ok(Record(part.clone()))
        /// }
        ///
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?.resource::<Part>();
        /// let service = service.route("/parts/{id}/reorder", post(reorder).button("Reorder"));
        /// # Ok(()) }
        /// ```
        button(label: impl Into<String>) => options.button = Some(label.into());
    }

    /// Sets the tags in the document, in place of the resource's tags, or of `Service` for a route without a resource.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.options.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    crud_core::builder_setters! {
        /// Sets the id of the operation in the document, by which generated clients name their function; if never
        /// called, the id is made of method and path. An id that another operation has is an error at start.
        operation_id(id: impl Into<String>) => options.operation_id = Some(id.into());

        /// Sets the summary in the document.
        summary(summary: impl Into<String>) => options.summary = summary.into();

        /// Sets the description in the document, in Markdown.
        description(description: impl Into<String>) => options.description = description.into();

        /// Declares the problems that the handler answers with, for the document, which has those of access, parameters, body and
        /// storage by itself. If never called, a route other than `GET` has the problems of any change.
        problems(problems: impl IntoIterator<Item = Code>) => options.problems = Some(problems.into_iter().collect());
    }

    /// Sets the media types of a raw body in the document, such as `image/png`: bytes, as the handler takes them.
    pub fn body_types(mut self, types: impl IntoIterator<Item = &'static str>) -> Self {
        self.options.body_types = types.into_iter().collect();
        self
    }

    /// Sets the media types of a raw answer in the document, such as `image/png`: bytes, as the handler gives them.
    ///
    /// ```
    /// use crud_runtime::axum::response::{IntoResponse, Response};
    /// use crud_runtime::routing::get;
    /// # use crud_runtime::prelude::*;
    ///
    /// async fn logo() -> Response {
    ///     ([("content-type", "image/png")], &b"bytes"[..]).into_response()
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.route("/logo", get(logo).answer_types(["image/png"]));
    /// # Ok(()) }
    /// ```
    pub fn answer_types(mut self, types: impl IntoIterator<Item = &'static str>) -> Self {
        self.options.answer_types = types.into_iter().collect();
        self
    }

    /// Changes the JSON of the operation in the document: for what the types of the handler do not say.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::response::Response;
    /// use crud_runtime::routing::get;
    /// # use crud_runtime::prelude::*;
    ///
    /// async fn old() -> Response {
    ///     Response::default()
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = get(old).access(Access::Public).describe_json(|operation| operation["deprecated"] = true.into());
    /// let service = Service::connect("sqlite::memory:").await?.route("/old", route);
    /// # Ok(()) }
    /// ```
    pub fn describe_json(mut self, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        let earlier = self.options.description_of.take();
        let describe = move |operation: &mut Value| {
            if let Some(earlier) = &earlier {
                earlier(operation);
            }
            change(operation);
        };
        self.options.description_of = Some(Arc::new(describe));
        self
    }

    /// Changes the operation in the document, in utoipa's model: for what the types of the handler do not say.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::response::Response;
    /// use crud_runtime::routing::get;
    /// use crud_runtime::utoipa::openapi::Deprecated;
    /// # use crud_runtime::prelude::*;
    ///
    /// async fn old() -> Response {
    ///     Response::default()
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = get(old).access(Access::Public).describe(|operation| operation.deprecated = Some(Deprecated::True));
    /// let service = Service::connect("sqlite::memory:").await?.route("/old", route);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "utoipa")]
    pub fn describe(self, change: impl Fn(&mut Operation) + Send + Sync + 'static) -> Self {
        self.describe_json(move |operation| utoipa_model::change(operation, &change))
    }

    /// Adds the responses of a type to the document, such as the body of the program's own errors, like utoipa's
    /// attribute of this name. A problem whose status is that of a response, or in its range, may then have either
    /// body.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::Json;
    /// use crud_runtime::axum::http::StatusCode;
    /// use crud_runtime::routing::get;
    /// use utoipa::IntoResponses;
    /// # use crud_runtime::prelude::*;
    ///
    /// /// Refused by the shop.
    /// #[derive(serde::Serialize, IntoResponses)]
    /// #[response(status = "4XX")]
    /// struct Failure {
    ///     error: String,
    /// }
    ///
    /// async fn price() -> Result<Json<u64>, (StatusCode, Json<Failure>)> {
    ///     Err((StatusCode::CONFLICT, Json(Failure { error: "there is no price today".into() })))
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = get(price).access(Access::Public).responses::<Failure>();
    /// let service = Service::connect("sqlite::memory:").await?.route("/price", route);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "utoipa")]
    pub fn responses<T: IntoResponses>(mut self) -> Self {
        self.options.responses.push(|| utoipa_model::responses(&T::responses()));
        self
    }

    crud_core::builder_setters! {
        /// Puts the body of [`Valid`](crate::http::routing::argument::valid::Valid) and the answer's JSON into a member of an object: with
        /// `envelope("article")` both are `{"article": {"title": …}}`. Pointers of errors lead into it: `/article/title`. Problems
        /// stay as they are, and so does a body that the handler streams.
        ///
        /// ```
        /// use crud_runtime::routing::prelude::*;
        /// # use crud_runtime::prelude::*;
        ///
        /// #[derive(Debug, Schema)]
        /// struct Greeting { name: String }
        ///
        /// async fn greet(Valid(body): Valid<Greeting>) -> Json<String> {
        ///     Json(format!("Hello, {}", body.name))
        /// }
        ///
        /// # async fn build() -> crud_runtime::Result<()> {
        /// // `{"greeting": {"name": "Ann"}}` is answered with `{"greeting": "Hello, Ann"}`.
        /// let route = post(greet).access(Access::Public).envelope("greeting");
        /// let service = Service::connect("sqlite::memory:").await?.route("/greetings", route);
        /// # Ok(()) }
        /// ```
        envelope(name: &'static str) => options.envelope = Some(name);

        /// Leaves the route out of the document.
        undocumented() => options.is_undocumented = true;
    }
}

impl<S: Clone + Send + Sync + 'static> Route<S> {
    /// Sets the program's own state, like axum's method of this name. The extractor `State` takes it, or a part of it
    /// by `FromRef`.
    ///
    /// ```
    /// use crud_runtime::access::Access;
    /// use crud_runtime::axum::Json;
    /// use crud_runtime::axum::extract::State;
    /// use crud_runtime::routing::get;
    /// # use crud_runtime::prelude::*;
    ///
    /// #[derive(Clone)]
    /// struct Settings {
    ///     name: String,
    /// }
    ///
    /// async fn name(State(settings): State<Settings>) -> Json<String> {
    ///     Json(settings.name)
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = get(name).access(Access::Public).with_state(Settings { name: "shop".into() });
    /// let service = Service::connect("sqlite::memory:").await?.route("/name", route);
    /// # Ok(()) }
    /// ```
    pub fn with_state<T: Send + Sync + 'static>(self, state: S) -> Route<T> {
        Route { options: self.options, handler: self.handler.with_state(state) }
    }
}
