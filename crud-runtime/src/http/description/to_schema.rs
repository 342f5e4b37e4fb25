//! utoipa's `ToSchema`: types that implement it are documented, and documented types of expansions implement it.

use std::borrow::Cow;

use utoipa::openapi::{self, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::documented_type::{Documented, DocumentedType};
use super::json_schema::Schema;
use super::page::example_page;
use super::utoipa_schema::schema;
use crate::store::typed::page::Page;

#[diagnostic::do_not_recommend]
impl<T: ToSchema> Documented for T {
    fn documented() -> DocumentedType {
        let mut others = Vec::new();
        T::schemas(&mut others);
        let others = others.into_iter().map(|(name, other)| (name, read(other))).collect();
        DocumentedType { name: T::name(), schema: read(T::schema()), others }
    }
}

impl DocumentedType {
    /// The schema in utoipa's model.
    #[must_use]
    pub fn to_utoipa(&self) -> RefOr<openapi::Schema> {
        schema(&self.schema)
    }
}

/// A schema of utoipa's model.
pub(crate) fn read(schema: RefOr<openapi::Schema>) -> Schema {
    serde_json::to_value(schema).unwrap_or_default().into()
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<openapi::Schema> {
        schema(&example_page(&T::name(), &read(T::schema())))
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<openapi::Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}
