//! The table of routes: the common ones of all resources, and those of a single resource.

use std::sync::LazyLock;

use super::route::OperationRoute;
use super::{
    aggregate, batch, create, delete, export, get, history, import, links, list, purge, restore, transition, update,
};
use crate::model::descriptor::{Descriptor, Operation};

/// The routes that are the same for all resources, in the order of the document. The first of an operation is its main one.
static ROUTES: LazyLock<Vec<OperationRoute>> = LazyLock::new(|| {
    let routes = [list::route(), create::route(), get::route()].into_iter().chain(update::routes());
    let routes = routes.chain([
        delete::route(),
        list::route_of_search(),
        list::route_of_query(),
        aggregate::route(),
        export::route(),
        import::route(),
    ]);
    let routes = routes.chain(batch::routes());
    routes
        .chain([restore::route_of_many(), purge::route_of_many(), restore::route(), purge::route(), history::route()])
        .collect()
});

/// The routes that are the same for all resources.
pub(crate) fn routes() -> &'static [OperationRoute] {
    &ROUTES
}

/// The main route of an operation.
pub(crate) fn main_route(operation: Operation) -> &'static OperationRoute {
    let route = ROUTES.iter().find(|route| route.operation == operation);
    route.expect("every operation has a route")
}

/// The route of a transition.
pub(crate) fn transition_route(resource: &'static Descriptor, name: &str) -> Option<OperationRoute> {
    transition::routes(resource).find(|route| route.transition.is_some_and(|(_, transition)| transition.name == name))
}

/// The paths of a resource with the routes that it offers there. The paths of the collection and the record are always
/// there, to answer 405 with `Allow`, unless the resource offers no operation at all.
pub(crate) fn paths_of(resource: &'static Descriptor) -> Vec<(&'static str, Vec<OperationRoute>)> {
    let mut paths: Vec<(&'static str, Vec<OperationRoute>)> = Vec::new();
    if resource.is_offered() {
        let of_record = (!resource.keyless).then_some(get::PATH);
        paths.extend([list::PATH].into_iter().chain(of_record).map(|path| (path, Vec::new())));
    }
    let routes = ROUTES.iter().cloned().chain(transition::routes(resource)).chain(links::routes(resource));
    for route in routes.filter(|route| resource.offers(route.operation) && (route.is_of)(resource)) {
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, routes)) => routes.push(route),
            None => paths.push((route.path, vec![route])),
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crud_shared::operation::{AGGREGATE, SEGMENTS};

    #[test]
    fn segments_that_no_key_can_be_are_those_of_the_routes() {
        let segments = super::routes().iter().filter_map(|route| route.path.split('/').nth(1));
        let segments: BTreeSet<&str> = segments.filter(|segment| !segment.starts_with('{')).collect();
        assert_eq!(segments, SEGMENTS.into_iter().chain([AGGREGATE]).collect());
    }
}
