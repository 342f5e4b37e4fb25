//! [`Arguments`]: the arguments of a handler, taken from a request by axum's extractors.

pub(crate) mod extractors;
pub(crate) mod list_parameters;
pub(crate) mod locked;
pub(crate) mod path;
pub(crate) mod path_types;
pub(crate) mod query;
pub(crate) mod rejected;
pub(crate) mod undescribed;
pub(crate) mod valid;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;

use self::rejected::Rejected;

/// Dereferences a struct of one field to that field.
macro_rules! dereferences {
    ($name:ident) => {
        impl<T> std::ops::Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }
    };
}

pub(in crate::http::routing) use dereferences;

/// The arguments of a handler over the state `S`; `M` is axum's marker of the last one, which may read the body.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Context, Route, post};
///
/// /// The head of the request is for the first argument, its body for the last one.
/// async fn sum(ctx: Context, Json(numbers): Json<Vec<i64>>) -> Json<i64> {
///     Json(numbers.iter().sum::<i64>() + ctx.headers().len() as i64)
/// }
///
/// let route: Route = post(sum);
/// ```
pub trait Arguments<S, M>: Sized + Send {
    /// Takes the arguments from a request, in their order.
    #[doc(hidden)]
    fn take(request: Request, state: &S) -> impl Future<Output = Result<Self, Rejected>> + Send;
}

/// An argument before the last one, at the position `N`: axum's `FromRequestParts`.
///
/// ```
/// use crud_runtime::axum::extract::FromRequestParts;
/// use crud_runtime::axum::http::request::Parts;
/// use crud_runtime::routing::{DescribeArgument, Route, get};
///
/// /// The language that the client asks for.
/// struct Language(String);
///
/// impl<S: Send + Sync> FromRequestParts<S> for Language {
///     type Rejection = std::convert::Infallible;
///
///     async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
///         let asked = parts.headers.get("accept-language").and_then(|value| value.to_str().ok());
///         Ok(Self(asked.unwrap_or("en").to_owned()))
///     }
/// }
///
/// impl<S> DescribeArgument<S> for Language {}
///
/// async fn greet(Language(language): Language) -> String {
///     if language.starts_with("fi") { "Hei".into() } else { "Hello".into() }
/// }
///
/// let route: Route = get(greet);
/// ```
#[diagnostic::on_unimplemented(
    message = "argument {N} of the handler, `{Self}`, is not an extractor of a request's head",
    label = "expected `FromRequestParts<{S}>`",
    note = "extractors are those of `crud_runtime::routing` and axum's; the last argument alone reads the body; \
            `State<T>` needs `T: FromRef<{S}>`"
)]
pub trait HeadArgument<S, const N: usize>: Sized + Send {
    /// Takes the argument from the head of a request.
    #[doc(hidden)]
    fn take(parts: &mut Parts, state: &S) -> impl Future<Output = Result<Self, Rejected>> + Send;
}

#[diagnostic::do_not_recommend]
impl<S: Send + Sync, T: FromRequestParts<S> + Send, const N: usize> HeadArgument<S, N> for T {
    async fn take(parts: &mut Parts, state: &S) -> Result<Self, Rejected> {
        Self::from_request_parts(parts, state).await.map_err(Rejected::new)
    }
}

/// The last argument, at the position `N`: axum's `FromRequest`, which may read the body.
///
/// ```
/// use crud_runtime::axum::body::Bytes;
/// use crud_runtime::axum::http::HeaderMap;
/// use crud_runtime::routing::{Route, post};
///
/// /// `Bytes` reads the body, so it is the last one.
/// async fn upload(headers: HeaderMap, body: Bytes) -> String {
///     format!("{} headers, {} bytes", headers.len(), body.len())
/// }
///
/// let route: Route = post(upload);
/// ```
#[diagnostic::on_unimplemented(
    message = "argument {N} of the handler, `{Self}`, is not an extractor",
    label = "expected `FromRequest<{S}>` or `FromRequestParts<{S}>`",
    note = "extractors are those of `crud_runtime::routing` and axum's; a body derives `serde::Deserialize` for `Json`, and \
            `Schema` for `Valid`; `State<T>` needs `T: FromRef<{S}>`"
)]
pub trait LastArgument<S, M, const N: usize>: Sized + Send {
    /// Takes the argument from a request.
    #[doc(hidden)]
    fn take(request: Request, state: &S) -> impl Future<Output = Result<Self, Rejected>> + Send;
}

#[diagnostic::do_not_recommend]
impl<S: Send + Sync, M, T: FromRequest<S, M> + Send, const N: usize> LastArgument<S, M, N> for T {
    async fn take(request: Request, state: &S) -> Result<Self, Rejected> {
        Self::from_request(request, state).await.map_err(Rejected::new)
    }
}

impl<S> Arguments<S, ()> for ()
where
    S: Send + Sync,
{
    async fn take(_: Request, _: &S) -> Result<Self, Rejected> {
        Ok(())
    }
}

macro_rules! arguments {
    ([$($head:ident $position:literal)*] $last:ident $end:literal) => {
        impl<S, M, $($head,)* $last> Arguments<S, (M,)> for ($($head,)* $last,)
        where
            S: Send + Sync,
            $($head: HeadArgument<S, $position>,)*
            $last: LastArgument<S, M, $end>,
        {
            #[allow(non_snake_case, unused_mut)]
            async fn take(request: Request, state: &S) -> Result<Self, Rejected> {
                let (mut parts, body) = request.into_parts();
                $(let $head = $head::take(&mut parts, state).await?;)*
                let $last = $last::take(Request::from_parts(parts, body), state).await?;
                Ok(($($head,)* $last,))
            }
        }
    };
}

/// Implements `Arguments` for tuples: each type is the last argument of one tuple, after the types before it.
macro_rules! arguments_up_to {
    ($heads:tt) => {};
    ([$($head:ident $position:tt)*] $last:ident $end:tt $($rest:tt)*) => {
        arguments!([$($head $position)*] $last $end);
        arguments_up_to!([$($head $position)* $last $end] $($rest)*);
    };
}

arguments_up_to!([] A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 A10 10 A11 11 A12 12 A13 13 A14 14 A15 15 A16 16);
