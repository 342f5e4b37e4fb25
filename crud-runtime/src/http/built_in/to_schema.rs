//! `ToSchema` of the bodies of built-in routes.

/// Implements `ToSchema` by a name and a schema of the document.
macro_rules! to_schema {
    ($($type:ty, $name:literal, $schema:expr;)+) => { $(
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                crate::http::description::utoipa_schema::schema(&$schema)
            }
        }

        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }
        }
    )+ };
}
pub(super) use to_schema;
