//! [`Principal`] as an extractor of axum, and [`PrincipalLookup`], through which it authenticates.

use std::fmt;
use std::sync::Arc;

use axum_core::extract::{FromRequestParts, OptionalFromRequestParts};
use http::request::Parts;

use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::storage::future::BoxFuture;

/// The authentication of a service among the extensions of a request, for the extractor [`Principal`]. Cheap to clone.
#[derive(Clone)]
pub struct PrincipalLookup(Arc<dyn FindPrincipal>);

/// Authentication of requests.
pub trait FindPrincipal: Send + Sync + 'static {
    /// The principal of a request; `None` without one.
    ///
    /// # Errors
    /// The problem of a token or a cookie that is not valid.
    fn find<'r>(&'r self, parts: &'r Parts) -> BoxFuture<'r, Result<Option<Principal>, Problem>>;
}

impl PrincipalLookup {
    /// The lookup by an authentication.
    pub fn new(authentication: Arc<dyn FindPrincipal>) -> Self {
        Self(authentication)
    }
}

impl fmt::Debug for PrincipalLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrincipalLookup")
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        find(parts).await?.ok_or_else(|| Problem::of(Code::AuthenticationFailed))
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Principal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Problem> {
        find(parts).await
    }
}

/// The principal of a request, found by the service's authentication; outside of a service, the principal that a layer
/// has set.
async fn find(parts: &Parts) -> Result<Option<Principal>, Problem> {
    if let Some(PrincipalLookup(authentication)) = parts.extensions.get() {
        return authentication.find(parts).await;
    }
    let set = parts.extensions.get::<Principal>().cloned();
    let missing = "no service authenticates this request, and no layer has set a `Principal`: add the router to the service by \
                   `Service::merge`, or put `.layer(service.state()?.principals())` around it";
    set.map(Some).ok_or_else(|| Problem::internal(missing))
}
