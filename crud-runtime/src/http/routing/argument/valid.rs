//! [`Valid`]: the body of a request, parsed and checked.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::http::body::{self, BodyRules};
use crate::http::routing::argument::dereferences;
use crate::http::routing::describe::{DescribeArgument, Described, DescribedBody, Reading};
use crate::http::routing::route_context::RouteContext;
use crate::model::problem::Problem;
use crate::model::schema::Schema;
use crate::query::visibility::FieldVisibility;
use crate::store::mounted::resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::writer::record_values;

/// The body of a request, a struct that derives [`Schema`](crate::Schema): parsed, checked, with its defaults.
///
/// It is read before a transaction begins, whatever the order of the arguments; every error is in one answer.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{Valid, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, Schema)]
/// struct Message {
///     #[crud(validate(email))]
///     to: String,
///     #[crud(length(min = 1, max = 500))]
///     text: String,
/// }
///
/// async fn send(message: Valid<Message>) -> String {
///     format!("{} characters for {}", message.text.len(), message.to)
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.route("/messages", post(send).access(Access::Public));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Valid<B>(pub B);

dereferences!(Valid);

impl<S: Send + Sync, B: Schema> FromRequestParts<S> for Valid<B> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        RouteContext::argument(parts, "body", |read| read.body.as_ref()).map(Self)
    }
}

impl<S, B: Schema> DescribeArgument<S> for Valid<B> {
    fn describe(described: &mut Described) {
        if let Some(DescribedBody::Fields(other)) = described.body {
            described.note("Valid", Some(other), B::DESCRIPTOR);
        }
        described.reads(Reading::Json, DescribedBody::Fields(B::DESCRIPTOR));
    }
}

/// Reads and checks a body, with its defaults.
///
/// # Errors
/// Errors of [`body::parse`].
pub(in crate::http::routing) fn read(
    schema: &MountedResource,
    envelope: Option<&'static str>,
    bytes: &[u8],
) -> Result<OwnedRecord, Problem> {
    let view = FieldVisibility::default();
    let rules = BodyRules::without_principal(&view);
    let body = match envelope {
        None => body::parse(schema, &rules, bytes)?,
        Some(name) => body::parse_in(name, schema, &rules, bytes)?,
    };
    Ok(OwnedRecord::new(record_values::with_defaults(schema.resource(), body.changes)))
}
