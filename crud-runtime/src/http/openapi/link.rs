//! Links: the operations on a record that a create returned.

use serde_json::{Map, Value, json};

use super::DocumentedResource;
use crate::model::descriptor::Operation;

/// The operations that a new record's key leads to, by name.
pub(crate) fn of_new_record(resource: &DocumentedResource<'_>) -> Map<String, Value> {
    let id = resource.options.descriptor.id_column().json.replace('~', "~0").replace('/', "~1");
    let links = [
        (Operation::Get, "get", "Reads the record."),
        (Operation::Update, "update", "Changes the record."),
        (Operation::Delete, "delete", "Deletes the record."),
    ];
    let offered = links.into_iter().filter(|(operation, ..)| resource.offers(*operation));
    let links = offered.map(|(operation, name, description)| {
        let link = json!({
            "operationId": resource.names.operation_id(operation),
            "parameters": { "id": format!("$response.body#/{id}") },
            "description": description,
        });
        (name.to_owned(), link)
    });
    links.collect()
}
