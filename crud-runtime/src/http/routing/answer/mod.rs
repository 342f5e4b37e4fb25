//! [`Answer`]: the answer of a handler.

pub(super) mod deferred;
pub(super) mod envelope;
pub(super) mod failed;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod status;

use axum::BoxError;
use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{Html, IntoResponse, IntoResponseParts, NoContent, Redirect, Response};
use futures_util::Stream;
use serde::Serialize;

use super::describe::{Described, DescribedReply, DescribedStatus};
use crate::http::description::documented_type::{Documented, typed};
use crate::http::handler::response;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::store::typed::page::Page;

/// The answer of a handler; `M` is a marker, which is `()` for an answer of the program.
///
/// | | |
/// |---|---|
/// | [`Record`](record::Record), [`Created`](record::Created) | a record with the fields that the caller sees |
/// | [`Page<R>`](crate::Page), `Vec<R>`, `Option<R>` | records; none is 404 |
/// | axum's `Json<T>` | JSON of a type that derives `Serialize`, and `Schema` or utoipa's `ToSchema`: [`Documented`] |
/// | `()`, `NoContent` | 204 |
/// | `String`, `Bytes`, `Html`, `Redirect`, `Sse`, `StatusCode`, `Response` | as axum's |
/// | `(StatusCode, T)`, `(HeaderMap, T)`, [`Status<202, T>`](status::Status), [`Located`](status::Located) | a status, headers |
/// | `Result<T, E>` | an error is a response: [`Problem`], [`Error`](crate::Error) or the program's own |
/// | [`Undescribed<T>`](crate::http::routing::argument::undescribed::Undescribed) | any response of axum's, which the document does not describe |
///
/// A failure rolls back the transaction of [`Locked`](crate::http::routing::argument::locked::Locked): an `Err`, a `None`, a status of 400 and more.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::axum::response::{IntoResponse, Response};
/// use crud_runtime::routing::{Answer, Described, get};
/// # use crud_runtime::prelude::*;
///
/// /// A picture.
/// struct Png(Vec<u8>);
///
/// impl Answer for Png {
///     fn into_answer(self) -> Response {
///         ([("content-type", "image/png")], self.0).into_response()
///     }
///
///     fn describe(_: &mut Described) {}
/// }
///
/// async fn logo() -> Png {
///     Png(Vec::new())
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/logo", get(logo).access(Access::Public));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected the answer of a handler, found `{Self}`",
    label = "not an answer",
    note = "answers are `Record<R>`, `Created<R>`, `Page<R>`, `Vec<R>` and `Option<R>` of records, axum's `Json<T>` of a type \
            that derives `Serialize`, and `Schema` or utoipa's `ToSchema`, `()` for 204, and results of these; another \
            response of axum's is `Undescribed(…)`"
)]
pub trait Answer<M = ()> {
    /// Turns the answer into a response.
    fn into_answer(self) -> Response;

    /// Whether the handler failed, whatever the status of the response.
    fn is_failure(&self) -> bool {
        false
    }

    /// Adds the answer's description for the document.
    fn describe(described: &mut Described);
}

/// Answers that are responses of their types, generic ones by `TYPE where [GENERICS]`.
macro_rules! answers {
    ($($type:ty $(where [$($generics:tt)+])?: $reply:expr;)+) => { $(
        impl $(<$($generics)+>)? Answer for $type {
            fn into_answer(self) -> Response {
                self.into_response()
            }

            fn describe(described: &mut Described) {
                described.reply = $reply;
            }
        }
    )+ };
}

pub(super) use answers;

