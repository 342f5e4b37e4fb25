//! The ids of a resource's operations, and of the program's routes below the resource.

use axum::http::Method;

use crate::http::description::name::{Names, camel, link_ids, pascal, transition_id};
use crate::http::operation::table;
use crate::model::descriptor::Descriptor;

/// The id of a route of the program below the resource's, such as `takePart` of `POST /parts/{id}/take` and
/// `getPartLabel` of `GET /parts/{id}/label`; `None` where a generated operation has it.
pub(crate) fn of_action(
    names: &Names,
    resource: &'static Descriptor,
    method: &Method,
    path: &str,
    is_item: bool,
) -> Option<String> {
    let noun = if is_item { &names.singular } else { &names.plural };
    let action = pascal(path);
    let id = match *method {
        Method::POST if !action.is_empty() => camel(&action) + noun,
        _ => format!("{}{noun}{action}", method.as_str().to_lowercase()),
    };
    let generated = table::routes().iter().map(|route| route.id.clone().into_owned());
    let transitions = resource.transitions().map(|(_, transition)| transition_id(transition.name));
    let links = resource.many_to_many.iter().flat_map(|links| link_ids(links.name));
    let mut generated = generated.chain(transitions).chain(links);
    Some(id).filter(|id| generated.all(|other| names.operation_id(&other) != *id))
}

/// The ids of a resource's operations.
pub(crate) fn of_resource(names: &Names, resource: &'static Descriptor) -> Vec<String> {
    let routes = table::paths_of(resource).into_iter().flat_map(|(_, routes)| routes);
    routes.map(|route| names.operation_id(&route.id)).collect()
}
