//! Own routes: handlers of the program with the access, limits, errors and document of generated ones.
//!
//! [`Action`] describes a route, [`handler`] makes a handler of a function whose arguments [`argument`] takes from the
//! request and whose result [`reply`] writes, and [`service`] answers its requests.

pub(crate) mod argument;
pub(crate) mod check;
pub(crate) mod ctx;
pub(crate) mod generated;
pub(crate) mod handler;
pub(crate) mod list_parameters;
pub(crate) mod locked;
pub(crate) mod mounted;
pub(crate) mod options;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod records;
pub(crate) mod reply;
pub(crate) mod road;
pub(crate) mod rule;
pub(crate) mod service;
pub(crate) mod typed;
pub(crate) mod valid;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use axum::http::Method;

use self::check::Check;
use self::ctx::Ctx;
use self::handler::{ActionHandler, ErasedHandler, erase};
use self::options::{ActionOptions, Rewording};
use self::rule::RouteRule;
use crate::http::openapi::words::Words;
use crate::model::access::Access;
use crate::model::problem::{Code, Problem};

/// A route of the program.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::action::{Action, Ctx, Locked, Record};
/// use crud_runtime::error::Problem;
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, stock: i32 }
///
/// /// Takes one part from stock.
/// async fn take(ctx: Ctx, part: Locked<Part>) -> crud_runtime::Result<Record<Part>> {
///     let taken = PartPatch::default().add(Part::FIELDS.stock, -1);
///     Ok(Record(ctx.store::<Part>().update(part.id, taken).await?))
/// }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:")
///     .await?
///     .auth(auth)
///     .resource::<Part>()
///     .action::<Part>(Action::post("take").item().access(Access::Role("staff")).summary("Take a part").handler(take));
/// // POST /parts/7/take
/// # Ok(()) }
/// ```
#[must_use = "an action does nothing until a service has it"]
pub struct Action<H = ()> {
    pub(crate) options: ActionOptions,
    pub(crate) handler: H,
}

impl<H> fmt::Debug for Action<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ActionOptions { method, path, access, .. } = &self.options;
        f.debug_struct("Action")
            .field("method", method)
            .field("path", path)
            .field("access", access)
            .finish_non_exhaustive()
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident: $method:ident;)+) => { $(
        $(#[$doc])*
        pub fn $name(path: impl Into<String>) -> Self {
            Self::new(Method::$method, path.into())
        }
    )+ };
}

impl Action {
    methods! {
        /// A route for `GET`, and `HEAD` with it. The path is a segment below a resource's for
        /// [`Service::action`](crate::Service::action), and a whole one for [`Service::route`](crate::Service::route).
        get: GET;
        /// A route for `POST`.
        post: POST;
        /// A route for `PUT`.
        put: PUT;
        /// A route for `PATCH`.
        patch: PATCH;
        /// A route for `DELETE`.
        delete: DELETE;
    }

    pub(crate) const fn new(method: Method, path: String) -> Self {
        Self { options: ActionOptions::new(method, path), handler: () }
    }

    /// Makes it a route of one record: `{prefix}/{id}/{name}`. Without, it is one of the collection: `{prefix}/{name}`.
    pub fn item(mut self) -> Self {
        self.options.is_item = true;
        self
    }

    /// Sets the access that the route needs where the service has authentication.
    ///
    /// If never called, a route below a resource has the access of the operation that it resembles: one of a record that of
    /// the update, or for `GET` of the get; one of the collection that of the create, or for `GET` of the list. A route of
    /// no resource needs a valid token.
    pub fn access(mut self, access: Access) -> Self {
        self.options.access = Some(RouteRule::Access(access));
        self
    }

