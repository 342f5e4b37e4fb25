//! [`Path`]: the parameters in the path of a request, parsed and checked.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::http::routing::argument::dereferences;
use crate::http::routing::describe::{DescribeArgument, Described};
use crate::http::routing::route_context::{PathParameters, RouteContext};
use crate::model::changes::Changes;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::schema::Schema;
use crate::model::validation;
use crate::store::mounted::resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::writer::record_values;

/// The parameters in the path of a route, a struct that derives [`Schema`](crate::Schema): parsed and checked. Its fields are
/// named as the path names them; the document has their types, rules and doc comments. axum's `Path` reads a single value or
/// a tuple.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Path, get};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Schema)]
/// struct Month {
///     #[crud(range(min = 2000, max = 2999))]
///     year: i32,
///     #[crud(range(min = 1, max = 12))]
///     month: i32,
/// }
///
/// async fn days(path: Path<Month>) -> Json<i32> {
///     Json(if path.month == 2 { 28 } else { 30 })
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// // GET /months/2026/2
/// let service = Service::connect("sqlite::memory:").await?.route("/months/{year}/{month}", get(days));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Path<P>(pub P);

dereferences!(Path);

impl<S: Send + Sync, P: Schema> FromRequestParts<S> for Path<P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        RouteContext::argument(parts, "path", |read| read.path.as_ref()).map(Self)
    }
}

impl<S, P: Schema> DescribeArgument<S> for Path<P> {
    fn describe(described: &mut Described) {
        let other = described.path.replace(P::DESCRIPTOR);
        described.note("Path", other, P::DESCRIPTOR);
    }
}

/// Reads and checks the parameters of a path.
///
/// # Errors
/// `validation_failed` with every error.
pub(in crate::http::routing) fn read(
    schema: &MountedResource,
    parameters: &PathParameters,
) -> Result<OwnedRecord, Problem> {
    let (resource, patterns) = (schema.resource(), schema.patterns());
    let (mut changes, mut errors) = (Changes::new(), FieldErrors::default());
    for (index, column) in resource.columns.iter().enumerate() {
        let mut reject = |code, detail: &str| errors.push(FieldError::parameter(column.json, code, detail.to_owned()));
        // The last parameter of this name: earlier ones belong to outer routers.
        let given = parameters.iter().rfind(|(name, _)| name == column.json);
        let Some((_, text)) = given else {
            reject("required", "is required");
            continue;
        };
        match scalar::parse(column, text) {
            Ok(value) => {
                validation::check(resource, patterns, index, &value, |violation| {
                    errors.push(violation.at_parameter(column.json));
                });
                changes.set(index, value);
            }
            Err(error) => reject("type", error.message()),
        }
    }
    let changes = errors.into_result(changes)?;
    Ok(OwnedRecord::new(record_values::with_defaults(resource, changes)))
}
