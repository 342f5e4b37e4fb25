//! [`Path`]: the parameters in the path of a request, parsed and checked.

use std::ops::Deref;

use super::argument::{ActionRequest, Argument, Described};
use crate::model::changes::Changes;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::scalar;
use crate::model::schema::Schema;
use crate::model::validation;
use crate::store::owned_record::OwnedRecord;
use crate::store::record_values;

/// The parameters in the path of a route, a struct that derives [`Schema`](crate::Schema): parsed and checked. Its fields are
/// named as the path names them; the document has their types, rules and doc comments.
///
/// ```
/// use crud_runtime::action::{Action, Ctx, Json, Path};
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Schema)]
/// struct Month {
///     #[crud(min = 2000, max = 2999)]
///     year: i32,
///     #[crud(min = 1, max = 12)]
///     month: i32,
/// }
///
/// async fn days(_: Ctx, path: Path<Month>) -> crud_runtime::Result<Json<i32>> {
///     Ok(Json(if path.month == 2 { 28 } else { 30 }))
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// // GET /months/2026/2
/// let route = Action::get("/months/{year}/{month}").handler(days);
/// let service = Service::connect("sqlite::memory:").await?.route(route);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Path<P>(pub P);

impl<P> Deref for Path<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

impl<P: Schema> Argument for Path<P> {
    async fn prepare(request: &mut ActionRequest) -> Result<(), Problem> {
        let schema = request.path_schema.as_deref().ok_or_else(missing)?;
        let (resource, patterns) = (schema.resource(), schema.patterns());
        let (mut changes, mut errors) = (Changes::new(), FieldErrors::default());
        for (index, column) in resource.columns.iter().enumerate() {
            let mut reject =
                |code, detail: &str| errors.push(FieldError::parameter(column.json, code, detail.to_owned()));
            // The last one of this name: earlier ones belong to outer routers.
            let given = request.parameters.iter().rfind(|(name, _)| name == column.json);
            let Some((_, text)) = given else {
                reject("required", "is required");
                continue;
            };
            match scalar::parse(column, text) {
                Ok(value) => {
                    validation::check(resource, patterns, index, &value, |(code, detail)| reject(code, &detail));
                    changes.set(index, value);
                }
                Err(error) => reject("type", error.message()),
            }
        }
        let changes = errors.into_result(changes)?;
        request.path = Some(OwnedRecord::new(record_values::with_defaults(P::DESCRIPTOR, changes)));
        Ok(())
    }

    async fn take(request: &mut ActionRequest) -> Result<Self, Problem> {
        let path = request.path.take().ok_or_else(missing)?;
        P::from_row(&path).map(Self).map_err(|error| Problem::from_adapter(P::DESCRIPTOR, error))
    }

    fn describe(described: &mut Described) {
        described.path = Some(P::DESCRIPTOR);
    }
}

fn missing() -> Problem {
    Problem::internal("a handler takes the path twice")
}