answers! {
    NoContent: DescribedReply::Nothing;
    StatusCode: DescribedReply::Any;
    Response: DescribedReply::Any;
    Redirect: DescribedReply::Any;
    String: DescribedReply::Content("text/plain");
    &'static str: DescribedReply::Content("text/plain");
    Bytes: DescribedReply::Content("application/octet-stream");
    Html<T> where [T: IntoResponse]: DescribedReply::Content("text/html");
    // Events until the client leaves or the service stops.
    Sse<E> where [E: Stream<Item = Result<Event, T>> + Send + 'static, T: Into<BoxError>]:
        DescribedReply::Content("text/event-stream");
}

impl Answer for () {
    fn into_answer(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Nothing;
    }
}

/// A type that `Json` may answer with: not a record, whose hidden fields would be exposed.
///
/// A resource has two implementations, so that `Json` of a record does not compile. The compiler then says that it
/// cannot infer the marker, and shows the names of the marker and of the trait.
pub trait RecordResponseHint<RecordInsteadOfJson> {}

impl<T> RecordResponseHint<()> for T {}

/// Marker of records, which [`Record`](record::Record) answers with, and not `Json`: a record, a list, an option or a
/// page.
#[derive(Debug)]
pub struct IsARecord<const FORM: u8>;

impl<R: Resource> RecordResponseHint<IsARecord<0>> for R {}
impl<R: Resource> RecordResponseHint<IsARecord<1>> for Vec<R> {}
impl<R: Resource> RecordResponseHint<IsARecord<2>> for Option<R> {}
impl<R: Resource> RecordResponseHint<IsARecord<3>> for Page<R> {}

impl<T, RecordInsteadOfJson> Answer<(RecordInsteadOfJson,)> for Json<T>
where
    T: Serialize + Documented + RecordResponseHint<RecordInsteadOfJson>,
{
    fn into_answer(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(json) => response::json(StatusCode::OK, json),
            Err(error) => Problem::internal(error).into_response(),
        }
    }

    fn describe(described: &mut Described) {
        described.reply = DescribedReply::Typed(typed::<T>);
    }
}

/// An answer, or an error as a response.
impl<T: Answer<M>, E: IntoResponse, M> Answer<(M,)> for Result<T, E> {
    fn into_answer(self) -> Response {
        match self {
            Ok(answer) => answer.into_answer(),
            Err(error) => error.into_response(),
        }
    }

    fn is_failure(&self) -> bool {
        self.as_ref().map_or(true, Answer::is_failure)
    }

    fn describe(described: &mut Described) {
        T::describe(described);
    }
}

/// An answer, or 404.
impl<T: Answer<M>, M> Answer<(M,)> for Option<T> {
    fn into_answer(self) -> Response {
        self.map_or_else(not_found, Answer::into_answer)
    }

    fn is_failure(&self) -> bool {
        self.as_ref().is_none_or(Answer::is_failure)
    }

    fn describe(described: &mut Described) {
        T::describe(described);
        described.problems.push(Code::NotFound);
    }
}

/// The response where there is no record.
pub(super) fn not_found() -> Response {
    Problem::new(Code::NotFound, "not found").into_response()
}

/// Marker of an answer with a status.
#[derive(Debug)]
pub struct WithStatus;

/// Marker of an answer with headers.
#[derive(Debug)]
pub struct WithParts;

impl<T: Answer<M>, M> Answer<(WithStatus, M)> for (StatusCode, T) {
    fn into_answer(self) -> Response {
        (self.0, self.1.into_answer()).into_response()
    }

    fn is_failure(&self) -> bool {
        self.1.is_failure()
    }

    fn describe(described: &mut Described) {
        T::describe(described);
        described.status = Some(DescribedStatus::AnySuccess);
    }
}

impl<P: IntoResponseParts, T: Answer<M>, M> Answer<(WithParts, M)> for (P, T) {
    fn into_answer(self) -> Response {
        (self.0, self.1.into_answer()).into_response()
    }

    fn is_failure(&self) -> bool {
        self.1.is_failure()
    }

    fn describe(described: &mut Described) {
        T::describe(described);
    }
}

impl<T: Answer<M>, M> Answer<(WithStatus, M)> for (StatusCode, HeaderMap, T) {
    fn into_answer(self) -> Response {
        (self.0, self.1, self.2.into_answer()).into_response()
    }

    fn is_failure(&self) -> bool {
        self.2.is_failure()
    }

    fn describe(described: &mut Described) {
        T::describe(described);
        described.status = Some(DescribedStatus::AnySuccess);
    }
}
