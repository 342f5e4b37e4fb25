//! Own routes: handlers of the program with the access, limits, errors and document of generated ones.
//!
//! [`Action`] describes a route, [`handler`] makes a handler of a function whose arguments [`argument`] takes from the
//! request and whose result [`reply`] writes, and [`service`] answers its requests.

pub(crate) mod argument;
pub(crate) mod ctx;
pub(crate) mod generated;
pub(crate) mod handler;
pub(crate) mod list_parameters;
pub(crate) mod locked;
pub(crate) mod query;
pub(crate) mod records;
pub(crate) mod reply;
pub(crate) mod road;
pub(crate) mod service;
pub(crate) mod valid;

use std::fmt;
use std::sync::Arc;

use axum::http::Method;

use self::handler::{ActionHandler, ErasedHandler, erase};
use crate::model::access::Access;
use crate::model::descriptor::{Descriptor, Operation};
use crate::store::mounted_resource::MountedResource;

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
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) is_item: bool,
    /// The access that the program states.
    pub(crate) access: Option<Access>,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) is_documented: bool,
    /// The member of the body's object that the handler's body is in.
    pub(crate) envelope: Option<&'static str>,
    pub(crate) handler: H,
}

impl<H> fmt::Debug for Action<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, path, access, .. } = self;
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

    pub(crate) fn new(method: Method, path: String) -> Self {
        Self {
            method,
            path,
            is_item: false,
            access: None,
            summary: String::new(),
            description: String::new(),
            is_documented: true,
            envelope: None,
            handler: (),
        }
    }

    /// Makes it a route of one record: `{prefix}/{id}/{name}`. Without, it is one of the collection: `{prefix}/{name}`.
    pub fn item(mut self) -> Self {
        self.is_item = true;
        self
    }

    /// Sets the access that the route needs where the service has authentication.
    ///
    /// If never called, a route below a resource has the access of the operation that it resembles: one of a record that of
    /// the update, or for `GET` of the get; one of the collection that of the create, or for `GET` of the list. A route of
    /// no resource needs a valid token.
    pub fn access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Sets the summary in the document.
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    /// Sets the description in the document, in Markdown.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Takes the body from a member of an object: `envelope("article")` for `{"article": {"title": …}}`. Pointers of errors
    /// lead into it: `/article/title`.
    pub fn envelope(mut self, name: &'static str) -> Self {
        self.envelope = Some(name);
        self
    }

    /// Leaves the route out of the document.
    pub fn undocumented(mut self) -> Self {
        self.is_documented = false;
        self
    }

    /// Sets the function that answers: its arguments are [`Ctx`](ctx::Ctx), [`Locked`](locked::Locked),
    /// [`ListParameters`](list_parameters::ListParameters), [`Query`](query::Query) and [`Valid`](valid::Valid), up to four, and its result is a [`Reply`](reply::Reply) or an error.
    pub fn handler<A: 'static, F: ActionHandler<A>>(self, handler: F) -> Action<Handler> {
        let Self { method, path, is_item, access, summary, description, is_documented, envelope, .. } = self;
        let handler = erase(handler);
        Action { method, path, is_item, access, summary, description, is_documented, envelope, handler }
    }
}

/// The function of an [`Action`].
pub struct Handler(pub(crate) Arc<dyn ErasedHandler>);

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// An action of a service.
#[derive(Debug, Clone)]
pub(crate) struct MountedAction {
    /// The resource that it belongs to.
    pub(crate) resource: Option<&'static Descriptor>,
    /// The whole path, such as `/parts/{id}/take`.
    pub(crate) path: String,
    pub(crate) action: Arc<Action<Handler>>,
    /// The access that it needs: the program's word, or that of the operation that it resembles.
    pub(crate) access: Access,
    /// The fields of its body.
    pub(crate) schema: Option<Arc<MountedResource>>,
    /// The parameters of its query string.
    pub(crate) query_schema: Option<Arc<MountedResource>>,
    /// The generated operation that it replaces, whose access it has.
    pub(crate) replaces: Option<Operation>,
}
