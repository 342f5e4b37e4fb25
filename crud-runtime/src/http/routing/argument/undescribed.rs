//! [`Undescribed`]: an extractor or an answer that the document does not describe.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use crate::http::routing::answer::Answer;
use crate::http::routing::argument::dereferences;
use crate::http::routing::describe::{DescribeArgument, Described, DescribedReply};

/// An extractor or an answer of any crate that the document does not describe: [`Route::describe_json`](crate::http::routing::route::Route::describe_json)
/// adds what it should say.
///
/// ```
/// use crud_runtime::axum::response::Html;
/// use crud_runtime::axum::extract::Query;
/// use crud_runtime::routing::{Undescribed, get};
/// # use crud_runtime::prelude::*;
/// use std::collections::BTreeMap;
///
/// async fn page(Undescribed(Query(query)): Undescribed<Query<BTreeMap<String, String>>>) -> Undescribed<Html<String>> {
///     Undescribed(Html(format!("<p>{}", query.len())))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/page", get(page));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Undescribed<T>(pub T);

dereferences!(Undescribed);

impl<S: Send + Sync, T: FromRequestParts<S>> FromRequestParts<S> for Undescribed<T> {
    type Rejection = T::Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, T::Rejection> {
        T::from_request_parts(parts, state).await.map(Self)
    }
}

impl<S: Send + Sync, T: FromRequest<S>> FromRequest<S> for Undescribed<T> {
    type Rejection = T::Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, T::Rejection> {
        T::from_request(request, state).await.map(Self)
    }
}

impl<S, T> DescribeArgument<S> for Undescribed<T> {}

impl<T: IntoResponse + Send> Answer<()> for Undescribed<T> {
    fn into_answer(self) -> Response {
        self.0.into_response()
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Any;
    }
}
