//! [`Context`]: what a handler of the program works with.

use std::future::Future;
#[cfg(feature = "auth")]
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use chrono::{DateTime, Utc};

use super::describe::DescribeArgument;
use super::route_context::RouteContext;
#[cfg(feature = "auth")]
use crate::auth::{Auth, memberships::Memberships, network::network};
use crate::http::param::query_string;
use crate::http::state::ServiceState;
use crate::model::key::RecordKey;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::typed::store::Store;

/// A context for the program's handlers: storage, the sender of the request, the request itself.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Context, get};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// /// The number of parts that the caller sees.
/// async fn count(ctx: Context) -> crud_runtime::Result<Json<u64>> {
///     Ok(Json(ctx.store::<Part>().count(Part::FIELDS.stock.gt(0)).await?))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().route("/parts/count", get(count));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Context(Arc<RouteContext>);

impl Context {
    /// The context of a request.
    pub(super) const fn new(context: Arc<RouteContext>) -> Self {
        Self(context)
    }

    /// The context of a request with these extensions.
    pub(super) fn of(extensions: &Extensions) -> Result<Self, Problem> {
        RouteContext::of(extensions).map(Self)
    }

    pub(in crate::http) const fn route_context(&self) -> &Arc<RouteContext> {
        &self.0
    }

    /// The handle to the service's storage, acting as the sender of the request: its stores and transactions see what
    /// the sender sees, like [`store`](Self::store). [`App::unscoped`] acts as the program.
    pub fn app(&self) -> &App {
        &self.0.app
    }

