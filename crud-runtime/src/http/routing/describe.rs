//! [`Described`]: the arguments and the answer of a handler, as the document and the checks at start have them.

use axum::http::StatusCode;

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{ParameterObject, Place};
use crate::http::routing::argument::path_types::Segments;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Code;

/// The arguments and the answer of a handler, for the document and for the checks at start.
///
/// ```
/// use crud_runtime::routing::{DescribeArgument, Described};
///
/// /// The time zone of the client.
/// struct Zone;
///
/// impl<S> DescribeArgument<S> for Zone {
///     fn describe(described: &mut Described) {
///         described.query("zone", "The client's time zone, such as `Europe/Helsinki`.");
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct Described {
    /// The body of the request.
    pub(crate) body: Option<DescribedBody>,
    /// The part of the body that is read before the extractors run.
    pub(crate) reading: Reading,
    /// The parameters of the query string, where `Query` of the service reads them.
    pub(crate) query: Option<&'static Descriptor>,
    /// The parameters of the path, where `Path` of the service reads them.
    pub(crate) path: Option<&'static Descriptor>,
    /// The parameters of the path, where axum's `Path` reads them.
    pub(crate) segments: Option<Segments>,
    /// Parameters that other extractors read.
    pub(crate) parameters: Vec<ParameterObject>,
    /// The resource whose list's parameters the query string has.
    pub(crate) list: Option<&'static Descriptor>,
    /// The resources whose record in the path is read.
    pub(crate) records: Vec<&'static Descriptor>,
    /// Whether the record in the path is locked.
    pub(crate) locks: bool,
    /// The extractor that two arguments use with different fields: the request's part is read with the fields of one.
    pub(crate) taken_twice: Option<&'static str>,
    /// Whether the handler may run the generated operation.
    pub(crate) has_next: bool,
    /// The answer.
    pub(crate) reply: DescribedReply,
    /// The status of the answer, where it is not that of the reply.
    pub(crate) status: Option<DescribedStatus>,
    /// Whether the answer has a `Location`.
    pub(crate) has_location: bool,
    /// Problems that the type of the answer implies.
    pub(crate) problems: Vec<Code>,
}

/// The body of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DescribedBody {
    /// JSON of a struct that derives `Schema`.
    Fields(&'static Descriptor),
    /// JSON of a type.
    Typed(fn() -> Schema),
    /// Any body of a media type.
    Any(&'static str),
    /// The fields and files of an HTML form.
    #[cfg(feature = "multipart")]
    Multipart,
}

/// The part of a body that is read, within the limits of size and time, before the extractors run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Nothing: an extractor may stream the body.
    #[default]
    Nothing,
    /// The whole body.
    All,
    /// The whole body, which is JSON.
    Json,
}