    /// Sets the role that the route needs, in place of [`access`](Self::access): a name that the deployer states when the
    /// program runs, such as in a variable of the environment. Names that the program knows are for `access`.
    ///
    /// ```
    /// use crud_runtime::action::{Action, Ctx, Json};
    /// # use crud_runtime::prelude::*;
    /// async fn status(_: Ctx) -> crud_runtime::Result<Json<&'static str>> {
    ///     Ok(Json("open"))
    /// }
    ///
    /// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
    /// let operators = std::env::var("OPERATORS_ROLE").unwrap_or_else(|_| "operator".into());
    /// let route = Action::get("/status").role(operators).handler(status);
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).route(route);
    /// # Ok(()) }
    /// ```
    pub fn role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.options.access = Some(RouteRule::Role(role.into()));
        self
    }

    /// Adds a check beside the access, which the token alone decides: `async fn(Ctx) -> Result<(), E>`. It asks the database
    /// whether the user of the token is enabled still, for example, or has the role still.
    ///
    /// It runs for each request whose access is admitted, before the parameters and the body are read, and not where
    /// [`without_auth`](crate::Service::without_auth) opens the service.
    ///
    /// ```
    /// use crud_runtime::action::{Action, Ctx};
    /// use crud_runtime::error::{Code, Problem};
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Member { id: i64, subject: String, enabled: bool }
    ///
    /// /// Refuses members that are disabled, whose tokens are valid for some minutes still.
    /// async fn is_enabled(ctx: Ctx) -> crud_runtime::Result<()> {
    ///     let subject = ctx.principal().map(|principal| principal.subject().to_owned()).unwrap_or_default();
    ///     let enabled = Member::FIELDS.subject.eq(subject).and(Member::FIELDS.enabled.eq(true));
    ///     match ctx.unscoped_store::<Member>().count(enabled).await? {
    ///         0 => Err(Problem::new(Code::PermissionDenied, "the member is disabled").into()),
    ///         _ => Ok(()),
    ///     }
    /// }
    ///
    /// async fn pay(_: Ctx) -> crud_runtime::Result<()> {
    ///     Ok(())
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let route = Action::post("/payments").check(is_enabled).handler(pay);
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Member>().route(route);
    /// # Ok(()) }
    /// ```
    pub fn check<F, Fut, E>(mut self, check: F) -> Self
    where
        F: Fn(Ctx) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        Problem: From<E>,
    {
        self.options.check = Some(Check::new(check));
        self
    }

    /// Sets the largest size of the body, in bytes, where that of the service
    /// ([`Service::body_limit`](crate::Service::body_limit)) is not smaller.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.options.body_limit = bytes;
        self
    }

    /// Forbids caches to store the responses, and never compresses them: for tokens and other secrets.
    pub fn no_store(mut self) -> Self {
        self.options.no_store = true;
        self
    }

    /// Sets the tags in the document, in place of those of the resource; `Service` for a route of none.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.options.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the id of the operation in the document, by which generated clients name their function; made of method and path
    /// if never called. One that another operation has is an error at start.
    pub fn operation_id(mut self, id: impl Into<String>) -> Self {
        self.options.operation_id = Some(id.into());
        self
    }

    /// Sets the summary in the document.
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.options.summary = summary.into();
        self
    }

    /// Sets the description in the document, in Markdown.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.options.description = description.into();
        self
    }

    /// Declares the problems that the handler answers with, for the document, which has those of access, parameters, body and
    /// storage by itself. If never called, a route other than `GET` has the problems of any change.
    pub fn problems(mut self, problems: impl IntoIterator<Item = Code>) -> Self {
        self.options.problems = Some(problems.into_iter().collect());
        self
    }

    /// Changes its words in the document.
    #[cfg_attr(not(any(feature = "auth", feature = "jobs")), allow(dead_code))]
    pub(crate) fn reworded(mut self, change: impl Fn(Words) -> Words + Send + Sync + 'static) -> Self {
        self.options.rewording = Some(Rewording(Arc::new(change)));
        self
    }

    /// Takes the body from a member of an object: `envelope("article")` for `{"article": {"title": …}}`. Pointers of errors
    /// lead into it: `/article/title`.
    pub fn envelope(mut self, name: &'static str) -> Self {
        self.options.envelope = Some(name);
        self
    }

    /// Leaves the route out of the document.
    pub fn undocumented(mut self) -> Self {
        self.options.is_documented = false;
        self
    }

    /// Sets the function that answers: its arguments are [`Ctx`], [`Locked`](locked::Locked),
    /// [`ListParameters`](list_parameters::ListParameters), [`Path`](path::Path), [`Query`](query::Query) and
    /// [`Valid`](valid::Valid), up to four, and its result is a [`Reply`](reply::Reply) or an error.
    pub fn handler<A: 'static, F: ActionHandler<A>>(self, handler: F) -> Action<Handler> {
        Action { options: self.options, handler: erase(handler) }
    }
}

/// The function of an [`Action`].
pub struct Handler(pub(crate) Arc<dyn ErasedHandler>);

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