    /// The records of a resource that the sender of the request sees, as its generated routes have them: of its tenant,
    /// its own where records have owners, those of its claims where the resource has a scope, and deleted ones if it
    /// may restore. Other records are not found, and created records get the sender's values. Access is not checked:
    /// the route has its own.
    ///
    /// A condition that the handler writes may be on any field. The sender's fields alone are in the answers of
    /// [`Record`](super::answer::record::Record) and [`Page`](crate::Page), and in the filters and the order of
    /// [`ListParameters`](crate::http::routing::argument::list_parameters::ListParameters).
    ///
    /// The store works in the request's transaction, if an argument such as
    /// [`Locked`](crate::http::routing::argument::locked::Locked) opened one.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource>(&self) -> Store<R> {
        self.store_of(self.app())
    }

    /// The program's store of a resource: all records of the sender's tenant, of every owner, and all fields.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn unscoped_store<R: Resource>(&self) -> Store<R> {
        self.store_of(&self.app().unscoped())
    }

    /// The state of the service.
    pub(crate) fn state(&self) -> &ServiceState {
        &self.0.state
    }

    fn store_of<R: Resource>(&self, app: &App) -> Store<R> {
        match self.0.transaction() {
            Some(transaction) => Tx::joined(app, transaction.clone()).store(),
            None => app.own_store(),
        }
    }

    /// The request's transaction, which the handler's success commits. Its stores see what the sender sees.
    ///
    /// # Errors
    /// `internal` without an argument that opens one; [`app`](Self::app) begins one of the handler's own.
    pub fn tx(&self) -> Result<Tx<'_>, Problem> {
        let transaction = self.0.transaction().cloned();
        let transaction = transaction.ok_or_else(|| Problem::internal("the handler takes no `Locked` record"))?;
        Ok(Tx::joined(self.app(), transaction))
    }

    /// The sender of the request; `None` without a token.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.identity.principal.as_deref()
    }

    /// The author of changes, as the audit log records it: the sender of the request; without authentication, the principal
    /// that a layer has set.
    pub fn actor(&self) -> Option<&Principal> {
        self.app().actor()
    }

    /// The current time by the service's [`Clock`](crate::Clock), which a test can set.
    pub fn now(&self) -> DateTime<Utc> {
        self.app().now()
    }

    /// The headers of the request.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// The value of a parameter of the query string, the first if there are several. [`Query`](crate::http::routing::argument::query::Query) parses
    /// and checks them.
    pub fn query(&self, name: &str) -> Option<String> {
        query_string::first_parameter(&self.0.query, name)
    }

    /// The value of a parameter in the path of a route, such as `{slug}`. [`Path`](crate::http::routing::argument::path::Path) parses and checks them.
    ///
    /// # Errors
    /// `internal` when the path has none of this name.
    pub fn path(&self, name: &str) -> Result<&str, Problem> {
        let found = self.0.parameters.iter().find(|(known, _)| known == name);
        let missing = || Problem::internal(format!("the path of the route has no `{{{name}}}`"));
        found.map(|(_, value)| value.as_str()).ok_or_else(missing)
    }

    /// The authentication of the service, to log users in and to issue tokens.
    ///
    /// # Errors
    /// `internal` when the service has none.
    #[cfg(feature = "auth")]
    pub fn auth(&self) -> Result<&Auth, Problem> {
        self.0
            .state
            .auth()
            .map(|auth| &**auth)
            .ok_or_else(|| Problem::internal("the service has no authentication: call `Service::auth`"))
    }

    /// A user of the service as its requests have it now: with every current role, and in this tenant, as claims have
    /// it. `None` if the user is disabled or deleted, or not a member of the tenant. This is for credentials that a route
    /// checks itself, such as a signed link: see [`Records::on_behalf_of`](super::records::Records::on_behalf_of).
    ///
    /// ```
    /// use crud_runtime::error::{Code, Problem};
    /// use crud_runtime::routing::{Context, RecordsAnswer};
    ///
    /// /// A record for the user whom a checked link names.
    /// async fn shared(ctx: &Context, subject: &str) -> Result<RecordsAnswer, Problem> {
    ///     let user = ctx.current_principal(subject, None).await?.ok_or_else(|| Problem::of(Code::NotFound))?;
    ///     ctx.records("/products")?.on_behalf_of(user).get(ctx.key()?).await
    /// }
    /// ```
    ///
    /// # Errors
    /// `internal` when the service has no authentication or keeps no users; when the lookup fails.
    #[cfg(feature = "auth")]
    pub async fn current_principal(
        &self,
        subject: &str,
        tenant: Option<&serde_json::Value>,
    ) -> Result<Option<Principal>, Problem> {
        self.auth()?;
        match self.0.state.parts().principals.sources() {
            Some(sources) => sources.current(subject, tenant).await,
            None => Ok(None),
        }
    }

    /// The memberships of users in tenants, where a resource states them.
    #[cfg(feature = "auth")]
    pub(crate) fn memberships(&self) -> Option<&Memberships> {
        self.0.state.parts().principals.sources()?.memberships.as_deref()
    }

    /// A role, and the roles that imply it.
    #[cfg(feature = "auth")]
    pub(crate) fn roles_with(&self, role: &str) -> Vec<String> {
        let sources = self.0.state.parts().principals.sources();
        sources.map_or_else(|| vec![role.to_owned()], |sources| sources.roles.with_implying(role))
    }

    /// The client's address, if the server knows it: the connection's peer, or the address that the proxy states
    /// ([`AuthBuilder::behind_tls_proxy`](crate::auth::AuthBuilder::behind_tls_proxy)).
    #[cfg(feature = "auth")]
    pub fn client_address(&self) -> Option<IpAddr> {
        self.0.client_address
    }

    /// The client's network, by which limits count in place of its address: an IPv4 address, or the 64-bit prefix of an
    /// IPv6 address, whose rest the client chooses.
    ///
    /// ```
    /// use crud_runtime::routing::Context;
    ///
    /// /// The name of a client's share of a limit.
    /// fn share(ctx: &Context) -> String {
    ///     ctx.client_network().map_or_else(|| "unknown".to_owned(), |network| network.to_string())
    /// }
    /// ```
    #[cfg(feature = "auth")]
    pub fn client_network(&self) -> Option<IpAddr> {
        self.0.client_address.map(network)
    }

    /// Resolves when the service stops: see [`ServiceState::stopping`]. A response that does not end by itself, such as
    /// a stream of events, and a handler that waits for an event, have to end then.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::time::Duration;
    ///
    /// use crud_runtime::routing::Context;
    /// use crud_runtime::axum::response::sse::{Event, Sse};
    /// # use futures_util::{Stream, StreamExt, stream};
    ///
    /// /// A tick each second, until the client leaves or the service stops.
    /// async fn ticks(ctx: Context) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    ///     let ticks = stream::unfold((), async |()| {
    ///         tokio::time::sleep(Duration::from_secs(1)).await;
    ///         Some((Ok(Event::default().data("tick")), ()))
    ///     });
    ///     Sse::new(ticks.take_until(Box::pin(ctx.stopping())))
    /// }
    /// ```
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.state.stopping()
    }

    /// The key in the path of an item's route.
    pub fn id<R: Resource>(&self) -> Option<R::Id> {
        self.0.id.get().and_then(|id| R::Id::from_key(id).ok())
    }

    /// The key in the path of an item's route as a text, which [`Records`](super::records::Records) takes; the parts of
    /// a composite key are percent-encoded, as in a path.
    ///
    /// # Errors
    /// `internal` when the path does not name a record.
    pub fn key(&self) -> Result<String, Problem> {
        let missing = || Problem::internal("the path of the route names no record");
        self.0.id.get().map(ToString::to_string).ok_or_else(missing)
    }

    /// A value of the program: see [`Service::extension`](crate::Service::extension).
    ///
    /// # Errors
    /// `internal` when the service has none of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Result<&T, Problem> {
        self.app().extension()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Context {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(&parts.extensions)
    }
}

impl<S> DescribeArgument<S> for Context {}
