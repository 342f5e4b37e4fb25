//! Restores and purges: their schemas and operations.

use serde_json::json;

use super::DocumentedResource;
use super::json_schema::Schema;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["RestoredCount", "PurgedCount"];

/// The schemas by name, where a resource has the operation.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Schema)> {
    let offered = |operation| resources.iter().any(|resource| resource.offers(operation));
    let mut schemas = Vec::new();
    if offered(Operation::RestoreMany) {
        schemas.push((SCHEMAS[0].to_owned(), count_schema("restored", "The number of restored records.")));
    }
    if offered(Operation::PurgeMany) {
        schemas.push((SCHEMAS[1].to_owned(), count_schema("deleted", "The number of permanently removed records.")));
    }
    schemas
}

fn count_schema(member: &str, description: &str) -> Schema {
    Schema::object().about(description).member(member, Schema::count()).example(json!({ member: 1 }))
}

/// The problem of several records, where storage has no transactions, and of conditions on other records, where it has no
/// subqueries.
pub(crate) fn several_records_problem(resource: &DocumentedResource<'_>) -> &'static [Code] {
    if resource.transactions && resource.relations { &[] } else { &[Code::UnsupportedHere] }
}

/// The limit of storage without transactions.
pub(crate) fn several_records(resource: &DocumentedResource<'_>) -> &'static str {
    if resource.transactions { "" } else { " The storage of this service refuses several records." }
}