/// A handler's answer, as the document describes it.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) enum DescribedReply {
    /// 204.
    #[default]
    Nothing,
    /// A response that the handler makes itself.
    Any,
    /// 200 with a body of a media type that is not JSON.
    Content(&'static str),
    /// 200 with JSON of a type.
    Typed(fn() -> Schema),
    /// 200 with a record.
    Record(&'static Descriptor),
    /// 201 with a record.
    Created(&'static Descriptor),
    /// 200 with an array of records.
    Records(&'static Descriptor),
    /// 200 with a page of records.
    Page(&'static Descriptor),
}

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DescribedStatus {
    Is(StatusCode),
    /// A status of success that is known only when the handler runs.
    AnySuccess,
}

impl DescribedReply {
    /// Whether the answer is JSON.
    pub(crate) const fn is_json(self) -> bool {
        matches!(self, Self::Typed(_)) || self.resource().is_some()
    }

    /// The resource whose records the answer has.
    pub(crate) const fn resource(self) -> Option<&'static Descriptor> {
        match self {
            Self::Record(resource) | Self::Created(resource) | Self::Records(resource) | Self::Page(resource) => {
                Some(resource)
            }
            Self::Nothing | Self::Any | Self::Content(_) | Self::Typed(_) => None,
        }
    }
}

impl Described {
    /// Adds a header of the request, such as `X-Signature`, that an extractor of the program reads.
    pub fn header(&mut self, name: &str, description: &str) {
        self.parameters.push(ParameterObject::new(Place::Header, name, description, Schema::text()));
    }

    /// Adds a parameter of the query string that an extractor of the program reads.
    pub fn query(&mut self, name: &str, description: &str) {
        self.parameters.push(ParameterObject::query(name, description, Schema::text()));
    }

    /// Adds a problem that an extractor of the program refuses requests with.
    pub fn problem(&mut self, code: Code) {
        self.problems.push(code);
    }

    /// Notes the fields with which an extractor reads a part of the request, and those with which another argument
    /// does.
    pub(crate) fn note(
        &mut self,
        extractor: &'static str,
        other: Option<&'static Descriptor>,
        fields: &'static Descriptor,
    ) {
        if other.is_some_and(|other| !std::ptr::eq(other, fields)) {
            self.taken_twice = Some(extractor);
        }
    }

    /// Notes that the body is read before the extractors run.
    pub(crate) fn reads(&mut self, reading: Reading, body: DescribedBody) {
        // Checked fields describe a body better than another argument that takes the same body.
        if !matches!(self.body, Some(DescribedBody::Fields(_))) {
            self.body = Some(body);
        }
        if self.reading != Reading::Json {
            self.reading = reading;
        }
    }
}

/// An argument of a handler over the state `S`, as the document describes it; `M` is a marker, which is `()` for an extractor
/// of the program.
///
/// ```
/// use crud_runtime::axum::extract::FromRequestParts;
/// use crud_runtime::axum::http::request::Parts;
/// use crud_runtime::error::{Code, Problem};
/// use crud_runtime::routing::{DescribeArgument, Described};
///
/// /// The signature of a webhook.
/// struct Signature(String);
///
/// impl<S: Send + Sync> FromRequestParts<S> for Signature {
///     type Rejection = Problem;
///
///     async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
///         let signature = parts.headers.get("x-signature").and_then(|value| value.to_str().ok());
///         let missing = || Problem::new(Code::PermissionDenied, "the signature is missing");
///         signature.map(|text| Self(text.to_owned())).ok_or_else(missing)
///     }
/// }
///
/// impl<S> DescribeArgument<S> for Signature {
///     fn describe(described: &mut Described) {
///         described.header("X-Signature", "The signature of the body.");
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the document has no description of the argument `{Self}`",
    label = "not described",
    note = "an extractor of the program has one by `impl<S> DescribeArgument<S> for {Self} {{}}`; one of another crate is \
            taken as `Undescribed<{Self}>`"
)]
pub trait DescribeArgument<S, M = ()> {
    /// Whether the argument locks the record in the path.
    #[doc(hidden)]
    const LOCKS: bool = false;
    /// Whether the argument streams the body.
    #[doc(hidden)]
    const STREAMS: bool = false;

    /// Adds the argument's description for the document: nothing, unless it is overridden.
    fn describe(_: &mut Described) {}
}

/// The arguments of a handler, as the document describes them; `D` has a marker of each.
///
/// ```
/// use crud_runtime::axum::extract::Path;
/// use crud_runtime::routing::{Route, Valid, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Schema)]
/// struct Rename { name: String }
///
/// /// The document has the parameter of the path and the body.
/// async fn rename(Path(slug): Path<String>, body: Valid<Rename>) -> String {
///     format!("{slug} is {}", body.name)
/// }
///
/// let route: Route = post(rename);
/// ```
pub trait DescribeArguments<S, D> {
    /// Whether an argument locks the record in the path.
    #[doc(hidden)]
    const LOCKS: bool;
    /// Whether an argument streams the body.
    #[doc(hidden)]
    const STREAMS: bool;

    /// Adds the descriptions of the arguments for the document.
    #[doc(hidden)]
    fn describe(described: &mut Described);
}

impl<S> DescribeArguments<S, ()> for () {
    const LOCKS: bool = false;
    const STREAMS: bool = false;

    fn describe(_: &mut Described) {}
}

macro_rules! describe {
    ($($argument:ident $marker:ident)+) => {
        impl<S, $($argument, $marker),+> DescribeArguments<S, ($($marker,)+)> for ($($argument,)+)
        where
            $($argument: DescribeArgument<S, $marker>,)+
        {
            const LOCKS: bool = false $(|| $argument::LOCKS)+;
            const STREAMS: bool = false $(|| $argument::STREAMS)+;

            fn describe(described: &mut Described) {
                $($argument::describe(described);)+
            }
        }
    };
}

/// Implements the trait for tuples of increasing length.
macro_rules! describe_up_to {
    ($before:tt) => {};
    ([$($before:ident)*] $argument:ident $marker:ident $($rest:ident)*) => {
        describe!($($before)* $argument $marker);
        describe_up_to!([$($before)* $argument $marker] $($rest)*);
    };
}

describe_up_to!([] A1 M1 A2 M2 A3 M3 A4 M4 A5 M5 A6 M6 A7 M7 A8 M8 A9 M9 A10 M10 A11 M11 A12 M12 A13 M13 A14 M14 A15 M15 A16 M16);
