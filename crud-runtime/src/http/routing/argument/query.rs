//! [`Query`]: the parameters of a request's query string, parsed and checked.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::http::param::header::prefer::Prefer;
use crate::http::param::query_string;
use crate::http::routing::argument::dereferences;
use crate::http::routing::describe::{DescribeArgument, Described};
use crate::http::routing::route_context::RouteContext;
use crate::model::changes::Changes;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::schema::Schema;
use crate::model::validation;
use crate::model::value::Kind;
use crate::store::mounted::resource::MountedResource;
use crate::store::owned_record::OwnedRecord;
use crate::store::writer::record_values;

/// The parameters of the query string, a struct that derives [`Schema`](crate::Schema): parsed, checked, with its defaults.
///
/// A field has a type of a single value. Errors are those of a generated list: every unknown, repeated, malformed or
/// missing parameter in one 422. With `Prefer: handling=lenient`, unknown parameters are ignored.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Query, get};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Schema)]
/// struct Top {
///     #[crud(range(min = 1, max = 100), default = 10)]
///     limit: i32,
///     since: Option<NaiveDate>,
/// }
///
/// async fn top(query: Query<Top>) -> Json<Vec<i32>> {
///     Json((0..query.limit).collect())
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// // GET /top?limit=3
/// let service = Service::connect("sqlite::memory:").await?.route("/top", get(top));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Query<Q>(pub Q);

dereferences!(Query);

impl<S: Send + Sync, Q: Schema> FromRequestParts<S> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        RouteContext::argument(parts, "query string", |read| read.query.as_ref()).map(Self)
    }
}

impl<S, Q: Schema> DescribeArgument<S> for Query<Q> {
    fn describe(described: &mut Described) {
        let other = described.query.replace(Q::DESCRIPTOR);
        described.note("Query", other, Q::DESCRIPTOR);
    }
}

/// Whether a parameter can have values of the column's kind.
pub(crate) const fn is_parameter(column: &ColumnDescriptor) -> bool {
    !matches!(column.kind, Kind::Json | Kind::Bytes | Kind::TextList | Kind::List(_))
}

/// Reads and checks the parameters of a query string, with their defaults.
///
/// # Errors
/// `validation_failed` with every error.
pub(in crate::http::routing) fn read(
    schema: &MountedResource,
    query: &str,
    headers: &HeaderMap,
) -> Result<OwnedRecord, Problem> {
    let is_lenient = Prefer::parse(headers).lenient;
    let columns = schema.resource().columns;
    let (mut changes, mut errors, mut seen) = (Changes::new(), FieldErrors::default(), Vec::new());
    for (name, value) in query_string::pairs(query) {
        let Ok(name) = name else {
            let detail = "a parameter's name must be percent-encoded UTF-8";
            errors.push(FieldError::parameter("query", "encoding", detail));
            continue;
        };
        let mut reject = |code, detail: String| errors.push(FieldError::parameter(&*name, code, detail));
        let Some(index) = columns.iter().position(|column| column.json == name) else {
            if !is_lenient {
                let legal: Vec<_> = columns.iter().map(|column| column.json).collect();
                query_string::reject_unknown(&mut errors, &name, &legal, "route");
            }
            continue;
        };
        if seen.contains(&index) {
            reject("duplicate", "must be given only once".to_owned());
            continue;
        }
        seen.push(index);
        let Ok(value) = value else {
            reject("encoding", "must be percent-encoded UTF-8".to_owned());
            continue;
        };
        match scalar::parse(&columns[index], &value) {
            Ok(value) => {
                let (resource, patterns) = (schema.resource(), schema.patterns());
                validation::check(resource, patterns, index, &value, |violation| {
                    errors.push(violation.at_parameter(&name));
                });
                changes.set(index, value);
            }
            Err(error) => reject("value", error.message().to_owned()),
        }
    }
    for (index, column) in columns.iter().enumerate() {
        if column.is_required() && !seen.contains(&index) {
            errors.push(FieldError::parameter(column.json, "required", "is required"));
        }
    }
    let changes = errors.into_result(changes)?;
    Ok(OwnedRecord::new(record_values::with_defaults(schema.resource(), changes)))
}
