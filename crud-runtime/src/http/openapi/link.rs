//! Links: the operations on a record that a create returned.

use super::DocumentedResource;
use super::words::Link;
use crate::http::operation::route::Route;
use crate::model::descriptor::Operation;

/// The operations that a new record's key leads to.
pub(crate) fn of_new_record(
    resource: &DocumentedResource<'_>,
    main_route: fn(Operation) -> &'static Route,
) -> Vec<Link> {
    let id = resource.options.descriptor.id_column().json.replace('~', "~0").replace('/', "~1");
    let links = [
        (Operation::Get, "get", "Reads the record."),
        (Operation::Update, "update", "Changes the record."),
        (Operation::Delete, "delete", "Deletes the record."),
    ];
    let offered = links.into_iter().filter(|(operation, ..)| resource.offers(*operation));
    let link = |(operation, name, description)| {
        let operation_id = resource.names.operation_id(&main_route(operation).id);
        Link { name, operation_id, description, id: format!("$response.body#/{id}") }
    };
    offered.map(link).collect()
}
