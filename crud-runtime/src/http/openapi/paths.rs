//! The paths of a service: of its resources, of the program, and its own.

use super::info::Info;
use super::program::Program;
use super::{audit, own_route, path, service};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::Path;
use crate::http::description::security::Security;

/// The paths of a service with these resources.
pub(super) fn all(
    info: &Info,
    resources: &[DocumentedResource<'_>],
    security: Option<&Security>,
    program: Program<'_>,
) -> Vec<Path> {
    let (own_routes, secured) = (program.own_routes, security.is_some());
    let of_resource = |resource| path::resource_paths(resource, resources, own_routes);
    let mut paths: Vec<Path> = resources.iter().flat_map(of_resource).collect();
    for own in own_route::paths(resources, own_routes, secured)
        .into_iter()
        .chain(of_service(info, resources, secured, program))
    {
        match paths.iter_mut().find(|path| path.template == own.template) {
            Some(path) => path.operations.extend(own.operations),
            None => paths.push(own),
        }
    }
    paths.extend(audit::path(resources, security));
    paths
}

/// The paths of the service itself.
pub(super) fn of_service(
    info: &Info,
    resources: &[DocumentedResource<'_>],
    secured: bool,
    program: Program<'_>,
) -> Vec<Path> {
    let mut paths = own_route::paths(resources, program.built_in, secured);
    paths.extend(service::paths(info, resources, program.docs_access, program.paths, secured));
    paths
}
