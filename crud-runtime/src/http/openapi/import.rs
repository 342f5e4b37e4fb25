//! Schemas of imports.

use super::json_schema::Schema;
use super::{DocumentedResource, batch};

/// The names of the schemas that resources share.
pub(crate) const SCHEMAS: [&str; 2] = ["ImportResult", "ImportError"];

/// The shared schemas by name, where a resource has imports.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Schema)> {
    if resources.iter().all(|resource| resource.options.descriptor.import.is_none()) {
        return Vec::new();
    }
    let line = "The line of the file that the record begins on, from 1.";
    vec![
        (SCHEMAS[0].to_owned(), result_schema()),
        (SCHEMAS[1].to_owned(), batch::part_error("A record that was not imported.", "line", line)),
    ]
}

fn result_schema() -> Schema {
    let errors = Schema::array(Schema::reference(SCHEMAS[1])).with("maxItems", 100);
    Schema::object()
        .about("The result of an import.")
        .member("created", Schema::count().about("How many records were created."))
        .member("updated", Schema::count().about("How many had the values of `on_conflict`, and were changed."))
        .member("skipped", Schema::count().about("How many had the values of `on_conflict`, and stayed."))
        .member("failed", Schema::count().about("How many were refused."))
        .member("errors", errors.about("The first of those that were refused."))
}
