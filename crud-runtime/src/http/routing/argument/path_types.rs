//! [`PathTypes`] and [`QueryTypes`]: the types that axum's `Path` and `Query` read, as parameters of the document.

use std::collections::HashMap;
use std::hash::BuildHasher;

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
#[cfg(feature = "utoipa")]
use utoipa::IntoParams;
#[cfg(feature = "utoipa")]
use utoipa::openapi::path::{Parameter, ParameterIn};
#[cfg(feature = "utoipa")]
use utoipa::openapi::{Deprecated, Required};
use uuid::Uuid;

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{ParameterObject, Place};
#[cfg(feature = "utoipa")]
use crate::http::description::to_schema::read;
use crate::http::description::value_schema;
use crate::model::schema::Schema as Fields;

/// The parameters of a path.
#[derive(Debug, Clone)]
pub enum Segments {
    /// Values in the order of the path.
    #[doc(hidden)]
    Values(Vec<Segment>),
    /// Values by their names.
    #[doc(hidden)]
    Named(Vec<Segment>),
    /// Any parameters.
    #[doc(hidden)]
    Any,
}

/// A parameter of a path. Where the type does not state a name, the path does.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Segment(pub(crate) ParameterObject);

impl Segment {
    fn of(schema: Schema) -> Self {
        Self(ParameterObject::new(Place::Path, "", "", schema))
    }
}

/// A single value in a path.
///
/// ```
/// use crud_runtime::axum::extract::Path;
/// use crud_runtime::routing::{Route, get};
/// # use crud_runtime::prelude::*;
///
/// /// GET /reports/{day}/{number}
/// async fn report(Path((day, number)): Path<(NaiveDate, u32)>) -> String {
///     format!("report {number} of {day}")
/// }
///
/// let route: Route = get(report);
/// ```
#[diagnostic::on_unimplemented(
    message = "expected the type of one parameter of a path, found `{Self}`",
    note = "types are integers, `bool`, `String`, `Uuid`, `Decimal`, `NaiveDate` and `DateTime<Utc>`; others are taken as \
            `Undescribed<Path<…>>`"
)]
pub trait PathValue {
    /// The parameter in the document.
    #[doc(hidden)]
    fn segment() -> Segment;
}

macro_rules! values {
    ($($type:ty: $schema:expr;)+) => { $(
        impl PathValue for $type {
            fn segment() -> Segment {
                Segment::of($schema)
            }
        }

        impl PathTypes<()> for $type {
            fn segments() -> Segments {
                Segments::Values(vec![Self::segment()])
            }
        }
    )+ };
}

values! {
    bool: Schema::boolean();
    i16: Schema::integer().with("format", "int16");
    i32: Schema::integer().with("format", "int32");
    i64: Schema::integer().with("format", "int64");
    u16: Schema::at_least(0, "uint16");
    u32: Schema::at_least(0, "uint32");
    u64: Schema::at_least(0, "uint64");
    String: Schema::text().with("minLength", 1);
    Uuid: Schema::text().with("format", "uuid");
    Decimal: Schema::text().with("format", "decimal");
    NaiveDate: Schema::text().with("format", "date");
    DateTime<Utc>: Schema::date_time();
}

/// The type of axum's `Path`, as parameters of the document; `M` is a marker.
///
/// ```
/// use crud_runtime::axum::extract::Path;
/// use crud_runtime::routing::{Route, get};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, serde::Deserialize, Schema)]
/// struct Month { year: i32, month: u32 }
///
/// /// GET /months/{year}/{month}
/// async fn days(Path(path): Path<Month>) -> String {
///     format!("{}-{}", path.year, path.month)
/// }
///
/// let route: Route = get(days);
/// ```
#[diagnostic::on_unimplemented(
    message = "the document has no parameters of a path for `{Self}`",
    label = "not described",
    note = "a single value, a tuple of up to six, or a struct that derives `Schema` has, and with the feature `utoipa` of \
            `crud-runtime`, one that derives `utoipa::IntoParams`; another type is taken as `Undescribed<Path<{Self}>>`"
)]
pub trait PathTypes<M> {
    /// The parameters in the document.
    #[doc(hidden)]
    fn segments() -> Segments;
}

