//! utoipa's `ToSchema` for a resource and for pages, and the schemas of types that implement it.

use std::borrow::Cow;

use serde_json::Value;
use utoipa::openapi::{OpenApi, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::example::Examples;
use super::json_schema;
use super::page::{page, page_of_one};
use super::record_schema::{body, create, patch, record};
use super::utoipa_schema::schema;
use crate::model::descriptor::Descriptor;
use crate::store::typed::page::Page;

/// The page size in the example of a page.
const LIMIT: u64 = 20;

/// The schema of a type's JSON, with the schemas that it refers to. An object is a reference by its name.
pub(crate) fn typed<T: ToSchema>() -> json_schema::Schema {
    let own = read(T::schema());
    // A struct that flattens another one is `allOf` of both.
    let is_object = own.get("properties").or_else(|| own.get("allOf")).is_some();
    let schema = if is_object { json_schema::Schema::named(&T::name(), own) } else { own };
    let mut others = Vec::new();
    T::schemas(&mut others);
    others.into_iter().fold(schema, |schema, (name, other)| schema.defining(&name, read(other)))
}

/// A schema of utoipa's model.
pub(crate) fn read(schema: RefOr<Schema>) -> json_schema::Schema {
    serde_json::to_value(schema).unwrap_or_default().into()
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<Schema> {
        let example = read(T::schema()).get("examples").and_then(Value::as_array).and_then(|all| all.first()).cloned();
        schema(&page(&T::name(), false).example(example.map(|one| page_of_one(&one, LIMIT))))
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// The schema of a record. Expanded records are objects.
#[must_use]
pub fn record_schema(descriptor: &'static Descriptor) -> RefOr<Schema> {
    schema(&record(descriptor, &[]).example(Examples::new(descriptor).record()))
}

/// The schema of the body of a create.
#[must_use]
pub fn create_schema(descriptor: &'static Descriptor) -> RefOr<Schema> {
    schema(&create(descriptor).example(Examples::new(descriptor).create()))
}

/// The schema of the body of an update.
#[must_use]
pub fn patch_schema(descriptor: &'static Descriptor) -> RefOr<Schema> {
    schema(&patch(descriptor).example(Examples::new(descriptor).patch()))
}

/// The schema of a struct that derives `Schema`.
#[must_use]
pub fn fields_schema(descriptor: &'static Descriptor) -> RefOr<Schema> {
    schema(&body(descriptor))
}

/// The schemas of a resource and its inputs as their Rust types give them, with their names.
pub(crate) fn by_types(descriptor: &'static Descriptor) -> [(String, RefOr<Schema>); 3] {
    let named = |suffix: &str, schema| (format!("{}{suffix}", descriptor.name), schema);
    [
        named("", record_schema(descriptor)),
        named("Create", create_schema(descriptor)),
        named("Patch", patch_schema(descriptor)),
    ]
}

/// Removes the schemas of these resources from the document of other routes: the service's own schemas replace them.
pub(crate) fn without_resources(
    mut document: OpenApi,
    resources: impl Iterator<Item = &'static Descriptor>,
) -> OpenApi {
    let Some(components) = &mut document.components else { return document };
    for (name, schema) in resources.flat_map(by_types) {
        if components.schemas.get(&name) == Some(&schema) {
            components.schemas.remove(&name);
        }
    }
    document
}
