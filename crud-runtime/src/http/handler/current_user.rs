//! [`CurrentUser`] as an extractor.

use axum::extract::{FromRef, FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;

use crate::auth::CurrentUser;
use crate::http::routing::describe::DescribeArgument;
use crate::http::routing::route_context::RouteContext;
use crate::http::state::ServiceState;
use crate::model::problem::{Code, Problem};

impl<S> FromRequestParts<S> for CurrentUser
where
    S: Send + Sync,
    ServiceState: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let user = <Self as OptionalFromRequestParts<S>>::from_request_parts(parts, state).await?;
        user.ok_or_else(|| Problem::of(Code::AuthenticationFailed))
    }
}

impl<S> OptionalFromRequestParts<S> for CurrentUser
where
    S: Send + Sync,
    ServiceState: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Problem> {
        // A route of the service has looked its sender up.
        if let Some(context) = RouteContext::find(&parts.extensions) {
            return Ok(context.identity.principal.as_deref().cloned().map(CurrentUser::from));
        }
        let state = ServiceState::from_ref(state);
        Ok(state.authenticate((&*parts).into()).await?.map(CurrentUser::from))
    }
}

impl<S> DescribeArgument<S> for CurrentUser {}
