//! [`CurrentUser`]: the principal of a request, for the program's own handlers.

use std::ops::Deref;

use crate::model::actor::Actor;
use crate::model::principal::Principal;

/// The principal of a request: an extractor for axum handlers whose state is, or contains, the service's
/// [`ServiceState`](crate::http::state::ServiceState).
///
/// It rejects requests without a valid access token with 401. `Option<CurrentUser>` is `None` without a token, and
/// rejects an invalid one.
///
/// The router needs the service's state: without `.with_state(service.state()?)` the compiler reports "expected
/// `MethodRouter`, found `MethodRouter<ServiceState>`".
///
/// ```
/// use crud_runtime::auth::{Auth, CurrentUser};
/// use crud_runtime::axum::{Router, routing::get};
/// use crud_runtime::prelude::*;
///
/// async fn hello(user: Option<CurrentUser>) -> String {
///     match user {
///         Some(user) => format!("Hello, {} with roles {:?}", user.user_id(), user.roles()),
///         None => "Hello, stranger".to_owned(),
///     }
/// }
///
/// # async fn app(auth: Auth) -> crud_runtime::Result<Router> {
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
/// let own = Router::new().route("/hello", get(hello)).with_state(service.state()?);
/// Ok(own.merge(service.into_router()?))
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentUser(Principal);

impl CurrentUser {
    /// The user's id: the token's `sub`.
    pub fn user_id(&self) -> &str {
        self.0.subject()
    }

    /// The principal.
    pub fn into_principal(self) -> Principal {
        self.0
    }
}

impl Deref for CurrentUser {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.0
    }
}

impl From<&CurrentUser> for Actor {
    fn from(user: &CurrentUser) -> Self {
        Self::from(&user.0)
    }
}

impl From<Principal> for CurrentUser {
    fn from(principal: Principal) -> Self {
        Self(principal)
    }
}