macro_rules! tuples {
    ($($value:ident)+) => {
        impl<$($value: PathValue),+> PathTypes<()> for ($($value,)+) {
            fn segments() -> Segments {
                Segments::Values(vec![$($value::segment()),+])
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

impl<H: BuildHasher> PathTypes<()> for HashMap<String, String, H> {
    fn segments() -> Segments {
        Segments::Any
    }
}

impl PathTypes<()> for Vec<(String, String)> {
    fn segments() -> Segments {
        Segments::Any
    }
}

/// Marker of types that derive `Schema`.
#[derive(Debug)]
pub struct BySchema;

/// Marker of types that derive utoipa's `IntoParams`.
#[derive(Debug)]
pub struct ByIntoParams;

#[diagnostic::do_not_recommend]
impl<T: Fields> PathTypes<BySchema> for T {
    fn segments() -> Segments {
        let columns = T::DESCRIPTOR.columns.iter();
        let segment = columns
            .map(|it| Segment(ParameterObject::new(Place::Path, it.json, it.doc.trim(), value_schema::parameter(it))));
        Segments::Named(segment.collect())
    }
}

#[cfg(feature = "utoipa")]
#[diagnostic::do_not_recommend]
impl<T: IntoParams> PathTypes<ByIntoParams> for T {
    fn segments() -> Segments {
        let parameters = T::into_params(|| Some(ParameterIn::Path));
        Segments::Named(parameters.into_iter().map(|of| Segment(parameter(Place::Path, of))).collect())
    }
}

/// The type of axum's `Query`, as parameters of the document; `M` is a marker.
///
/// ```
/// use crud_runtime::axum::extract::Query;
/// use crud_runtime::routing::{Route, get};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, serde::Deserialize, Schema)]
/// struct Paging { page: u32 }
///
/// async fn page(Query(paging): Query<Paging>) -> String {
///     format!("page {}", paging.page)
/// }
///
/// let route: Route = get(page);
/// ```
#[diagnostic::on_unimplemented(
    message = "the document has no parameters of a query string for `{Self}`",
    label = "not described",
    note = "a struct that derives `Schema` has, and with the feature `utoipa` of `crud-runtime`, one that derives \
            `utoipa::IntoParams`; another type is taken as `Undescribed<Query<{Self}>>`"
)]
pub trait QueryTypes<M> {
    /// The parameters in the document.
    #[doc(hidden)]
    fn parameters() -> Vec<Segment>;
}

#[diagnostic::do_not_recommend]
impl<T: Fields> QueryTypes<BySchema> for T {
    fn parameters() -> Vec<Segment> {
        let parameter = |column| Segment(query_parameter(column));
        T::DESCRIPTOR.columns.iter().map(parameter).collect()
    }
}

#[cfg(feature = "utoipa")]
#[diagnostic::do_not_recommend]
impl<T: IntoParams> QueryTypes<ByIntoParams> for T {
    fn parameters() -> Vec<Segment> {
        let parameters = T::into_params(|| Some(ParameterIn::Query));
        parameters.into_iter().map(|of| Segment(parameter(Place::Query, of))).collect()
    }
}

/// A parameter of a query string, as a field states it.
pub(crate) fn query_parameter(column: &crate::model::descriptor::ColumnDescriptor) -> ParameterObject {
    let parameter = ParameterObject::query(column.json, column.doc.trim(), value_schema::parameter(column));
    ParameterObject { is_required: column.is_required(), ..parameter }
}

#[cfg(feature = "utoipa")]
fn parameter(place: Place, of: Parameter) -> ParameterObject {
    let schema = of.schema.map_or_else(Schema::text, read);
    let is_required = place == Place::Path || matches!(of.required, Required::True);
    let is_deprecated = matches!(of.deprecated, Some(Deprecated::True));
    let own = ParameterObject::new(place, of.name, of.description.unwrap_or_default(), schema);
    ParameterObject { is_required, is_deprecated, ..own }
}
