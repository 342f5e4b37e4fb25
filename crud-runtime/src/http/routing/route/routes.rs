//! [`Routes`]: several routes of the program.

use super::Route;
use crate::http::routing::rule::IntoRouteRule;
use crate::http::state::ServiceState;

/// Several routes of the program with their paths, which [`Service::routes`](crate::Service::routes) adds.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{Routes, get, post};
/// # use crud_runtime::prelude::*;
/// # async fn list() {}
/// # async fn create() {}
///
/// fn routes() -> Routes {
///     Routes::new()
///         .route("/articles", get(list).access(Access::Public))
///         .route("/articles", post(create))
///         .access(Access::Authenticated)
/// }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).routes(routes());
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "routes do nothing until a service has them"]
pub struct Routes<S = ServiceState>(Vec<(String, Route<S>)>);

impl<S> Default for Routes<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Routes<S> {
    /// An empty collection of routes.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a route at a path.
    pub fn route(mut self, path: impl Into<String>, route: Route<S>) -> Self {
        self.0.push((path.into(), route));
        self
    }

    /// Adds the routes of another collection.
    pub fn merge(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Sets the access of those routes added so far that state none.
    pub fn access(mut self, access: impl IntoRouteRule) -> Self {
        let access = access.into();
        for (_, route) in &mut self.0 {
            route.options.access.get_or_insert_with(|| access.clone());
        }
        self
    }
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// Sets the program's own state of each route: see [`Route::with_state`].
    pub fn with_state<T: Send + Sync + 'static>(self, state: S) -> Routes<T> {
        let with_state = |(path, route): (String, Route<S>)| (path, route.with_state(state.clone()));
        Routes(self.0.into_iter().map(with_state).collect())
    }
}

impl<S> IntoIterator for Routes<S> {
    type Item = (String, Route<S>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
