//! Schemas of a resource by itself, for `ToSchema`.

use utoipa::openapi::{OpenApi, RefOr, Schema};

use super::example::Examples;
use super::schema::{create, patch, record};
use super::writer::schema::schema;
use crate::model::descriptor::Descriptor;

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

/// Removes the schemas of these resources from the document of other routes: the service's own stand for them.
pub(crate) fn without_resources(
    mut document: OpenApi,
    resources: impl Iterator<Item = &'static Descriptor>,
) -> OpenApi {
    let Some(components) = &mut document.components else { return document };
    for descriptor in resources {
        let schemas = [
            ("", record_schema(descriptor)),
            ("Create", create_schema(descriptor)),
            ("Patch", patch_schema(descriptor)),
        ];
        for (suffix, schema) in schemas {
            let name = format!("{}{suffix}", descriptor.name);
            if components.schemas.get(&name) == Some(&schema) {
                components.schemas.remove(&name);
            }
        }
    }
    document
}
